package io.sluice.format.projection;

import io.sluice.format.row.Temporals;
import io.sluice.format.schema.ArrowLayout;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.TimeType;
import io.sluice.format.schema.DataType.TimestampLtzType;
import io.sluice.format.schema.DataType.TimestampType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;

/** One default value as Arrow stores it. */
final class DefaultBuffers {
  private static final int DECIMAL_BYTES = 16;

  private DefaultBuffers() {}

  /**
   * The bytes of a value, little endian.
   *
   * @param value of the class that {@link io.sluice.format.schema.DefaultValues#parse} gives; no
   *     Boolean
   */
  static byte[] bytes(DataType type, Object value) {
    if (value instanceof byte[] bytes) {
      return bytes;
    }
    if (value instanceof String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    if (value instanceof BigDecimal decimal) {
      return decimal(decimal.unscaledValue());
    }
    int width = ArrowLayout.fixedWidth(type);
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(0, units(type, value));
    byte[] result = new byte[width];
    bytes.get(0, result);
    return result;
  }

  private static byte[] decimal(BigInteger unscaled) {
    byte[] result = new byte[DECIMAL_BYTES];
    for (int i = 0; i < DECIMAL_BYTES; i++) {
      result[i] = (byte) unscaled.shiftRight(8 * i).intValue();
    }
    return result;
  }

  /** The integer whose low bytes are stored. */
  private static long units(DataType type, Object value) {
    if (value instanceof Float number) {
      return Float.floatToRawIntBits(number);
    }
    if (value instanceof Double number) {
      return Double.doubleToRawLongBits(number);
    }
    if (value instanceof LocalDate date) {
      return date.toEpochDay();
    }
    if (value instanceof LocalTime time) {
      long unitsPerSecond = Temporals.unitsPerSecond(((TimeType) type).precision());
      return time.toNanoOfDay() / (1_000_000_000L / unitsPerSecond);
    }
    if (value instanceof LocalDateTime time) {
      long unitsPerSecond = Temporals.unitsPerSecond(((TimestampType) type).precision());
      return Temporals.toUnits(time.toEpochSecond(ZoneOffset.UTC), time.getNano(), unitsPerSecond);
    }
    if (value instanceof Instant time) {
      long unitsPerSecond = Temporals.unitsPerSecond(((TimestampLtzType) type).precision());
      return Temporals.toUnits(time.getEpochSecond(), time.getNano(), unitsPerSecond);
    }
    return ((Number) value).longValue();
  }
}
