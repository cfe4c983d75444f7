package io.sluice.format.schema;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType.BinaryType;
import io.sluice.format.schema.DataType.BooleanType;
import io.sluice.format.schema.DataType.BytesType;
import io.sluice.format.schema.DataType.CharType;
import io.sluice.format.schema.DataType.DateType;
import io.sluice.format.schema.DataType.DecimalType;
import io.sluice.format.schema.DataType.DoubleType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.TimeType;
import io.sluice.format.schema.DataType.TimestampLtzType;
import io.sluice.format.schema.DataType.TimestampType;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The texts of scalar values, as defaults of columns have them. One value has one canonical text;
 * the table of texts is in {@code docs/formats/types.md}. Nested types have none: their only
 * default is NULL.
 */
public final class DefaultValues {
  /** The longest text of a default; every row stored before the column was added repeats it. */
  public static final int MAX_TEXT = 255;

  private static final long NANOS = 1_000_000_000L;

  private DefaultValues() {}

  /**
   * The column with canonical default texts; INVALID_SCHEMA naming the column when a default is no
   * value of its type.
   */
  public static Column check(Column column) {
    String initial = canonical(column, column.initialDefault());
    String write = canonical(column, column.writeDefault());
    return new Column(
        column.id(),
        column.name(),
        column.type(),
        column.nullable(),
        column.comment(),
        initial,
        write);
  }

