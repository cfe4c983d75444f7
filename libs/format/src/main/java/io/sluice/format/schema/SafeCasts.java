package io.sluice.format.schema;

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
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;

/** Chooses the cast for a pair of types, or refuses the pair. */
final class SafeCasts {
  private static final long DAY_MS = 86_400_000;
  private static final long DAY_SECONDS = 86_400;

  private SafeCasts() {}

  static SafeCast of(CastContext context) {
    DataType to = context.column().type();
    ArrowType from = context.source().getType();
    if (to instanceof IntegerType integer) {
      return integer(context, from, integer);
    }
    if (to instanceof StringType || to instanceof CharType) {
      return text(context, from);
    }
    if (to instanceof BytesType) {
      boolean binary = isBinary(from) || from instanceof ArrowType.FixedSizeBinary;
      return variable(context, binary, "cast it to binary before the upload");
    }
    if (to instanceof FloatType || to instanceof DoubleType) {
      if (from instanceof ArrowType.FloatingPoint) {
        return new FloatCast(context);
      }
      throw context.impossible("cast it to float64 or float32 before the upload");
    }
    if (to instanceof DecimalType decimal) {
      if (from instanceof ArrowType.Decimal) {
        return new DecimalCast(context, decimal);
      }
      throw context.impossible(
          "cast it to decimal128("
              + decimal.precision()
              + ", "
              + decimal.scale()
              + ") before the upload");
    }
    if (to instanceof BooleanType) {
      if (from instanceof ArrowType.Bool) {
        return new BooleanCast(context);
      }
      throw context.impossible("cast it to bool before the upload");
    }
    if (to instanceof BinaryType binary) {
      if (isBinary(from) || from.equals(new ArrowType.FixedSizeBinary(binary.length()))) {
        return new FixedBinaryCast(context, binary.length());
      }
      throw context.impossible(
          "cast it to fixed_size_binary(" + binary.length() + ") before the upload");
    }
    return to.isNested() ? NestedCast.of(context) : temporal(context, from, to);
  }

  private static SafeCast integer(CastContext context, ArrowType from, IntegerType to) {
    if (!(from instanceof ArrowType.Int integer)) {
      throw context.impossible("cast it to int" + to.bits() + " before the upload");
    }
    long min = Long.MIN_VALUE >> (64 - to.bits());
    long max = Long.MAX_VALUE >> (64 - to.bits());
    return IntegerCast.of(context, integer.getBitWidth() / 8, integer.getIsSigned(), to.bits() / 8)
        .withRange(min, max, "the range is " + min + " to " + max + "; use a wider column");
  }

  private static SafeCast text(CastContext context, ArrowType from) {
    boolean text =
        from instanceof ArrowType.Utf8
            || from instanceof ArrowType.LargeUtf8
            || from instanceof ArrowType.Utf8View;
    return variable(context, text, "cast it to utf8 before the upload");
  }

  private static SafeCast variable(CastContext context, boolean possible, String wayOut) {
    if (!possible) {
      throw context.impossible(wayOut);
    }
    return new VariableCast(context);
  }

  private static boolean isBinary(ArrowType from) {
    return from instanceof ArrowType.Binary
        || from instanceof ArrowType.LargeBinary
        || from instanceof ArrowType.BinaryView;
  }

  private static SafeCast temporal(CastContext context, ArrowType from, DataType to) {
    if (to instanceof DateType) {
      return date(context, from);
    }
    if (to instanceof TimeType time) {
      return time(context, from, time);
    }
    if (to instanceof TimestampType timestamp) {
      return timestamp(context, from, timestamp.precision(), false);
    }
    return timestamp(context, from, ((TimestampLtzType) to).precision(), true);
  }

  private static SafeCast date(CastContext context, ArrowType from) {
    if (!(from instanceof ArrowType.Date date)) {
      throw context.impossible("cast it to date32 before the upload");
    }
    if (date.getUnit() == DateUnit.DAY) {
      return IntegerCast.of(context, 4, true, 4);
    }
    return IntegerCast.of(context, 8, true, 4)
        .withUnits(DAY_MS, 1, "it is not at midnight; use a TIMESTAMP column")
        .withRange(Integer.MIN_VALUE, Integer.MAX_VALUE, "days since 1970 must fit 32 bits");
  }

  private static SafeCast time(CastContext context, ArrowType from, TimeType to) {
    if (!(from instanceof ArrowType.Time time)) {
      throw context.impossible(
          "cast it to a time of unit " + ArrowSchemas.unit(to.precision()) + " before the upload");
    }
    long perSecond = perSecond(ArrowSchemas.unit(to.precision()));
    IntegerCast cast =
        IntegerCast.of(context, time.getBitWidth() / 8, true, perSecond <= 1000 ? 4 : 8)
            .withRange(0, DAY_SECONDS * perSecond - 1, "a time of day lies in 00:00 to 24:00");
    return withPrecision(cast, perSecond(time.getUnit()), to.precision());
  }

  private static SafeCast timestamp(
      CastContext context, ArrowType from, int precision, boolean zoned) {
    if (!(from instanceof ArrowType.Timestamp timestamp)) {
      throw context.impossible(
          "cast it to timestamp with unit " + ArrowSchemas.unit(precision) + " before the upload");
    }
    if (zoned != (timestamp.getTimezone() != null)) {
      throw context.impossible(
          zoned
              ? "give it a zone (for example UTC) before the upload, or use a TIMESTAMP column"
              : "drop its zone before the upload, or use a TIMESTAMP_LTZ column");
    }
    IntegerCast cast =
        IntegerCast.of(context, 8, true, 8)
            .withRange(
                Long.MIN_VALUE,
                Long.MAX_VALUE,
                precision > 6
                    ? "nanoseconds reach from 1677-09-21 to 2262-04-11; a precision of 6 or less"
                        + " reaches further"
                    : "it is too far from 1970 for this precision");
    return withPrecision(cast, perSecond(timestamp.getUnit()), precision);
  }

  private static SafeCast withPrecision(IntegerCast cast, long fromPerSecond, int precision) {
    long toPerSecond = perSecond(ArrowSchemas.unit(precision));
    int unitDigits = ArrowTypes.precision(ArrowSchemas.unit(precision));
    long step = 1;
    for (int i = precision; i < unitDigits; i++) {
      step *= 10;
    }
    String wayOut =
        "it has more than "
            + precision
            + " digits of a second; truncate it before the upload or use a higher precision";
    return cast.withUnits(
            Math.max(1, fromPerSecond / toPerSecond),
            Math.max(1, toPerSecond / fromPerSecond),
            wayOut)
        .withStep(step);
  }

  /** Units in a second. */
  static long perSecond(TimeUnit unit) {
    return switch (unit) {
      case SECOND -> 1;
      case MILLISECOND -> 1_000;
      case MICROSECOND -> 1_000_000;
      case NANOSECOND -> 1_000_000_000;
    };
  }
}
