package io.sluice.format.filter;

import io.sluice.format.filter.Literal.BytesLiteral;
import io.sluice.format.filter.Literal.DateLiteral;
import io.sluice.format.filter.Literal.InstantLiteral;
import io.sluice.format.filter.Literal.NumberLiteral;
import io.sluice.format.filter.Literal.TextLiteral;
import io.sluice.format.filter.Literal.TimeLiteral;
import io.sluice.format.filter.Literal.TimestampLiteral;
import io.sluice.format.filter.Literal.TruthLiteral;
import io.sluice.format.row.Temporals;
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
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Places literals among the values of a column type. Null stands for a literal that the type cannot
 * be compared with.
 */
final class LiteralCast {
  private static final BigInteger NANOS = BigInteger.valueOf(1_000_000_000L);
  private static final BigInteger DAY_NANOS = BigInteger.valueOf(86_400).multiply(NANOS);

  private LiteralCast() {}

  /** Whether values of the type are compared as bytes; others are compared as whole numbers. */
  static boolean isBytes(DataType type) {
    return type instanceof CharType
        || type instanceof StringType
        || type instanceof BinaryType
        || type instanceof BytesType;
  }

  /** What a type takes, for messages. */
  static String taken(DataType type) {
    if (type instanceof BooleanType) {
      return "TRUE or FALSE";
    }
    if (type instanceof CharType || type instanceof StringType) {
      return "text in single quotes";
    }
    if (type instanceof BinaryType || type instanceof BytesType) {
      return "bytes such as X'00ff'";
    }
    if (type instanceof DateType) {
      return "DATE '2024-01-31' or '2024-01-31'";
    }
    if (type instanceof TimeType) {
      return "TIME '23:59:59' or '23:59:59'";
    }
    if (type instanceof TimestampType) {
      return "TIMESTAMP '2024-01-31 23:59:59', without a zone";
    }
    if (type instanceof TimestampLtzType) {
      return "TIMESTAMP '2024-01-31 23:59:59Z'";
    }
    return "a number";
  }

  /** For types that {@link #isBytes}. */
  static @Nullable Point<ByteText> bytes(DataType type, Literal literal) {
    boolean text = type instanceof CharType || type instanceof StringType;
    ByteText value = null;
    if (text && literal instanceof TextLiteral given) {
      value = new ByteText(given.value().getBytes(StandardCharsets.UTF_8));
    } else if (!text && literal instanceof BytesLiteral given) {
      value = new ByteText(HexFormat.of().parseHex(given.hex()));
    }
    return value == null ? null : new Point<>(value, value.next(), true);
  }

  /**
   * For all other scalar types: booleans as 0 and 1, decimals unscaled, FLOAT and DOUBLE in {@link
   * FloatingOrder}, temporals in the units that are stored.
   */
  static @Nullable Point<BigInteger> number(DataType type, Literal literal) {
    if (type instanceof BooleanType) {
      return literal instanceof TruthLiteral truth
          ? exact(truth.value() ? BigInteger.ONE : BigInteger.ZERO)
          : null;
    }
    if (type instanceof IntegerType) {
      return literal instanceof NumberLiteral number ? scaled(number.value(), 0) : null;
    }
    if (type instanceof DecimalType decimal) {
      return literal instanceof NumberLiteral number
          ? scaled(number.value(), decimal.scale())
          : null;
    }
    if (type instanceof FloatType || type instanceof DoubleType) {
      return floating(literal, type instanceof FloatType);
    }
    return temporal(type, literal);
  }

  private static Point<BigInteger> exact(BigInteger value) {
    return new Point<>(value, value.add(BigInteger.ONE), true);
  }

  private static Point<BigInteger> scaled(BigDecimal value, int scale) {
    BigDecimal shifted = value.movePointRight(scale);
    BigInteger floor = shifted.setScale(0, RoundingMode.FLOOR).unscaledValue();
    return new Point<>(
        floor, floor.add(BigInteger.ONE), shifted.compareTo(new BigDecimal(floor)) == 0);
  }

