package io.sluice.format.row;

import org.apache.arrow.vector.FieldVector;

/** ARRAY, MAP and ROW columns: takes NULL and nothing else. */
final class NestedColumnWriter extends ColumnWriter {
  private final FieldVector vector;
  private boolean open;

  NestedColumnWriter(ValueRules rules, FieldVector vector) {
    super(rules);
    this.vector = vector;
  }

  @Override
  void bind(int expectedRows) {
    writtenRow = -1;
    open = true;
    vector.reset();
    vector.setInitialCapacity(expectedRows);
    vector.allocateNew();
  }

  @Override
  void putNull(int row) {
    if (!open) {
      throw finished();
    }
    writtenRow = row;
  }

  @Override
  void putFrom(int row, Row source, int sourceColumn) {
    throw rules.nested();
  }

  @Override
  void finish(int rows) {
    open = false;
    for (int row = 0; row < rows; row++) {
      vector.setNull(row);
    }
    vector.setValueCount(rows);
  }
}
