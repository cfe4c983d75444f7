package io.sluice.lake.sql;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.BinaryType;
import io.sluice.format.schema.DataType.BooleanType;
import io.sluice.format.schema.DataType.BytesType;
import io.sluice.format.schema.DataType.CharType;
import io.sluice.format.schema.DataType.DateType;
import io.sluice.format.schema.DataType.DecimalType;
import io.sluice.format.schema.DataType.DoubleType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.StringType;
import io.sluice.format.schema.DataType.TimeType;
import io.sluice.format.schema.DataType.TimestampLtzType;
import io.sluice.format.schema.DataType.TimestampType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoField;
import java.time.temporal.Temporal;
import org.jspecify.annotations.Nullable;

/**
 * Turns values of a result into values of a column. Whole numbers, decimals and floating points
 * become each other when nothing is lost (to FLOAT and DOUBLE always); text becomes a date or time
 * when it is written as one; fractions of a second beyond the column's are dropped, as SQL does in
 * an assignment. Everything else is INVALID_VALUE.
 */
final class SinkValues {
  private SinkValues() {}

  /** The value for a column of that type. */
  static @Nullable Object of(@Nullable Object value, DataType type, String column) {
    if (value == null) {
      return null;
    }
    Object converted;
    try {
      converted = convert(value, type, column);
    } catch (ArithmeticException e) {
      throw mismatch(value, type, column, e);
    } catch (DateTimeException e) {
      throw mismatch(value, type, column, e);
    }
    if (converted == null) {
      throw mismatch(value, type, column, null);
    }
    return converted;
  }

  /** The failure of a value that its column cannot take. */
  static SluiceException mismatch(
      Object value, DataType type, String column, @Nullable Throwable cause) {
    String text = String.valueOf(JsonValues.of(value));
    return new SluiceException(
        ErrorCode.INVALID_VALUE,
        "Column '"
            + column
            + "' of type "
            + type
            + " cannot take "
            + (text.length() > 60 ? text.substring(0, 60) + "..." : text)
            + "; CAST it to "
            + type
            + " if that is meant",
        cause);
  }

  private static @Nullable Object convert(Object value, DataType type, String column) {
    if (type instanceof BooleanType) {
      return value instanceof Boolean ? value : null;
    }
    if (type instanceof IntegerType integer) {
      return value instanceof Number number ? integer(exact(number), integer.bits()) : null;
    }
    if (type instanceof DecimalType decimal) {
      return value instanceof Number number
          ? exact(number).setScale(decimal.scale(), java.math.RoundingMode.UNNECESSARY)
          : null;
    }
    if (type instanceof FloatType) {
      return value instanceof Number number ? (Object) single(number) : null;
    }
    if (type instanceof DoubleType) {
      return value instanceof Number number ? (Object) number.doubleValue() : null;
    }
    if (type instanceof CharType || type instanceof StringType) {
      return value instanceof String ? value : null;
    }
    if (type instanceof BinaryType || type instanceof BytesType) {
      return value instanceof byte[] ? value : null;
    }
    if (type.isNested()) {
      return NestedSinkValues.of(value, type, column);
    }
    return temporal(value, type);
  }

  private static BigDecimal exact(Number number) {
    if (number instanceof BigDecimal decimal) {
      return decimal;
    }
    if (number instanceof BigInteger integer) {
      return new BigDecimal(integer);
    }
    if (number instanceof Double || number instanceof Float) {
      double value = number.doubleValue();
      if (!Double.isFinite(value)) {
        throw new ArithmeticException("not finite");
      }
      return new BigDecimal(number.toString());
    }
    return BigDecimal.valueOf(number.longValue());
  }

  private static float single(Number number) {
    float value = number.floatValue();
    if (Float.isInfinite(value) && Double.isFinite(number.doubleValue())) {
      throw new ArithmeticException("beyond FLOAT");
    }
    return value;
  }

  private static Object integer(BigDecimal number, int bits) {
    return switch (bits) {
      case 8 -> number.byteValueExact();
      case 16 -> number.shortValueExact();
      case 32 -> number.intValueExact();
      default -> number.longValueExact();
    };
  }

  private static @Nullable Object temporal(Object value, DataType type) {
    if (type instanceof DateType) {
      if (value instanceof String text) {
        return LocalDate.parse(text.strip());
      }
      return value instanceof LocalDate ? value : null;
    }
    if (type instanceof TimeType time) {
      Object parsed = value instanceof String text ? LocalTime.parse(text.strip()) : value;
      return parsed instanceof LocalTime found ? cut(found, time.precision()) : null;
    }
    if (type instanceof TimestampType timestamp) {
      LocalDateTime found = dateTime(value);
      return found == null ? null : cut(found, timestamp.precision());
    }
    if (type instanceof TimestampLtzType timestamp) {
      Instant found = instant(value);
      return found == null ? null : cut(found, timestamp.precision());
    }
    return null;
  }

  private static @Nullable LocalDateTime dateTime(Object value) {
    if (value instanceof String text) {
      return LocalDateTime.parse(iso(text));
    }
    if (value instanceof LocalDate date) {
      return date.atStartOfDay();
    }
    return value instanceof LocalDateTime found ? found : null;
  }

  /** A wall clock stands for an instant in the zone of the session, which is UTC. */
  private static @Nullable Instant instant(Object value) {
    if (value instanceof String text) {
      String iso = iso(text);
      return iso.matches(".*(Z|[+-]\\d\\d(:?\\d\\d)?)")
          ? OffsetDateTime.parse(iso).toInstant()
          : LocalDateTime.parse(iso).toInstant(ZoneOffset.UTC);
    }
    if (value instanceof LocalDateTime wallClock) {
      return wallClock.toInstant(ZoneOffset.UTC);
    }
    return value instanceof Instant found ? found : null;
  }

  private static String iso(String text) {
    String stripped = text.strip();
    if (stripped.length() == 10) {
      return stripped + "T00:00:00";
    }
    return stripped.length() > 10 && stripped.charAt(10) == ' '
        ? stripped.substring(0, 10) + "T" + stripped.substring(11)
        : stripped;
  }

  private static Temporal cut(Temporal value, int precision) {
    long unit = 1;
    for (int i = precision; i < 9; i++) {
      unit *= 10;
    }
    long nanos = value.getLong(ChronoField.NANO_OF_SECOND);
    return value.with(ChronoField.NANO_OF_SECOND, nanos - nanos % unit);
  }
}
