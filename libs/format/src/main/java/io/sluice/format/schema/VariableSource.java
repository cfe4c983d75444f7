package io.sluice.format.schema;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseLargeVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthViewVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.ViewVarBinaryVector;
import org.apache.arrow.vector.ViewVarCharVector;

/**
 * Finds the bytes of text and binary values in vectors of any Arrow form. Offsets come from outside
 * and are checked against the data before use.
 */
abstract class VariableSource {
  private final CastContext context;

  VariableSource(CastContext context) {
    this.context = context;
  }

  static VariableSource of(CastContext context, FieldVector vector) {
    if (vector instanceof BaseVariableWidthVector) {
      return new OffsetSource(context, vector, 4);
    }
    if (vector instanceof BaseLargeVariableWidthVector) {
      return new OffsetSource(context, vector, 8);
    }
    if (vector instanceof BaseVariableWidthViewVector view) {
      return new ViewSource(context, view);
    }
    if (vector instanceof FixedSizeBinaryVector fixed) {
      return new FixedSource(context, fixed);
    }
    throw context.impossible("cast it to utf8 or binary before the upload");
  }

  /** Finds the value of the row and returns its length. */
  abstract int locate(int row, long firstRow);

  /** Copies the value found last. */
  abstract void copy(ArrowBuf target, long at);

  int checkedLength(long start, long end, long capacity, long row) {
    if (start < 0 || end < start || end > capacity || end - start > Integer.MAX_VALUE) {
      throw context.corrupt(
          row, "a value from " + start + " to " + end + " of " + capacity + " bytes");
    }
    return (int) (end - start);
  }

  private static final class OffsetSource extends VariableSource {
    private final ArrowBuf offsets;
    private final ArrowBuf data;
    private final int width;
    private long start;
    private int length;

    OffsetSource(CastContext context, FieldVector vector, int width) {
      super(context);
      this.offsets = vector.getOffsetBuffer();
      this.data = vector.getDataBuffer();
      this.width = width;
    }

    @Override
    int locate(int row, long firstRow) {
      long at = (long) row * width;
      start = width == 4 ? offsets.getInt(at) : offsets.getLong(at);
      long end = width == 4 ? offsets.getInt(at + 4) : offsets.getLong(at + 8);
      length = checkedLength(start, end, data.capacity(), firstRow + row);
      return length;
    }

    @Override
    void copy(ArrowBuf target, long at) {
      target.setBytes(at, data, start, length);
    }
  }

  private static final class FixedSource extends VariableSource {
    private final FixedSizeBinaryVector vector;
    private int row;

    FixedSource(CastContext context, FixedSizeBinaryVector vector) {
      super(context);
      this.vector = vector;
    }

    @Override
    int locate(int row, long firstRow) {
      this.row = row;
      return vector.getByteWidth();
    }

    @Override
    void copy(ArrowBuf target, long at) {
      int width = vector.getByteWidth();
      target.setBytes(at, vector.getDataBuffer(), (long) row * width, width);
    }
  }

  private static final class ViewSource extends VariableSource {
    private final BaseVariableWidthViewVector vector;
    private byte[] value = new byte[0];

    ViewSource(CastContext context, BaseVariableWidthViewVector vector) {
      super(context);
      this.vector = vector;
    }

    @Override
    int locate(int row, long firstRow) {
      checkedLength(0, vector.getValueLength(row), Integer.MAX_VALUE, firstRow + row);
      try {
        value = bytes(row);
      } catch (IndexOutOfBoundsException e) {
        throw new SluiceException(
            ErrorCode.CORRUPT_BATCH,
            "Column '"
                + vector.getName()
                + "' is damaged in row "
                + (firstRow + row)
                + ": its view points outside of the data",
            e);
      }
      return value.length;
    }

    private byte[] bytes(int row) {
      return vector instanceof ViewVarCharVector text
          ? text.get(row)
          : ((ViewVarBinaryVector) vector).get(row);
    }

    @Override
    void copy(ArrowBuf target, long at) {
      target.setBytes(at, value);
    }
  }
}
