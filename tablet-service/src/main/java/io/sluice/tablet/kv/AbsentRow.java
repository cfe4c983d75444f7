package io.sluice.tablet.kv;

import io.sluice.format.row.NestedConversion;
import io.sluice.format.row.Row;
import org.jspecify.annotations.Nullable;

/** The columns of a row that does not exist: all NULL. */
final class AbsentRow extends DelegatingRow {
  private final int columnCount;

  AbsentRow(int columnCount) {
    this.columnCount = columnCount;
  }

  @Override
  public int columnCount() {
    return columnCount;
  }

  @Override
  @Nullable Row source(int column) {
    return null;
  }

  @Override
  int position(int column) {
    return column;
  }

  @Override
  @Nullable NestedConversion conversion(int column) {
    return null;
  }
}
