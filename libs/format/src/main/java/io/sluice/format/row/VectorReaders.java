package io.sluice.format.row;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;

/** One reader class for each Arrow type that a column can have. */
final class VectorReaders {
  private VectorReaders() {}

  static VectorReader of(FieldVector vector) {
    ArrowType type = vector.getField().getType();
    if (vector instanceof BitVector bits) {
      return new BooleanReader(bits);
    }
    if (vector instanceof BaseFixedWidthVector fixed
        && type instanceof ArrowType.Int integer
        && integer.getIsSigned()) {
      return new IntegerReader(fixed, integer.getBitWidth());
    }
    if (vector instanceof Float4Vector floats) {
      return new FloatReader(floats);
    }
    if (vector instanceof Float8Vector doubles) {
      return new DoubleReader(doubles);
    }
    if (vector instanceof VarCharVector text) {
      return new TextReader(text);
    }
    if (vector instanceof VarBinaryVector binary) {
      return new BytesReader(binary);
    }
    if (vector instanceof FixedSizeBinaryVector binary) {
      return new BinaryReader(binary);
    }
    if (vector instanceof DecimalVector decimal) {
      return new DecimalReader(decimal);
    }
    if (vector instanceof DateDayVector date) {
      return new DateReader(date);
    }
    if (vector instanceof BaseFixedWidthVector fixed && type instanceof ArrowType.Time time) {
      return new TimeReader(fixed, time);
    }
    if (vector instanceof BaseFixedWidthVector fixed
        && type instanceof ArrowType.Timestamp timestamp) {
      return timestamp.getTimezone() == null
          ? new TimestampReader(fixed, timestamp.getUnit())
          : new InstantReader(fixed, timestamp.getUnit());
    }
    return NestedReaders.of(vector);
  }

  private static long unitsPerSecond(TimeUnit unit) {
    return switch (unit) {
      case SECOND -> 1;
      case MILLISECOND -> 1_000;
      case MICROSECOND -> 1_000_000;
      case NANOSECOND -> 1_000_000_000;
    };
  }

  private static final class BooleanReader extends VectorReader {
    private final BitVector vector;

    BooleanReader(BitVector vector) {
      super(vector);
      this.vector = vector;
    }

    @Override
    boolean booleanValue(int row) {
      return vector.get(row) != 0;
    }

    @Override
    Object value(int row) {
      return booleanValue(row);
    }
  }

  private static final class IntegerReader extends VectorReader {
    private final BaseFixedWidthVector vector;
    private final int bits;

    IntegerReader(BaseFixedWidthVector vector, int bits) {
      super(vector);
      this.vector = vector;
      this.bits = bits;
    }

    @Override
    long longValue(int row) {
      return switch (bits) {
        case 8 -> ((TinyIntVector) vector).get(row);
        case 16 -> ((SmallIntVector) vector).get(row);
        case 32 -> ((IntVector) vector).get(row);
        default -> ((BigIntVector) vector).get(row);
      };
    }

    @Override
    Object value(int row) {
      long value = longValue(row);
      return switch (bits) {
        case 8 -> (Object) (byte) value;
        case 16 -> (Object) (short) value;
        case 32 -> (Object) (int) value;
        default -> (Object) value;
      };
    }
  }

  private static final class FloatReader extends VectorReader {
    private final Float4Vector vector;

    FloatReader(Float4Vector vector) {
      super(vector);
      this.vector = vector;
    }

    @Override
    float floatValue(int row) {
      return vector.get(row);
    }

    @Override
    double doubleValue(int row) {
      return vector.get(row);
    }

    @Override
    Object value(int row) {
      return floatValue(row);
    }
  }

  private static final class DoubleReader extends VectorReader {
    private final Float8Vector vector;

    DoubleReader(Float8Vector vector) {
      super(vector);
      this.vector = vector;
    }

    @Override
    double doubleValue(int row) {
      return vector.get(row);
    }

    @Override
    Object value(int row) {
      return doubleValue(row);
    }
  }

  private static final class TextReader extends VectorReader {
    private final VarCharVector vector;

    TextReader(VarCharVector vector) {
      super(vector);
      this.vector = vector;
    }

    @Override
    String string(int row) {
      return new String(vector.get(row), StandardCharsets.UTF_8);
    }

    @Override
    Object value(int row) {
      return string(row);
    }
  }

  private static final class BytesReader extends VectorReader {
    private final VarBinaryVector vector;

    BytesReader(VarBinaryVector vector) {
      super(vector);
      this.vector = vector;
    }

    @Override
    byte[] bytes(int row) {
      return vector.get(row);
    }

    @Override
    Object value(int row) {
      return bytes(row);
    }
  }

  private static final class BinaryReader extends VectorReader {
    private final FixedSizeBinaryVector vector;

    BinaryReader(FixedSizeBinaryVector vector) {
      super(vector);
      this.vector = vector;
    }

    @Override
    byte[] bytes(int row) {
      return vector.get(row);
    }

    @Override
    Object value(int row) {
      return bytes(row);
    }
  }

  private static final class DecimalReader extends VectorReader {
    private final DecimalVector vector;

    DecimalReader(DecimalVector vector) {
      super(vector);
      this.vector = vector;
    }

    @Override
    BigDecimal decimal(int row) {
      return vector.getObjectNotNull(row);
    }

    @Override
    Object value(int row) {
      return decimal(row);
    }
  }

  private static final class DateReader extends VectorReader {
    private final DateDayVector vector;

    DateReader(DateDayVector vector) {
      super(vector);
      this.vector = vector;
    }

    @Override
    LocalDate date(int row) {
      return Temporals.date(vector.get(row));
    }

    @Override
    Object value(int row) {
      return date(row);
    }
  }

  private static final class TimeReader extends VectorReader {
    private final BaseFixedWidthVector vector;
    private final boolean wide;
    private final long unitsPerSecond;

    TimeReader(BaseFixedWidthVector vector, ArrowType.Time type) {
      super(vector);
      this.vector = vector;
      this.wide = type.getBitWidth() == 64;
      this.unitsPerSecond = unitsPerSecond(type.getUnit());
    }

    @Override
    LocalTime time(int row) {
      long units =
          wide ? vector.getDataBuffer().getLong(8L * row) : vector.getDataBuffer().getInt(4L * row);
      return Temporals.time(units, unitsPerSecond);
    }

    @Override
    Object value(int row) {
      return time(row);
    }
  }

  private static final class TimestampReader extends VectorReader {
    private final BaseFixedWidthVector vector;
    private final long unitsPerSecond;

    TimestampReader(BaseFixedWidthVector vector, TimeUnit unit) {
      super(vector);
      this.vector = vector;
      this.unitsPerSecond = unitsPerSecond(unit);
    }

    @Override
    LocalDateTime timestamp(int row) {
      return Temporals.timestamp(vector.getDataBuffer().getLong(8L * row), unitsPerSecond);
    }

    @Override
    Object value(int row) {
      return timestamp(row);
    }
  }

  private static final class InstantReader extends VectorReader {
    private final BaseFixedWidthVector vector;
    private final long unitsPerSecond;

    InstantReader(BaseFixedWidthVector vector, TimeUnit unit) {
      super(vector);
      this.vector = vector;
      this.unitsPerSecond = unitsPerSecond(unit);
    }

    @Override
    Instant instant(int row) {
      return Temporals.instant(vector.getDataBuffer().getLong(8L * row), unitsPerSecond);
    }

    @Override
    Object value(int row) {
      return instant(row);
    }
  }
}
