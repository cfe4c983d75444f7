package io.sluice.format.row;

import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;

/**
 * ROW columns, and the entries of MAP columns. The fields go straight into their vectors, by
 * writers of their own; which rows are NULL is kept here until {@link #finish}.
 */
final class StructColumnWriter extends ColumnWriter {
  private final StructVector vector;
  private final ColumnWriter[] fields;
  private boolean[] nulls = new boolean[16];
  private boolean open;

  StructColumnWriter(ValueRules rules, StructVector vector, ColumnWriter[] fields) {
    super(rules);
    this.vector = vector;
    this.fields = fields;
  }

  @Override
  void bind(int expectedRows) {
    writtenRow = -1;
    open = true;
    for (ColumnWriter field : fields) {
      field.bind(expectedRows);
    }
  }

  private void mark(int row, boolean isNull) {
    if (!open) {
      throw finished();
    }
    if (row >= nulls.length) {
      nulls = Arrays.copyOf(nulls, Math.max(row + 1, 2 * nulls.length));
    }
    nulls[row] = isNull;
    writtenRow = row;
  }

  @Override
  void putNull(int row) {
    mark(row, true);
    for (ColumnWriter field : fields) {
      field.putNull(row);
    }
  }

  @Override
  void putFrom(int row, Row source, int sourceColumn) {
    Row value = source.getRow(sourceColumn);
    if (value.columnCount() != fields.length) {
      throw rules.refused(
          "a row of " + value.columnCount() + " values", "it has " + fields.length + " fields");
    }
    for (int i = 0; i < fields.length; i++) {
      fields[i].setFrom(row, value, i);
    }
    mark(row, false);
  }

  @Override
  long variableBytes(int rows) {
    long bytes = 0;
    for (ColumnWriter field : fields) {
      bytes += field.bytes(rows);
    }
    return bytes;
  }

  @Override
  void finish(int rows) {
    open = false;
    for (ColumnWriter field : fields) {
      field.finish(rows);
    }
    try (ArrowBuf validity = validity(vector.getAllocator(), nulls, rows)) {
      vector.loadFieldBuffers(new ArrowFieldNode(rows, count(nulls, rows)), List.of(validity));
    }
  }

  /** The bits of the rows that are not NULL; to be closed by the caller. */
  static ArrowBuf validity(BufferAllocator allocator, boolean[] nulls, int rows) {
    int bytes = (rows + 7) / 8;
    ArrowBuf validity = allocator.buffer(Math.max(8, bytes));
    validity.setZero(0, validity.capacity());
    for (int row = 0; row < rows; row++) {
      if (!nulls[row]) {
        ValidityBits.set(validity.memoryAddress(), row);
      }
    }
    return validity;
  }

  /** How many of the rows are NULL. */
  static int count(boolean[] nulls, int rows) {
    int count = 0;
    for (int row = 0; row < rows; row++) {
      count += nulls[row] ? 1 : 0;
    }
    return count;
  }
}
