package io.sluice.format.partition;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.BinaryType;
import io.sluice.format.schema.DataType.BooleanType;
import io.sluice.format.schema.DataType.BytesType;
import io.sluice.format.schema.DataType.CharType;
import io.sluice.format.schema.DataType.DateType;
import io.sluice.format.schema.DataType.DoubleType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.StringType;
import io.sluice.format.schema.DataType.TimeType;
import io.sluice.format.schema.DataType.TimestampLtzType;
import io.sluice.format.schema.DataType.TimestampType;
import io.sluice.format.schema.DefaultValues;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The canonical text of the values of one partition column: one text for each value, so that texts
 * are equal exactly when values are.
 */
final class PartitionText {
  /** The longest text of a value. */
  static final int MAX_LENGTH = 200;

  private final Column column;
  private final @Nullable String format;

  PartitionText(Column column) {
    this(column, null);
  }

  /**
   * @param format the format of texts with a time, which every refusal names; null where any value
   *     of the column will do
   */
  PartitionText(Column column, @Nullable String format) {
    this.column = column;
    this.format = format;
    DataType type = column.type();
    boolean supported =
        type instanceof StringType
            || type instanceof CharType
            || type instanceof BooleanType
            || type instanceof IntegerType
            || type instanceof FloatType
            || type instanceof DoubleType
            || type instanceof DateType
            || type instanceof TimeType
            || type instanceof TimestampType
            || type instanceof TimestampLtzType
            || type instanceof BinaryType
            || type instanceof BytesType;
    if (!supported) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "Partition column '"
              + column.name()
              + "' is "
              + type
              + "; a partition column is of any type but DECIMAL, ARRAY, MAP and ROW");
    }
  }

  /**
   * Text of a row's value there; INVALID_VALUE for NULL and for text with half of a surrogate pair,
   * INVALID_PARTITION for its length.
   */
  String of(Row row, int position) {
    String text = checkLength(text(value(row, position)));
    // On its way as UTF-8 such a half becomes '?', which is the text of another partition.
    if (text.codePoints().anyMatch(PartitionText::isSurrogate)) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE,
          "Partition column '" + column.name() + "' has a value with half of a surrogate pair");
    }
    return text;
  }

  private static boolean isSurrogate(int codePoint) {
    return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
  }

  /** A row's value there, as {@link #parse} gives it; INVALID_VALUE for NULL. */
  Object value(Row row, int position) {
    if (row.isNull(position)) {
      throw nullRefused();
    }
    DataType type = column.type();
    if (type instanceof StringType || type instanceof CharType) {
      return row.getString(position);
    }
    if (type instanceof BooleanType) {
      return row.getBoolean(position);
    }
    if (type instanceof IntegerType integer) {
      return switch (integer.bits()) {
        case 8 -> (long) row.getByte(position);
        case 16 -> (long) row.getShort(position);
        case 32 -> (long) row.getInt(position);
        default -> row.getLong(position);
      };
    }
    if (type instanceof FloatType) {
      return row.getFloat(position);
    }
    if (type instanceof DoubleType) {
      return row.getDouble(position);
    }
    return temporalOrBytes(row, position, type);
  }

  SluiceException nullRefused() {
    return new SluiceException(
        ErrorCode.INVALID_VALUE,
        "Partition column '" + column.name() + "' is NULL; every row needs a partition value");
  }

  /** Whether a row has that value there; what {@link #value} gave before. */
  boolean same(Row row, int position, Object value) {
    if (row.isNull(position)) {
      return false;
    }
    if (value instanceof String text) {
      return text.equals(row.getString(position));
    }
    if (value instanceof Long number) {
      return number == row.getLong(position);
    }
    if (value instanceof Boolean truth) {
      return truth == row.getBoolean(position);
    }
    if (value instanceof Float number) {
      return number == row.getFloat(position);
    }
    if (value instanceof Double number) {
      return number == row.getDouble(position);
    }
    if (value instanceof byte[] bytes) {
      return Arrays.equals(bytes, row.getBytes(position));
    }
    return value.equals(temporalOrBytes(row, position, column.type()));
  }

  private static Object temporalOrBytes(Row row, int position, DataType type) {
    if (type instanceof DateType) {
      return row.getDate(position);
    }
    if (type instanceof TimeType) {
      return row.getTime(position);
    }
    if (type instanceof TimestampType) {
      return row.getTimestamp(position);
    }
    if (type instanceof TimestampLtzType) {
      return row.getInstant(position);
    }
    return row.getBytes(position);
  }

  private String text(Object value) {
    // Adding zero turns -0.0 into 0.0: they are equal, so they are one partition.
    if (value instanceof Float number) {
      return Float.toString(number + 0.0f);
    }
    if (value instanceof Double number) {
      return Double.toString(number + 0.0);
    }
    return DefaultValues.text(column.type(), value);
  }

  /** The canonical form of a text that somebody gave; INVALID_PARTITION when it is none. */
  String canonical(String given) {
    return text(parse(given));
  }

  /** The value that a text stands for; INVALID_PARTITION when it is none. */
  Object parse(String given) {
    checkLength(given);
    try {
      return DefaultValues.parse(column.type(), given);
    } catch (SluiceException e) {
      throw new SluiceException(
          ErrorCode.INVALID_PARTITION,
          "Partition value '"
              + given
              + "' is no value of column '"
              + column.name()
              + "' ("
              + column.type()
              + "); expected "
              + expected(),
          e);
    }
  }

  /** Returns the text when it has 1 to {@link #MAX_LENGTH} characters. */
  private String checkLength(String text) {
    if (text.isEmpty()) {
      throw new SluiceException(
          ErrorCode.INVALID_PARTITION,
          "Partition column '" + column.name() + "' has an empty value; expected " + expected());
    }
    if (text.length() > MAX_LENGTH) {
      throw new SluiceException(
          ErrorCode.INVALID_PARTITION,
          "Partition column '"
              + column.name()
              + "' has a value of "
              + text.length()
              + " characters ('"
              + text.substring(0, 40)
              + "...'); the limit is "
              + MAX_LENGTH
              + (format == null ? "" : ", expected " + format));
    }
    return text;
  }

  private String expected() {
    return format == null ? expectedOfType() : format;
  }

  private String expectedOfType() {
    DataType type = column.type();
    if (type instanceof BooleanType) {
      return "true or false";
    }
    if (type instanceof IntegerType integer) {
      long max = Long.MAX_VALUE >> (64 - integer.bits());
      return "a whole number from " + (-max - 1) + " to " + max;
    }
    if (type instanceof FloatType || type instanceof DoubleType) {
      return "a number like 1.5";
    }
    if (type instanceof DateType) {
      return "yyyy-MM-dd";
    }
    if (type instanceof TimeType time) {
      return "HH:mm:ss" + digits(time.precision());
    }
    if (type instanceof TimestampType timestamp) {
      return "yyyy-MM-dd HH:mm:ss" + digits(timestamp.precision());
    }
    if (type instanceof TimestampLtzType timestamp) {
      return "yyyy-MM-dd HH:mm:ss" + digits(timestamp.precision()) + " followed by Z, in UTC";
    }
    if (type instanceof BinaryType binary) {
      return binary.length() + " bytes in hexadecimal digits";
    }
    if (type instanceof BytesType) {
      return "bytes in hexadecimal digits";
    }
    int limit = type instanceof CharType text ? Math.min(text.length(), MAX_LENGTH) : MAX_LENGTH;
    return "1 to " + limit + " characters";
  }

  private static String digits(int precision) {
    return precision == 0 ? "" : " with at most " + precision + " digits of a second";
  }
}
