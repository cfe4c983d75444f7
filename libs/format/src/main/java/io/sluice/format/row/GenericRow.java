package io.sluice.format.row;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A row of Java objects. Numbers are read by any getter that holds their value exactly, so {@code
 * GenericRow.of(7)} fits a BIGINT column. An ARRAY is a {@link List} (or an array of objects or
 * floats), a MAP a {@link Map}, a ROW a {@link Row}, with such values inside. Immutable as long as
 * nobody changes what it was given.
 */
public final class GenericRow implements Row {
  private final @Nullable Object[] values;

  private GenericRow(@Nullable Object[] values) {
    this.values = values;
  }

  /** A row of these values in column order; null is NULL. */
  public static GenericRow of(@Nullable Object... values) {
    return new GenericRow(values.clone());
  }

  /** A row that shows the array as it is, whatever it holds next. */
  static GenericRow wrapping(@Nullable Object[] values) {
    return new GenericRow(values);
  }

  @Override
  public int columnCount() {
    return values.length;
  }

  @Override
  public boolean isNull(int column) {
    return raw(column) == null;
  }

  /** The object itself, null for NULL. */
  public @Nullable Object value(int column) {
    return raw(column);
  }

  @Override
  public boolean getBoolean(int column) {
    return typed(column, Boolean.class);
  }

  @Override
  public byte getByte(int column) {
    return (byte) integer(column, Byte.MIN_VALUE, Byte.MAX_VALUE, "TINYINT");
  }

  @Override
  public short getShort(int column) {
    return (short) integer(column, Short.MIN_VALUE, Short.MAX_VALUE, "SMALLINT");
  }

  @Override
  public int getInt(int column) {
    return (int) integer(column, Integer.MIN_VALUE, Integer.MAX_VALUE, "INT");
  }

  @Override
  public long getLong(int column) {
    return integer(column, Long.MIN_VALUE, Long.MAX_VALUE, "BIGINT");
  }

  @Override
  public float getFloat(int column) {
    double value = getDouble(column);
    float narrow = (float) value;
    if (narrow != value && !Double.isNaN(value)) {
      throw tooLarge(column, value, "FLOAT");
    }
    return narrow;
  }

  @Override
  public double getDouble(int column) {
    Object value = present(column);
    if (value instanceof Double || value instanceof Float) {
      return ((Number) value).doubleValue();
    }
    if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
      return ((Number) value).doubleValue();
    }
    throw mismatch(column, value, "a float or double");
  }

  @Override
  public String getString(int column) {
    Object value = present(column);
    if (value instanceof CharSequence text) {
      return text.toString();
    }
    throw mismatch(column, value, "a String");
  }

  @Override
  public BigDecimal getDecimal(int column) {
    Object value = present(column);
    if (value instanceof BigDecimal decimal) {
      return decimal;
    }
    if (isInteger(value)) {
      return BigDecimal.valueOf(((Number) value).longValue());
    }
    throw mismatch(column, value, "a BigDecimal");
  }

  @Override
  public byte[] getBytes(int column) {
    return typed(column, byte[].class).clone();
  }

  @Override
  public LocalDate getDate(int column) {
    return typed(column, LocalDate.class);
  }

  @Override
  public LocalTime getTime(int column) {
    return typed(column, LocalTime.class);
  }

  @Override
  public LocalDateTime getTimestamp(int column) {
    return typed(column, LocalDateTime.class);
  }

  @Override
  public Instant getInstant(int column) {
    return typed(column, Instant.class);
  }

  @Override
  @SuppressWarnings("unchecked")
  public List<@Nullable Object> getArray(int column) {
    Object value = present(column);
    if (value instanceof List<?> list) {
      return (List<@Nullable Object>) list;
    }
    if (value instanceof Object[] array) {
      return Arrays.asList(array);
    }
    if (value instanceof float[] floats) {
      List<@Nullable Object> list = new ArrayList<>(floats.length);
      for (float each : floats) {
        list.add(each);
      }
      return list;
    }
    throw mismatch(column, value, "a List");
  }

  @Override
  @SuppressWarnings("unchecked")
  public Map<Object, @Nullable Object> getMap(int column) {
    return (Map<Object, @Nullable Object>) typed(column, Map.class);
  }

  @Override
  public Row getRow(int column) {
    return typed(column, Row.class);
  }

  private @Nullable Object raw(int column) {
    if (column < 0 || column >= values.length) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Row has " + values.length + " values; there is none at position " + column);
    }
    return values[column];
  }

  private Object present(int column) {
    Object value = raw(column);
    if (value == null) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE, "The value at position " + column + " is NULL");
    }
    return value;
  }

  private <T> T typed(int column, Class<T> type) {
    Object value = present(column);
    if (!type.isInstance(value)) {
      throw mismatch(column, value, "a " + type.getSimpleName());
    }
    return type.cast(value);
  }

  private long integer(int column, long min, long max, String type) {
    Object value = present(column);
    if (!isInteger(value)) {
      throw mismatch(column, value, "an integer of Java type byte, short, int or long");
    }
    long number = ((Number) value).longValue();
    if (number < min || number > max) {
      throw tooLarge(column, number, type);
    }
    return number;
  }

  private static boolean isInteger(Object value) {
    return value instanceof Long
        || value instanceof Integer
        || value instanceof Short
        || value instanceof Byte;
  }

  private static SluiceException tooLarge(int column, Object value, String type) {
    return new SluiceException(
        ErrorCode.INVALID_VALUE,
        "The value " + value + " at position " + column + " does not fit " + type);
  }

  private static SluiceException mismatch(int column, Object value, String wanted) {
    return new SluiceException(
        ErrorCode.INVALID_VALUE,
        "The value at position "
            + column
            + " is a "
            + value.getClass().getSimpleName()
            + "; it must be "
            + wanted);
  }

  /** By value, inside of nested values too; maps are equal with their entries in one order. */
  @Override
  public boolean equals(Object other) {
    return other instanceof GenericRow that && RowObjects.sameAll(values, that.values);
  }

  @Override
  public int hashCode() {
    return RowObjects.hashAll(values);
  }

  @Override
  public String toString() {
    return Arrays.deepToString(values);
  }
}
