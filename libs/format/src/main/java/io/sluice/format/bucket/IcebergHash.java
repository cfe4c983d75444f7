package io.sluice.format.bucket;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.format.row.Temporals;
import io.sluice.format.row.ValueRules;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.BinaryType;
import io.sluice.format.schema.DataType.BooleanType;
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
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;

/**
 * The 32-bit hash of the Iceberg specification, appendix B, for one column without nulls: integers
 * and dates as 64-bit integers, times and timestamps as microseconds (nanoseconds rounded down),
 * decimals as the shortest two's complement bytes of the unscaled value, text as UTF-8. Not
 * thread-safe.
 */
final class IcebergHash {
  private static final long MICROS = 1_000_000;

  private final Column column;
  private final DataType type;
  private final ValueRules rules;
  private final long unitsPerSecond;
  private final byte[] decimal = new byte[16];

  IcebergHash(Column column) {
    this.column = column;
    this.type = column.type();
    this.rules = new ValueRules(column);
    this.unitsPerSecond = unitsPerSecond(column.type());
  }

  /** Whether Iceberg's bucket transform takes values of this type. */
  static boolean supports(DataType type) {
    return !type.isNested()
        && !(type instanceof BooleanType)
        && !(type instanceof FloatType)
        && !(type instanceof DoubleType);
  }

  private static long unitsPerSecond(DataType type) {
    if (type instanceof TimeType time) {
      return Temporals.unitsPerSecond(time.precision());
    }
    if (type instanceof TimestampType timestamp) {
      return Temporals.unitsPerSecond(timestamp.precision());
    }
    return type instanceof TimestampLtzType timestamp
        ? Temporals.unitsPerSecond(timestamp.precision())
        : 0;
  }

  /** The hash of a value that is not NULL. */
  int hash(Row row, int at) {
    if (type instanceof IntegerType) {
      return Murmur3.hashLong(row.getLong(at));
    }
    if (type instanceof CharType || type instanceof StringType) {
      return Murmur3.hash(row.getString(at).getBytes(StandardCharsets.UTF_8));
    }
    if (type instanceof DateType) {
      return Murmur3.hashLong(row.getDate(at).toEpochDay());
    }
    if (type instanceof TimeType) {
      return Murmur3.hashLong(row.getTime(at).toNanoOfDay() / 1000);
    }
    if (type instanceof TimestampType) {
      LocalDateTime value = row.getTimestamp(at);
      return hashMicros(value.toEpochSecond(ZoneOffset.UTC), value.getNano());
    }
    if (type instanceof TimestampLtzType) {
      Instant value = row.getInstant(at);
      return hashMicros(value.getEpochSecond(), value.getNano());
    }
    if (type instanceof DecimalType) {
      BigInteger unscaled = rules.unscaled(row.getDecimal(at));
      return Murmur3.hash(unscaled.toByteArray());
    }
    return Murmur3.hash(row.getBytes(at));
  }

  private int hashMicros(long epochSecond, int nano) {
    try {
      return Murmur3.hashLong(Temporals.toUnits(epochSecond, nano, MICROS));
    } catch (ArithmeticException e) {
      throw beyondMicros(epochSecond + " s", e);
    }
  }

  /** Writes the hash of each of the first {@code rows} values, 0 for NULL. */
  void hashes(FieldVector vector, int rows, int[] target) {
    if (!vector.getField().getType().equals(ArrowSchemas.arrowType(type))) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "Bucket column '"
              + column.name()
              + "' ("
              + type
              + ") has a vector of Arrow type "
              + vector.getField().getType());
    }
    ArrowBuf data = vector.getDataBuffer();
    if (type instanceof IntegerType integer) {
      hashIntegers(data, integer.bits(), rows, target);
    } else if (type instanceof DateType) {
      hashIntegers(data, 32, rows, target);
    } else if (unitsPerSecond != 0) {
      hashTemporals(data, rows, target);
    } else if (type instanceof DecimalType) {
      hashDecimals(data, rows, target);
    } else if (type instanceof BinaryType binary) {
      data.checkBytes(0, (long) rows * binary.length());
      for (int row = 0; row < rows; row++) {
        long at = data.memoryAddress() + (long) row * binary.length();
        target[row] = Murmur3.hashMemory(at, binary.length());
      }
    } else {
      hashVariable(vector.getOffsetBuffer(), data, rows, target);
    }
    boolean anyNull = vector.getNullCount() > 0;
    for (int row = 0; anyNull && row < rows; row++) {
      target[row] = vector.isNull(row) ? 0 : target[row];
    }
  }

  private static void hashIntegers(ArrowBuf data, int bits, int rows, int[] target) {
    for (int row = 0; row < rows; row++) {
      target[row] = Murmur3.hashLong(integer(data, bits, row));
    }
  }

  private static long integer(ArrowBuf data, int bits, int row) {
    return switch (bits) {
      case 8 -> data.getByte(row);
      case 16 -> data.getShort(2L * row);
      case 32 -> data.getInt(4L * row);
      default -> data.getLong(8L * row);
    };
  }

  private void hashTemporals(ArrowBuf data, int rows, int[] target) {
    int bits = type instanceof TimeType && unitsPerSecond <= 1000 ? 32 : 64;
    for (int row = 0; row < rows; row++) {
      target[row] = Murmur3.hashLong(micros(integer(data, bits, row)));
    }
  }

  private long micros(long units) {
    if (unitsPerSecond > MICROS) {
      return Math.floorDiv(units, unitsPerSecond / MICROS);
    }
    try {
      return Math.multiplyExact(units, MICROS / unitsPerSecond);
    } catch (ArithmeticException e) {
      throw beyondMicros(units + " units of 1/" + unitsPerSecond + " s", e);
    }
  }

  private SluiceException beyondMicros(String value, ArithmeticException cause) {
    return new SluiceException(
        ErrorCode.INVALID_VALUE,
        "Bucket column '"
            + column.name()
            + "' ("
            + type
            + ") cannot be "
            + value
            + " from 1970: microseconds must fit 64 bits",
        cause);
  }

  private void hashDecimals(ArrowBuf data, int rows, int[] target) {
    for (int row = 0; row < rows; row++) {
      long low = data.getLong(16L * row);
      long high = data.getLong(16L * row + 8);
      for (int i = 0; i < 8; i++) {
        decimal[15 - i] = (byte) (low >>> (8 * i));
        decimal[7 - i] = (byte) (high >>> (8 * i));
      }
      int start = 0;
      while (start < 15 && isSignExtension(decimal[start], decimal[start + 1])) {
        start++;
      }
      target[row] = Murmur3.hash(decimal, start, 16 - start);
    }
  }

  /** Whether the first byte only repeats the sign of the second. */
  private static boolean isSignExtension(byte first, byte second) {
    return first == (byte) (second >> 7);
  }

  private static void hashVariable(ArrowBuf offsets, ArrowBuf data, int rows, int[] target) {
    for (int row = 0; row < rows; row++) {
      int start = offsets.getInt(4L * row);
      int length = offsets.getInt(4L * row + 4) - start;
      if (length == 0) {
        target[row] = Murmur3.hashMemory(0, 0);
        continue;
      }
      data.checkBytes(start, (long) start + length);
      target[row] = Murmur3.hashMemory(data.memoryAddress() + start, length);
    }
  }
}
