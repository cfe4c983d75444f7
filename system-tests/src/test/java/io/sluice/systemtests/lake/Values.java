package io.sluice.systemtests.lake;

import io.sluice.format.row.Row;
import io.sluice.format.schema.DataType;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HexFormat;

/**
 * Values as texts that are equal when the values are: how rows of the log and of the lake, which
 * have other Java classes for the same types, are compared. Floating-point numbers are compared by
 * their bits, so NaN and -0.0 count.
 */
final class Values {
  private static final String NULL = "NULL";

  private Values() {}

  /** A value as Iceberg's readers give it. */
  static String ofLake(Object value) {
    if (value == null) {
      return NULL;
    }
    if (value instanceof Float number) {
      return "f" + Integer.toHexString(Float.floatToIntBits(number));
    }
    if (value instanceof Double number) {
      return "d" + Long.toHexString(Double.doubleToLongBits(number));
    }
    if (value instanceof byte[] bytes) {
      return hex(bytes);
    }
    if (value instanceof ByteBuffer buffer) {
      byte[] bytes = new byte[buffer.remaining()];
      buffer.duplicate().get(bytes);
      return hex(bytes);
    }
    if (value instanceof OffsetDateTime time) {
      return time.toInstant().atOffset(ZoneOffset.UTC).toString();
    }
    return value instanceof BigDecimal number ? number.toPlainString() : value.toString();
  }

  /** A column of a row of the log. */
  static String ofLog(Row row, int column, DataType type) {
    return row.isNull(column) ? NULL : ofLake(value(row, column, type));
  }

  private static Object value(Row row, int i, DataType type) {
    if (type instanceof DataType.IntegerType integer) {
      return switch (integer.bits()) {
        case 8 -> (long) row.getByte(i);
        case 16 -> (long) row.getShort(i);
        case 32 -> (long) row.getInt(i);
        default -> row.getLong(i);
      };
    }
    String name = type.toString().replaceAll("\\(.*", "");
    return switch (name) {
      case "BOOLEAN" -> row.getBoolean(i);
      case "FLOAT" -> row.getFloat(i);
      case "DOUBLE" -> row.getDouble(i);
      case "CHAR", "STRING" -> row.getString(i);
      case "DECIMAL" -> row.getDecimal(i);
      case "DATE" -> row.getDate(i);
      case "TIME" -> row.getTime(i);
      case "TIMESTAMP" -> row.getTimestamp(i);
      case "TIMESTAMP_LTZ" -> row.getInstant(i).atOffset(ZoneOffset.UTC);
      default -> row.getBytes(i);
    };
  }

  private static String hex(byte[] bytes) {
    return "x" + HexFormat.of().formatHex(bytes);
  }
}
