package io.sluice.format.schema;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.BaseRepeatedValueVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.util.VectorAppender;

/** The lists of a foreign vector, of any of Arrow's list types, without what no list holds. */
final class ListSource {
  private final CastContext context;
  private final FieldVector vector;
  private final FieldVector elements;
  private final int rows;
  private final long firstRow;

  ListSource(CastContext context, FieldVector vector, int rows, long firstRow) {
    this.context = context;
    this.vector = vector;
    this.elements = vector.getChildrenFromFields().get(0);
    this.rows = rows;
    this.firstRow = firstRow;
  }

  /** Whether a list column takes values of this type. */
  static boolean isList(ArrowType type) {
    return type instanceof ArrowType.List
        || type instanceof ArrowType.LargeList
        || type instanceof ArrowType.FixedSizeList;
  }

  private int start(int row) {
    return Math.toIntExact(
        vector instanceof FixedSizeListVector fixed
            ? (long) row * fixed.getListSize()
            : offset(row));
  }

  private int end(int row) {
    return vector instanceof FixedSizeListVector fixed
        ? start(row) + fixed.getListSize()
        : Math.toIntExact(offset(row + 1));
  }

  private long offset(int row) {
    return vector instanceof LargeListVector
        ? vector.getOffsetBuffer().getLong((long) row * LargeListVector.OFFSET_WIDTH)
        : vector.getOffsetBuffer().getInt((long) row * BaseRepeatedValueVector.OFFSET_WIDTH);
  }

  private int length(int row) {
    if (vector.isNull(row)) {
      return 0;
    }
    int start = start(row);
    int end = end(row);
    if (start < 0 || end < start || end > elements.getValueCount()) {
      throw context.corrupt(firstRow + row, "its list lies outside of the elements");
    }
    return end - start;
  }

  /**
   * The elements of all lists, one after the other; to be closed by the caller. NULL lists may
   * stand for elements too, which nobody may see.
   */
  FieldVector elements() {
    FieldVector packed = elements.getField().createVector(elements.getAllocator());
    try {
      if (isPacked()) {
        elements.makeTransferPair(packed).splitAndTransfer(0, rows == 0 ? 0 : end(rows - 1));
      } else {
        packed.setInitialCapacity(Math.max(1, elements.getValueCount()));
        packed.allocateNew();
        pack(new VectorAppender(packed));
      }
      return packed;
    } catch (RuntimeException | Error e) {
      packed.close();
      throw e;
    }
  }

  /** Whether the lists lie one behind the other from the first element on, with nothing between. */
  private boolean isPacked() {
    int end = 0;
    for (int row = 0; row < rows; row++) {
      if (start(row) != end || (vector.isNull(row) && end(row) != end)) {
        return false;
      }
      end += length(row);
    }
    return true;
  }

  private void pack(VectorAppender packed) {
    for (int row = 0; row < rows; row++) {
      int length = length(row);
      if (length > 0) {
        try (FieldVector list = elements.getField().createVector(elements.getAllocator())) {
          elements.makeTransferPair(list).splitAndTransfer(start(row), length);
          list.accept(packed, null);
        }
      }
    }
  }

  /** Where each list ends among the {@link #elements}; to be closed by the caller. */
  ArrowBuf offsets(BufferAllocator allocator) {
    ArrowBuf offsets = allocator.buffer(4L * (rows + 1));
    try {
      int end = 0;
      offsets.setInt(0, 0);
      for (int row = 0; row < rows; row++) {
        end += length(row);
        offsets.setInt(4L * row + 4, end);
      }
      return offsets;
    } catch (RuntimeException | Error e) {
      offsets.close();
      throw e;
    }
  }
}
