package io.sluice.tablet.kv.merge;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import org.jspecify.annotations.Nullable;

/**
 * The values that functions have calculated, each in its column. Only columns that were set may be
 * read, with the getter of their type; none is NULL. Numbers lie in an array without objects.
 */
final class OwnValues implements Row {
  private final long[] numbers;
  private final @Nullable Object[] objects;

  OwnValues(int columns) {
    this.numbers = new long[columns];
    this.objects = new @Nullable Object[columns];
  }

  /** Sets an integer, or the bits of a float or double. */
  OwnValues setLong(int column, long value) {
    numbers[column] = value;
    return this;
  }

  /** Sets a text, a DECIMAL or bytes, which nobody may change any more. */
  OwnValues setObject(int column, Object value) {
    objects[column] = value;
    return this;
  }

  @Override
  public int columnCount() {
    return numbers.length;
  }

  @Override
  public boolean isNull(int column) {
    return false;
  }

  @Override
  public byte getByte(int column) {
    return (byte) numbers[column];
  }

  @Override
  public short getShort(int column) {
    return (short) numbers[column];
  }

  @Override
  public int getInt(int column) {
    return (int) numbers[column];
  }

  @Override
  public long getLong(int column) {
    return numbers[column];
  }

  @Override
  public float getFloat(int column) {
    return Float.intBitsToFloat((int) numbers[column]);
  }

  @Override
  public double getDouble(int column) {
    return Double.longBitsToDouble(numbers[column]);
  }

  @Override
  public String getString(int column) {
    return object(column, String.class);
  }

  @Override
  public BigDecimal getDecimal(int column) {
    return object(column, BigDecimal.class);
  }

  /** The bytes themselves: bitmaps may be large, and rows are read to be encoded. */
  @Override
  public byte[] getBytes(int column) {
    return object(column, byte[].class);
  }

  @Override
  public boolean getBoolean(int column) {
    throw notCalculated(column);
  }

  @Override
  public LocalDate getDate(int column) {
    throw notCalculated(column);
  }

  @Override
  public LocalTime getTime(int column) {
    throw notCalculated(column);
  }

  @Override
  public LocalDateTime getTimestamp(int column) {
    throw notCalculated(column);
  }

  @Override
  public Instant getInstant(int column) {
    throw notCalculated(column);
  }

  private <T> T object(int column, Class<T> type) {
    Object value = objects[column];
    if (!type.isInstance(value)) {
      throw notCalculated(column);
    }
    return type.cast(value);
  }

  private static SluiceException notCalculated(int column) {
    return new SluiceException(
        ErrorCode.INVALID_ARGUMENT, "No such value was calculated for position " + column);
  }
}