  private static @Nullable String canonical(Column column, @Nullable String text) {
    if (text == null) {
      return null;
    }
    if (text.length() > MAX_TEXT) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "The default of column '"
              + column.name()
              + "' has "
              + text.length()
              + " characters; it may have at most "
              + MAX_TEXT);
    }
    try {
      return canonical(column.type(), text);
    } catch (SluiceException e) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "The default of column '" + column.name() + "' is wrong: " + e.getMessage(),
          e);
    }
  }

  /** The canonical text of the value that this text stands for. Errors as {@link #parse}. */
  public static String canonical(DataType type, String text) {
    return text(type, parse(type, text));
  }

  /**
   * The value of a text, as the object that a row of Java objects holds for the type: Boolean,
   * Byte, Short, Integer, Long, Float, Double, String, BigDecimal in the type's scale, byte[],
   * LocalDate, LocalTime, LocalDateTime, Instant.
   *
   * @throws SluiceException INVALID_VALUE naming type, text and what is expected; nothing is
   *     rounded, cut or padded
   */
  public static Object parse(DataType type, String text) {
    try {
      return value(type, text);
    } catch (NumberFormatException e) {
      throw refused(type, text, "it is no number of this type", e);
    } catch (DateTimeException | ArithmeticException e) {
      throw refused(type, text, expected(type), e);
    }
  }

  private static Object value(DataType type, String text) {
    if (type instanceof BooleanType) {
      return bool(type, text);
    }
    if (type instanceof IntegerType integer) {
      return integer(integer, text);
    }
    if (type instanceof FloatType || type instanceof DoubleType) {
      return floating(type, text);
    }
    if (type instanceof DecimalType decimal) {
      return decimal(decimal, text);
    }
    if (type instanceof BinaryType || type instanceof BytesType) {
      return bytes(type, text);
    }
    if (type instanceof DateType) {
      return date(type, text);
    }
    if (type instanceof TimeType time) {
      return time(type, text, time.precision());
    }
    if (type instanceof TimestampType timestamp) {
      return timestamp(type, text, text, timestamp.precision());
    }
    if (type instanceof TimestampLtzType timestamp) {
      if (!text.endsWith("Z")) {
        throw refused(type, text, expected(type), null);
      }
      String local = text.substring(0, text.length() - 1);
      return timestamp(type, text, local, timestamp.precision()).toInstant(ZoneOffset.UTC);
    }
    if (type.isNested()) {
      throw refused(type, text, "nested types have no default but NULL", null);
    }
    return text(type, text);
  }

  private static Boolean bool(DataType type, String text) {
    return switch (text) {
      case "true", "TRUE" -> true;
      case "false", "FALSE" -> false;
      default -> throw refused(type, text, "true or false is expected", null);
    };
  }

  private static Object integer(IntegerType type, String text) {
    return switch (type.bits()) {
      case 8 -> (Object) Byte.valueOf(text);
      case 16 -> (Object) Short.valueOf(text);
      case 32 -> (Object) Integer.valueOf(text);
      default -> (Object) Long.valueOf(text);
    };
  }

  private static Object floating(DataType type, String text) {
    boolean word = text.equals("NaN") || text.equals("Infinity") || text.equals("-Infinity");
    for (int i = 0; !word && i < text.length(); i++) {
      // Java's suffixes, blanks and hexadecimal forms are not part of the text form.
      if ("0123456789+-.eE".indexOf(text.charAt(i)) < 0) {
        throw new NumberFormatException(text);
      }
    }
    boolean single = type instanceof FloatType;
    double value = single ? Float.parseFloat(text) : Double.parseDouble(text);
    if (Double.isInfinite(value) && !word) {
      throw refused(type, text, "it is outside the range of the type", null);
    }
    return single ? (Object) (float) value : (Object) value;
  }

  private static BigDecimal decimal(DecimalType type, String text) {
    BigDecimal value = new BigDecimal(text);
    boolean zero = value.signum() == 0;
    long whole = (long) value.precision() - value.scale();
    if (!zero && whole > type.precision() - type.scale()) {
      throw refused(type, text, "it has too many digits before the point", null);
    }
    // More zeros at its end than digits it has none; to look for them takes time and memory.
    if (!zero && (long) value.scale() - type.scale() >= value.precision()) {
      throw refused(type, text, "it has too many digits after the point", null);
    }
    try {
      return zero ? BigDecimal.ZERO.setScale(type.scale()) : value.setScale(type.scale());
    } catch (ArithmeticException e) {
      throw refused(type, text, "it has too many digits after the point", e);
    }
  }

  private static byte[] bytes(DataType type, String text) {
    byte[] value;
    try {
      value = HexFormat.of().parseHex(text);
    } catch (IllegalArgumentException e) {
      throw refused(type, text, "two hexadecimal digits a byte are expected", e);
    }
    if (type instanceof BinaryType binary && value.length != binary.length()) {
      throw refused(type, text, "it has " + value.length + " bytes", null);
    }
    return value;
  }

  private static LocalDate date(DataType type, String text) {
    LocalDate value = LocalDate.parse(text);
    if (value.toEpochDay() != (int) value.toEpochDay()) {
      throw refused(type, text, "days since 1970-01-01 must fit 32 bits", null);
    }
    return value;
  }

  private static LocalTime time(DataType type, String text, int precision) {
    LocalTime value = LocalTime.parse(text);
    checkStep(type, text, value.getNano(), precision);
    return value;
  }

  private static LocalDateTime timestamp(DataType type, String text, String local, int precision) {
    int space = local.indexOf(' ');
    String iso = space < 0 ? local : local.substring(0, space) + "T" + local.substring(space + 1);
    LocalDateTime value = LocalDateTime.parse(iso);
    checkStep(type, text, value.getNano(), precision);
    long unitsPerSecond = SafeCasts.perSecond(ArrowSchemas.unit(precision));
    long seconds = value.toEpochSecond(ZoneOffset.UTC);
    if (Math.abs(seconds) >= Long.MAX_VALUE / unitsPerSecond) {
      String range =
          unitsPerSecond == NANOS
              ? "nanoseconds reach from 1677-09-21 to 2262-04-11"
              : "its distance from 1970-01-01 must fit 64 bits";
      throw refused(type, text, range, null);
    }
    return value;
  }

  private static void checkStep(DataType type, String text, int nano, int precision) {
    int step = 1;
    for (int i = precision; i < 9; i++) {
      step *= 10;
    }
    if (nano % step != 0) {
      throw refused(type, text, "it has more than " + precision + " digits of a second", null);
    }
  }

  private static String text(DataType type, String text) {
    if (type instanceof CharType limit && text.codePointCount(0, text.length()) > limit.length()) {
      throw refused(type, text, "it has too many characters", null);
    }
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      if (Character.getType(text.codePointAt(i)) == Character.SURROGATE) {
        throw refused(type, text, "it has half of a surrogate pair", null);
      }
    }
    return text;
  }

  /**
   * The canonical text of a value.
   *
   * @param value of the class that {@link #parse} gives for the type
   */
  public static String text(DataType type, Object value) {
    if (value instanceof BigDecimal decimal) {
      return decimal.toPlainString();
    }
    if (value instanceof byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
    if (value instanceof LocalTime time) {
      return time(time);
    }
    if (value instanceof LocalDateTime timestamp) {
      return timestamp(timestamp);
    }
    if (value instanceof Instant instant) {
      return timestamp(LocalDateTime.ofInstant(instant, ZoneOffset.UTC)) + "Z";
    }
    if (type.isNested()) {
      throw refused(type, String.valueOf(value), "nested values have no text", null);
    }
    return value.toString();
  }

  private static String timestamp(LocalDateTime value) {
    return value.toLocalDate() + " " + time(value.toLocalTime());
  }

  private static String time(LocalTime time) {
    StringBuilder text = new StringBuilder();
    twoDigits(text, time.getHour()).append(':');
    twoDigits(text, time.getMinute()).append(':');
    twoDigits(text, time.getSecond());
    int nano = time.getNano();
    if (nano != 0) {
      String digits = Long.toString(NANOS + nano).substring(1);
      int end = digits.length();
      while (digits.charAt(end - 1) == '0') {
        end--;
      }
      text.append('.').append(digits, 0, end);
    }
    return text.toString();
  }

  private static StringBuilder twoDigits(StringBuilder text, int number) {
    return text.append((char) ('0' + number / 10)).append((char) ('0' + number % 10));
  }

  private static String expected(DataType type) {
    if (type instanceof DateType) {
      return "a date such as 2024-01-31 is expected";
    }
    if (type instanceof TimeType) {
      return "a time such as 12:00:00.123 is expected";
    }
    return type instanceof TimestampLtzType
        ? "an instant such as '2024-01-31 12:00:00.123Z' is expected"
        : "a timestamp such as '2024-01-31 12:00:00.123' is expected";
  }

  private static SluiceException refused(
      DataType type, String text, String why, @Nullable Throwable cause) {
    String shown = text.length() <= 64 ? text : text.substring(0, 61) + "...";
    return new SluiceException(
        ErrorCode.INVALID_VALUE, "'" + shown + "' is no " + type + ": " + why, cause);
  }
}
