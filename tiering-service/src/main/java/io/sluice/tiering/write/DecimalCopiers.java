package io.sluice.tiering.write;

import io.sluice.format.schema.DataType.DecimalType;
import java.math.BigInteger;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;
import org.apache.iceberg.types.TypeUtil;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.io.api.Binary;

/**
 * Copiers of decimals, 16 bytes little endian in Arrow. Iceberg asks for INT32 up to 9 digits,
 * INT64 up to 18, above that the fewest big-endian bytes that hold the precision.
 */
final class DecimalCopiers {
  private static final int ARROW_BYTES = 16;
  private static final int INT_DIGITS = 9;
  private static final int LONG_DIGITS = 18;

  private DecimalCopiers() {}

  static ColumnCopier create(boolean nullable, DecimalType type) {
    if (type.precision() <= LONG_DIGITS) {
      long end = BigInteger.TEN.pow(type.precision()).longValueExact();
      return new Small(nullable, end, type.precision() <= INT_DIGITS);
    }
    return new Large(nullable, type.precision());
  }

  private static ValueOutOfRangeException tooLarge(FieldVector vector, int row) {
    return new ValueOutOfRangeException(
        row, vector.getObject(row), "it has more digits than the column's type");
  }

  /** Up to 18 digits. */
  private static final class Small extends ColumnCopier {
    private final long end;
    private final boolean narrow;

    Small(boolean nullable, long end, boolean narrow) {
      super(nullable);
      this.end = end;
      this.narrow = narrow;
    }

    @Override
    void values(FieldVector vector, int from, int to, ColumnWriter out) {
      ArrowBuf data = vector.getDataBuffer();
      for (int row = from; row < to; row++) {
        long at = (long) row * ARROW_BYTES;
        long low = data.getLong(at);
        if (data.getLong(at + 8) != low >> 63 || low >= end || low <= -end) {
          throw tooLarge(vector, row);
        }
        if (narrow) {
          out.write((int) low, 0, present);
        } else {
          out.write(low, 0, present);
        }
      }
    }
  }

  /** 19 to 38 digits. */
  private static final class Large extends ColumnCopier {
    private final int width;
    private final BigInteger end;
    private final long endHigh;
    private final byte[] bytes = new byte[ARROW_BYTES];

    Large(boolean nullable, int precision) {
      super(nullable);
      this.width = TypeUtil.decimalRequiredBytes(precision);
      this.end = BigInteger.TEN.pow(precision);
      this.endHigh = end.shiftRight(64).longValueExact();
    }

    @Override
    void values(FieldVector vector, int from, int to, ColumnWriter out) {
      ArrowBuf data = vector.getDataBuffer();
      for (int row = from; row < to; row++) {
        long at = (long) row * ARROW_BYTES;
        long low = Long.reverseBytes(data.getLong(at));
        long high = data.getLong(at + 8);
        putLong(Long.reverseBytes(high), 0);
        putLong(low, 8);
        // The upper half decides unless it is the upper half of the end itself.
        if (high >= endHigh || high < -endHigh) {
          checkExactly(vector, row);
        }
        out.write(Binary.fromReusedByteArray(bytes, ARROW_BYTES - width, width), 0, present);
      }
    }

    /** Puts a long whose first byte is its lowest. */
    private void putLong(long littleEndian, int at) {
      for (int i = 0; i < Long.BYTES; i++) {
        bytes[at + i] = (byte) (littleEndian >>> (8 * i));
      }
    }

    private void checkExactly(FieldVector vector, int row) {
      if (new BigInteger(bytes).abs().compareTo(end) >= 0) {
        throw tooLarge(vector, row);
      }
    }
  }
}
