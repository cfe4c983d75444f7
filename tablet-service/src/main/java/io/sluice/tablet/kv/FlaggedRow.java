package io.sluice.tablet.kv;

import io.sluice.format.row.Row;
import org.jspecify.annotations.Nullable;

/** Columns of a stored row, NULL without one, and perhaps a column that says whether it exists. */
final class FlaggedRow extends DelegatingRow {
  private static final Row YES = Row.of(true);
  private static final Row NO = Row.of(false);

  private final @Nullable Row row;
  private final int[] positions;
  private final int flagColumn;

  /**
   * @param positions by column of this row, its position in the stored row, -1 when it has none
   * @param flagColumn the column that says whether there is a stored row, -1 for none
   */
  FlaggedRow(@Nullable Row row, int[] positions, int flagColumn) {
    this.row = row;
    this.positions = positions;
    this.flagColumn = flagColumn;
  }

  @Override
  public int columnCount() {
    return positions.length;
  }

  @Override
  @Nullable Row source(int column) {
    if (column == flagColumn) {
      return row == null ? NO : YES;
    }
    return positions[column] < 0 ? null : row;
  }

  @Override
  int position(int column) {
    return column == flagColumn ? 0 : positions[column];
  }
}
