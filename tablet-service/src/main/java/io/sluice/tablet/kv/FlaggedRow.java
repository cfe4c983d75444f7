package io.sluice.tablet.kv;

import io.sluice.format.row.NestedConversion;
import io.sluice.format.row.Row;
import org.jspecify.annotations.Nullable;

/** Columns of a stored row, NULL without one, and perhaps a column that says whether it exists. */
final class FlaggedRow extends DelegatingRow {
  private static final Row YES = Row.of(true);
  private static final Row NO = Row.of(false);

  private final @Nullable Row row;
  private final int columnCount;
  private final int flagColumn;

  /**
   * @param row has the other columns at the same positions, null when there is no stored row
   * @param columnCount number of columns, the flag among them
   * @param flagColumn the column that says whether there is a stored row, -1 for none
   */
  FlaggedRow(@Nullable Row row, int columnCount, int flagColumn) {
    this.row = row;
    this.columnCount = columnCount;
    this.flagColumn = flagColumn;
  }

  @Override
  public int columnCount() {
    return columnCount;
  }

  @Override
  @Nullable Row source(int column) {
    if (column == flagColumn) {
      return row == null ? NO : YES;
    }
    return row;
  }

  @Override
  int position(int column) {
    return column == flagColumn ? 0 : column;
  }

  @Override
  @Nullable NestedConversion conversion(int column) {
    return null;
  }
}
