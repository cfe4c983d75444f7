package io.sluice.format.projection;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Temporals;
import io.sluice.format.schema.ArrowLayout;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.TimeType;
import java.nio.ByteBuffer;
import java.util.function.IntPredicate;

/**
 * How the stored values of a fixed width become those of a wider type.
 *
 * @param from bytes of a stored value
 * @param to bytes of a wanted value, not fewer
 * @param factor what an integer is multiplied with: another unit of time
 * @param floating FLOAT to DOUBLE
 */
record BufferWidening(int from, int to, long factor, boolean floating) {
  private static final int FLOAT_BYTES = 4;

  /** For types of which the first widens to the second. */
  static BufferWidening of(DataType stored, DataType wanted) {
    return new BufferWidening(
        ArrowLayout.fixedWidth(stored),
        ArrowLayout.fixedWidth(wanted),
        Temporals.unitsPerSecond(wanted) / Temporals.unitsPerSecond(stored),
        stored instanceof FloatType && !stored.equals(wanted));
  }

  /** Whether the stored bytes are those of the wanted type already. */
  boolean isNone(DataType stored) {
    boolean integer = stored instanceof IntegerType;
    return !floating && factor == 1 && (from == to || !(integer || stored instanceof TimeType));
  }

  /**
   * Widens values in place. They stand at the end of their region, so the first one is written at
   * its start and none is overwritten before it was read.
   *
   * @param body little endian
   * @param at start of the region of {@code rows * to} bytes
   * @param isNull whether a value is NULL, asked only for values that do not fit
   * @param name of the column, for the failure
   */
  void widen(ByteBuffer body, int at, int rows, IntPredicate isNull, String name) {
    int source = at + (to - from) * rows;
    for (int i = 0; i < rows; i++) {
      if (floating) {
        body.putDouble(at + to * i, body.getFloat(source + FLOAT_BYTES * i));
        continue;
      }
      long value = stored(body, source + from * i);
      long wide = value * factor;
      if (to == Long.BYTES && factor != 1 && wide / factor != value) {
        if (!isNull.test(i)) {
          throw tooLarge(name, value);
        }
        wide = 0;
      }
      switch (to) {
        case 1 -> body.put(at + i, (byte) wide);
        case 2 -> body.putShort(at + 2 * i, (short) wide);
        case 4 -> body.putInt(at + 4 * i, (int) wide);
        default -> body.putLong(at + 8 * i, wide);
      }
    }
  }

  private long stored(ByteBuffer body, int at) {
    return switch (from) {
      case 1 -> body.get(at);
      case 2 -> body.getShort(at);
      case 4 -> body.getInt(at);
      default -> body.getLong(at);
    };
  }

  private SluiceException tooLarge(String name, long value) {
    return new SluiceException(
        ErrorCode.INVALID_VALUE,
        "Column '"
            + name
            + "' has the stored value "
            + value
            + ", which times "
            + factor
            + " does not fit 64 bits; read it under the schema it was stored with");
  }
}
