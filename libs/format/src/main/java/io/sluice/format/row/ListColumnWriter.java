package io.sluice.format.row;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;

/**
 * ARRAY and MAP columns. The elements go straight into their vectors, by writers of their own;
 * where each row ends is kept here until {@link #finish}, as growing a list vector would move those
 * of its elements.
 */
final class ListColumnWriter extends ColumnWriter {
  private final ListVector vector;
  private final ColumnWriter elements;
  private final boolean map;
  private final Object[] cell;
  private final Row cellRow;
  private int[] ends = new int[16];
  private boolean[] nulls = new boolean[16];
  private boolean open;

  /**
   * @param elements writer of the elements; for a MAP of its entries, rows of key and value
   */
  ListColumnWriter(ValueRules rules, ListVector vector, ColumnWriter elements, boolean map) {
    super(rules);
    this.vector = vector;
    this.elements = elements;
    this.map = map;
    this.cell = new Object[1];
    this.cellRow = GenericRow.wrapping(cell);
  }

  @Override
  void bind(int expectedRows) {
    writtenRow = -1;
    open = true;
    elements.bind(expectedRows);
  }

  private int start(int row) {
    if (!open) {
      throw finished();
    }
    if (row >= ends.length) {
      ends = Arrays.copyOf(ends, Math.max(row + 1, 2 * ends.length));
      nulls = Arrays.copyOf(nulls, ends.length);
    }
    return row == 0 ? 0 : ends[row - 1];
  }

  private void end(int row, int end, boolean isNull) {
    ends[row] = end;
    nulls[row] = isNull;
    writtenRow = row;
  }

  @Override
  void putNull(int row) {
    end(row, start(row), true);
  }

  @Override
  void putFrom(int row, Row source, int sourceColumn) {
    int start = start(row);
    int end =
        map
            ? putEntries(start, source.getMap(sourceColumn))
            : putElements(start, source.getArray(sourceColumn));
    end(row, end, false);
  }

  private int putElements(int start, List<?> values) {
    int at = start;
    for (Iterator<?> each = values.iterator(); each.hasNext(); at++) {
      cell[0] = each.next();
      elements.setFrom(at, cellRow, 0);
    }
    return at;
  }

  private int putEntries(int start, Map<?, ?> entries) {
    int at = start;
    for (Map.Entry<?, ?> entry : entries.entrySet()) {
      cell[0] = GenericRow.of(entry.getKey(), entry.getValue());
      elements.setFrom(at, cellRow, 0);
      at++;
    }
    return at;
  }

  @Override
  long variableBytes(int rows) {
    return elements.bytes(rows == 0 ? 0 : ends[rows - 1]);
  }

  @Override
  void finish(int rows) {
    open = false;
    elements.finish(rows == 0 ? 0 : ends[rows - 1]);
    try (ArrowBuf offsets = vector.getAllocator().buffer(4L * (rows + 1));
        ArrowBuf validity = StructColumnWriter.validity(vector.getAllocator(), nulls, rows)) {
      offsets.setInt(0, 0);
      for (int row = 0; row < rows; row++) {
        offsets.setInt(4L * row + 4, ends[row]);
      }
      vector.loadFieldBuffers(
          new ArrowFieldNode(rows, StructColumnWriter.count(nulls, rows)),
          List.of(validity, offsets));
    }
  }
}
