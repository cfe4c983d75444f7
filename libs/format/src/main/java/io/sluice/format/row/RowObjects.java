package io.sluice.format.row;

import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.BinaryType;
import io.sluice.format.schema.DataType.BooleanType;
import io.sluice.format.schema.DataType.BytesType;
import io.sluice.format.schema.DataType.CharType;
import io.sluice.format.schema.DataType.DateType;
import io.sluice.format.schema.DataType.DecimalType;
import io.sluice.format.schema.DataType.DoubleType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import io.sluice.format.schema.DataType.StringType;
import io.sluice.format.schema.DataType.TimeType;
import io.sluice.format.schema.DataType.TimestampType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Values of rows as the objects that {@link GenericRow} holds for their types. */
public final class RowObjects {
  private RowObjects() {}

  /** The value of a column of that type, null for NULL. */
  public static @Nullable Object value(Row row, int column, DataType type) {
    if (row.isNull(column)) {
      return null;
    }
    if (type instanceof IntegerType integer) {
      return switch (integer.bits()) {
        case 8 -> (Object) row.getByte(column);
        case 16 -> (Object) row.getShort(column);
        case 32 -> (Object) row.getInt(column);
        default -> (Object) row.getLong(column);
      };
    }
    if (type instanceof CharType || type instanceof StringType) {
      return row.getString(column);
    }
    if (type instanceof BinaryType || type instanceof BytesType) {
      return row.getBytes(column);
    }
    if (type instanceof ArrayType) {
      return row.getArray(column);
    }
    if (type instanceof MapType) {
      return row.getMap(column);
    }
    return type instanceof RowType ? row.getRow(column) : plain(row, column, type);
  }

  private static Object plain(Row row, int column, DataType type) {
    if (type instanceof BooleanType) {
      return row.getBoolean(column);
    }
    if (type instanceof FloatType) {
      return row.getFloat(column);
    }
    if (type instanceof DoubleType) {
      return row.getDouble(column);
    }
    if (type instanceof DecimalType) {
      return row.getDecimal(column);
    }
    if (type instanceof DateType) {
      return row.getDate(column);
    }
    if (type instanceof TimeType) {
      return row.getTime(column);
    }
    return type instanceof TimestampType ? row.getTimestamp(column) : row.getInstant(column);
  }

  /** Whether two values are the same, byte arrays and nested values by what they hold. */
  public static boolean same(@Nullable Object one, @Nullable Object other) {
    if (one instanceof byte[] bytes && other instanceof byte[] otherBytes) {
      return Arrays.equals(bytes, otherBytes);
    }
    if (one instanceof List<?> list && other instanceof List<?> otherList) {
      return sameAll(list.toArray(), otherList.toArray());
    }
    if (one instanceof Map<?, ?> map && other instanceof Map<?, ?> otherMap) {
      return sameAll(map.keySet().toArray(), otherMap.keySet().toArray())
          && sameAll(map.values().toArray(), otherMap.values().toArray());
    }
    return Objects.equals(one, other);
  }

  static boolean sameAll(@Nullable Object[] some, @Nullable Object[] others) {
    if (some.length != others.length) {
      return false;
    }
    for (int i = 0; i < some.length; i++) {
      if (!same(some[i], others[i])) {
        return false;
      }
    }
    return true;
  }

  static int hashAll(@Nullable Object[] values) {
    int hash = 1;
    for (Object value : values) {
      hash = 31 * hash + hash(value);
    }
    return hash;
  }

  private static int hash(@Nullable Object value) {
    if (value instanceof byte[] bytes) {
      return Arrays.hashCode(bytes);
    }
    if (value instanceof List<?> list) {
      return hashAll(list.toArray());
    }
    if (value instanceof Map<?, ?> map) {
      return hashAll(map.keySet().toArray());
    }
    return Objects.hashCode(value);
  }
}
