package io.sluice.format.schema;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.FieldVector;

/**
 * Casts whatever is stored as integers: numbers, dates, times, timestamps. A value is divided or
 * multiplied to change its unit, then checked for its range and for the smallest step allowed.
 */
final class IntegerCast extends SafeCast {
  private final int fromWidth;
  private final boolean signed;
  private final int toWidth;
  private long min = Long.MIN_VALUE;
  private long max = Long.MAX_VALUE;
  private long divisor = 1;
  private long factor = 1;
  private long step = 1;
  private String rangeWayOut = "it is out of range";
  private String exactWayOut = "it is not exact";

  private IntegerCast(CastContext context, int fromWidth, boolean signed, int toWidth) {
    super(context);
    this.fromWidth = fromWidth;
    this.signed = signed;
    this.toWidth = toWidth;
  }

  /** A cast between integers of these widths in bytes, which copies the values as they are. */
  static IntegerCast of(CastContext context, int fromWidth, boolean signed, int toWidth) {
    return new IntegerCast(context, fromWidth, signed, toWidth);
  }

  /** Refuses results below {@code min} and above {@code max} with that explanation. */
  IntegerCast withRange(long min, long max, String wayOut) {
    this.min = min;
    this.max = max;
    this.rangeWayOut = wayOut;
    return this;
  }

  /** Divides, refusing a remainder with that explanation, and multiplies. */
  IntegerCast withUnits(long divisor, long factor, String wayOut) {
    this.divisor = divisor;
    this.factor = factor;
    this.exactWayOut = wayOut;
    return this;
  }

  /** Refuses results that are no multiple of {@code step}. */
  IntegerCast withStep(long step) {
    this.step = step;
    return this;
  }

  @Override
  void copyValues(FieldVector source, FieldVector target, int rows, long firstRow) {
    ((BaseFixedWidthVector) target).allocateNew(rows);
    copyValidity(source, target, rows);
    ArrowBuf from = source.getDataBuffer();
    ArrowBuf to = target.getDataBuffer();
    boolean anyNull = source.getNullCount() > 0;
    for (int row = 0; row < rows; row++) {
      boolean isNull = anyNull && source.isNull(row);
      write(to, row, isNull ? 0 : converted(read(from, row), firstRow + row));
    }
    target.setValueCount(rows);
  }

  private long converted(long value, long row) {
    if (!signed && fromWidth == 8 && value < 0) {
      throw context.refused(row, Long.toUnsignedString(value), rangeWayOut);
    }
    if (divisor != 1 && value % divisor != 0) {
      throw context.refused(row, value, exactWayOut);
    }
    long result = value / divisor;
    if (factor != 1) {
      if (result > Long.MAX_VALUE / factor || result < Long.MIN_VALUE / factor) {
        throw context.refused(row, value, rangeWayOut);
      }
      result *= factor;
    }
    if (result < min || result > max) {
      throw context.refused(row, value, rangeWayOut);
    }
    if (step != 1 && result % step != 0) {
      throw context.refused(row, value, exactWayOut);
    }
    return result;
  }

  private long read(ArrowBuf data, int row) {
    return switch (fromWidth) {
      case 1 -> signed ? data.getByte(row) : data.getByte(row) & 0xFF;
      case 2 -> signed ? data.getShort(2L * row) : data.getShort(2L * row) & 0xFFFF;
      case 4 -> signed ? data.getInt(4L * row) : data.getInt(4L * row) & 0xFFFFFFFFL;
      default -> data.getLong(8L * row);
    };
  }

  private void write(ArrowBuf data, int row, long value) {
    switch (toWidth) {
      case 1 -> data.setByte(row, (byte) value);
      case 2 -> data.setShort(2L * row, (short) value);
      case 4 -> data.setInt(4L * row, (int) value);
      default -> data.setLong(8L * row, value);
    }
  }
}