  private static @Nullable Point<BigInteger> floating(Literal literal, boolean single) {
    if (literal instanceof NumberLiteral number) {
      return FloatingOrder.point(number.value(), single);
    }
    if (!(literal instanceof TextLiteral text)) {
      return null;
    }
    return switch (text.value()) {
      case "NaN" -> FloatingOrder.exact(Double.NaN);
      case "Infinity" -> FloatingOrder.exact(Double.POSITIVE_INFINITY);
      case "-Infinity" -> FloatingOrder.exact(Double.NEGATIVE_INFINITY);
      default -> null;
    };
  }

  private static @Nullable Point<BigInteger> temporal(DataType type, Literal given) {
    Literal literal = given instanceof TextLiteral text ? fromText(type, text) : given;
    if (type instanceof TimeType time) {
      return literal instanceof TimeLiteral value
          ? units(BigInteger.valueOf(value.value().toNanoOfDay()), time.precision())
          : null;
    }
    BigInteger nanos = nanos(literal, type instanceof TimestampLtzType);
    if (nanos == null) {
      return null;
    }
    if (type instanceof DateType) {
      return divided(nanos, DAY_NANOS);
    }
    if (type instanceof TimestampType timestamp) {
      return units(nanos, timestamp.precision());
    }
    return type instanceof TimestampLtzType timestamp ? units(nanos, timestamp.precision()) : null;
  }

  private static @Nullable Literal fromText(DataType type, TextLiteral text) {
    if (type instanceof TimeType) {
      return TemporalTexts.time(text.value(), text.position());
    }
    return TemporalTexts.timestamp(text.value(), text.position());
  }

  /** Nanoseconds since the epoch; instants only for columns that hold instants. */
  private static @Nullable BigInteger nanos(@Nullable Literal literal, boolean instants) {
    if (literal instanceof DateLiteral date) {
      return nanos(date.value().atStartOfDay());
    }
    if (literal instanceof TimestampLiteral timestamp) {
      return nanos(timestamp.value());
    }
    if (instants && literal instanceof InstantLiteral instant) {
      return nanos(instant.value().getEpochSecond(), instant.value().getNano());
    }
    return null;
  }

  private static BigInteger nanos(LocalDateTime value) {
    return nanos(value.toEpochSecond(ZoneOffset.UTC), value.getNano());
  }

  private static BigInteger nanos(long seconds, int nano) {
    return BigInteger.valueOf(seconds).multiply(NANOS).add(BigInteger.valueOf(nano));
  }

  private static Point<BigInteger> units(BigInteger nanos, int precision) {
    return divided(nanos, NANOS.divide(BigInteger.valueOf(Temporals.unitsPerSecond(precision))));
  }

  private static Point<BigInteger> divided(BigInteger value, BigInteger unit) {
    BigInteger[] parts = value.divideAndRemainder(unit);
    boolean exact = parts[1].signum() == 0;
    BigInteger floor = !exact && value.signum() < 0 ? parts[0].subtract(BigInteger.ONE) : parts[0];
    return new Point<>(floor, floor.add(BigInteger.ONE), exact);
  }

  /** The literal of a canonical text, as defaults and partition values have it; null when wrong. */
  static @Nullable Literal canonical(DataType type, String text) {
    if (type instanceof BooleanType) {
      return text.equals("true") || text.equals("false")
          ? new TruthLiteral(text.equals("true"), 0)
          : null;
    }
    if (type instanceof BinaryType || type instanceof BytesType) {
      return TemporalTexts.isHex(text) ? new BytesLiteral(text, 0) : null;
    }
    boolean numeric =
        type instanceof IntegerType
            || type instanceof DecimalType
            || type instanceof FloatType
            || type instanceof DoubleType;
    if (numeric && !text.endsWith("NaN") && !text.endsWith("Infinity")) {
      try {
        return new NumberLiteral(new BigDecimal(text), 0);
      } catch (NumberFormatException e) {
        return null;
      }
    }
    return new TextLiteral(text, 0);
  }
}
