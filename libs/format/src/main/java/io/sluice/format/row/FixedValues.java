package io.sluice.format.row;

import static io.sluice.format.row.RowCodec.INTS;
import static io.sluice.format.row.RowCodec.LONGS;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType.DecimalType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;

/** Scalar values of a fixed width as a row value has them, little endian. */
final class FixedValues {
  private static final int SHORT_DECIMAL_DIGITS = 18;

  private FixedValues() {}

  /** Bytes of a value; 4, for a length or an end, when its own bytes lie elsewhere. */
  static int width(ScalarColumn column) {
    return switch (column.family()) {
      case TEXT, BYTES, NESTED -> 4;
      case DECIMAL -> isShortDecimal(column.rules().column()) ? 8 : 16;
      default -> column.width();
    };
  }

  /** Whether the unscaled value of the DECIMAL column fits 64 bits. */
  static boolean isShortDecimal(Column column) {
    return ((DecimalType) column.type()).precision() <= SHORT_DECIMAL_DIGITS;
  }

  /** Writes a value that is not NULL. INVALID_VALUE when the column cannot hold it. */
  static void encode(ScalarColumn column, Row row, int index, byte[] out, int at) {
    switch (column.family()) {
      case BOOLEAN -> out[at] = (byte) (row.getBoolean(index) ? 1 : 0);
      case FLOAT -> INTS.set(out, at, Float.floatToRawIntBits(row.getFloat(index)));
      case DOUBLE -> LONGS.set(out, at, Double.doubleToRawLongBits(row.getDouble(index)));
      case DECIMAL -> {
        BigInteger unscaled = column.rules().unscaled(row.getDecimal(index));
        LONGS.set(out, at, unscaled.longValue());
        if (!isShortDecimal(column.rules().column())) {
          LONGS.set(out, at + 8, unscaled.shiftRight(64).longValue());
        }
      }
      case BINARY -> {
        byte[] value = row.getBytes(index);
        column.rules().fixedBytes(value);
        System.arraycopy(value, 0, out, at, value.length);
      }
      default -> putLittleEndian(column.units(row, index), column.width(), out, at);
    }
  }

  private static void putLittleEndian(long value, int width, byte[] out, int at) {
    for (int i = 0; i < width; i++) {
      out[at + i] = (byte) (value >>> (8 * i));
    }
  }

  /** Reads a value as an object. The bytes lie inside of {@code bytes}. */
  static Object decode(ScalarColumn column, byte[] bytes, int at) {
    return switch (column.family()) {
      case BOOLEAN -> bytes[at] != 0;
      case FLOAT -> Float.intBitsToFloat((int) INTS.get(bytes, at));
      case DOUBLE -> Double.longBitsToDouble((long) LONGS.get(bytes, at));
      case DECIMAL -> decimal(column, bytes, at);
      case BINARY -> Arrays.copyOfRange(bytes, at, at + column.width());
      case TEXT, BYTES, NESTED ->
          throw new SluiceException(
              ErrorCode.INTERNAL, "Column '" + column.name() + "' has no fixed width");
      default -> column.value(signed(bytes, at, column.width()));
    };
  }

  static BigDecimal decimal(ScalarColumn column, byte[] bytes, int at) {
    int scale = column.rules().scale();
    long low = (long) LONGS.get(bytes, at);
    if (isShortDecimal(column.rules().column())) {
      return BigDecimal.valueOf(low, scale);
    }
    byte[] bigEndian = new byte[16];
    for (int i = 0; i < 16; i++) {
      bigEndian[i] = bytes[at + 15 - i];
    }
    return new BigDecimal(new BigInteger(bigEndian), scale);
  }

  static long signed(byte[] bytes, int at, int width) {
    return switch (width) {
      case 1 -> bytes[at];
      case 2 -> (short) RowCodec.SHORTS.get(bytes, at);
      case 4 -> (int) INTS.get(bytes, at);
      default -> (long) LONGS.get(bytes, at);
    };
  }
}
