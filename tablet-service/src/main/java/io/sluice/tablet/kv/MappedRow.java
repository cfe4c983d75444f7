package io.sluice.tablet.kv;

import io.sluice.format.row.Row;
import org.jspecify.annotations.Nullable;

/**
 * A row of one schema seen as a row of another: columns are matched by id, unknown ones are NULL.
 */
final class MappedRow extends DelegatingRow {
  private final Row row;
  private final int[] positions;

  /**
   * @param positions by column of this row, its position in the other row, -1 when it has none
   */
  MappedRow(Row row, int[] positions) {
    this.row = row;
    this.positions = positions;
  }

  @Override
  public int columnCount() {
    return positions.length;
  }

  @Override
  @Nullable Row source(int column) {
    return positions[column] < 0 ? null : row;
  }

  @Override
  int position(int column) {
    return positions[column];
  }
}
