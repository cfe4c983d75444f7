package io.sluice.tiering.write;

import io.sluice.format.schema.ArrowSchemas;
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
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * Which copier brings a Sluice type into an Iceberg type. The pairs are those of the type table in
 * {@code docs/tiering-worker.md}; no pair loses anything.
 */
final class ColumnCopiers {
  private static final long MICROS_OF_A_DAY = 86_400_000_000L;

  private ColumnCopiers() {}

  /**
   * A copier for one column of one file.
   *
   * @return null when the lake's type does not hold every value of the table's
   */
  static @Nullable ColumnCopier create(Types.NestedField field, DataType type) {
    boolean nullable = field.isOptional();
    Type lake = field.type();
    if (type instanceof IntegerType integer) {
      return integer(integer, lake, nullable);
    }
    if (type instanceof BooleanType) {
      return lake.typeId() == Type.TypeID.BOOLEAN ? new FixedCopiers.Bools(nullable) : null;
    }
    if (type instanceof FloatType) {
      return lake.typeId() == Type.TypeID.FLOAT
          ? new FloatingCopiers.Floats(nullable, field.fieldId())
          : null;
    }
    if (type instanceof DoubleType) {
      return lake.typeId() == Type.TypeID.DOUBLE
          ? new FloatingCopiers.Doubles(nullable, field.fieldId())
          : null;
    }
    if (type instanceof CharType || type instanceof StringType) {
      return lake.typeId() == Type.TypeID.STRING ? new BytesCopiers.Variable(nullable) : null;
    }
    if (type instanceof BytesType) {
      return lake.typeId() == Type.TypeID.BINARY ? new BytesCopiers.Variable(nullable) : null;
    }
    if (type instanceof BinaryType binary) {
      boolean same = lake instanceof Types.FixedType fixed && fixed.length() == binary.length();
      return same ? new BytesCopiers.Fixed(nullable, binary.length()) : null;
    }
    if (type instanceof DecimalType decimal) {
      boolean same =
          lake instanceof Types.DecimalType found
              && found.precision() == decimal.precision()
              && found.scale() == decimal.scale();
      return same ? DecimalCopiers.create(nullable, decimal) : null;
    }
    return temporal(type, lake, nullable);
  }

  private static @Nullable ColumnCopier integer(IntegerType type, Type lake, boolean nullable) {
    Type.TypeID wanted = type.bits() == 64 ? Type.TypeID.LONG : Type.TypeID.INTEGER;
    if (lake.typeId() != wanted) {
      return null;
    }
    return switch (type.bits()) {
      case 8 -> new FixedCopiers.Bytes(nullable);
      case 16 -> new FixedCopiers.Shorts(nullable);
      case 32 -> new FixedCopiers.Ints(nullable);
      default -> new FixedCopiers.Longs(nullable);
    };
  }

  private static @Nullable ColumnCopier temporal(DataType type, Type lake, boolean nullable) {
    if (type instanceof DateType) {
      return lake.typeId() == Type.TypeID.DATE ? new FixedCopiers.Ints(nullable) : null;
    }
    if (type instanceof TimeType time) {
      if (lake.typeId() != Type.TypeID.TIME || time.precision() > 6) {
        return null;
      }
      long factor = microsIn(ArrowSchemas.unit(time.precision()));
      return time.precision() <= 3
          ? new TemporalCopiers.SmallTimes(nullable, factor, MICROS_OF_A_DAY)
          : new TemporalCopiers.Times(nullable, MICROS_OF_A_DAY);
    }
    if (type instanceof TimestampType timestamp) {
      return timestamp(timestamp.precision(), lake, false, nullable);
    }
    if (type instanceof TimestampLtzType timestamp) {
      return timestamp(timestamp.precision(), lake, true, nullable);
    }
    return null;
  }

  private static @Nullable ColumnCopier timestamp(
      int precision, Type lake, boolean instant, boolean nullable) {
    if (precision > 6) {
      boolean same =
          lake instanceof Types.TimestampNanoType found && found.shouldAdjustToUTC() == instant;
      return same ? new FixedCopiers.Longs(nullable) : null;
    }
    boolean same =
        lake instanceof Types.TimestampType found && found.shouldAdjustToUTC() == instant;
    if (!same) {
      return null;
    }
    long factor = microsIn(ArrowSchemas.unit(precision));
    return factor == 1
        ? new FixedCopiers.Longs(nullable)
        : new TemporalCopiers.Timestamps(nullable, factor);
  }

  private static long microsIn(TimeUnit unit) {
    return switch (unit) {
      case SECOND -> 1_000_000;
      case MILLISECOND -> 1_000;
      case MICROSECOND -> 1;
      case NANOSECOND -> throw new IllegalArgumentException("A nanosecond is less than a µs");
    };
  }
}
