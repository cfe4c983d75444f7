package io.sluice.tablet.kv;

import io.sluice.format.row.NestedConversion;
import io.sluice.format.row.Row;
import org.jspecify.annotations.Nullable;

/** A row of one schema seen as a row of another. */
final class MappedRow extends DelegatingRow {
  private final Row row;
  private final ColumnMapping mapping;

  MappedRow(Row row, ColumnMapping mapping) {
    this.row = row;
    this.mapping = mapping;
  }

  @Override
  public int columnCount() {
    return mapping.columnCount();
  }

  @Override
  Row source(int column) {
    return mapping.position(column) < 0 ? mapping.defaults() : row;
  }

  @Override
  int position(int column) {
    int position = mapping.position(column);
    return position < 0 ? column : position;
  }

  @Override
  @Nullable NestedConversion conversion(int column) {
    return mapping.conversion(column);
  }
}
