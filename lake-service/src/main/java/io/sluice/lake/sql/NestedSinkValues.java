package io.sluice.lake.sql;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.GenericRow;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import io.sluice.lake.duck.ResultValues.StructValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Turns nested values of a result into those of a column: lists for ARRAY, maps for MAP, rows for
 * ROW, their parts as {@link SinkValues} makes them. Fields of a ROW go by name, or by place when
 * the value was written without names, as {@code ROW(1, 'a')}.
 */
final class NestedSinkValues {
  private NestedSinkValues() {}

  /** The value, or null when it is of another kind. */
  static @Nullable Object of(Object value, DataType type, String column) {
    if (type instanceof ArrayType array) {
      return value instanceof List<?> list ? list(list, array, column) : null;
    }
    if (type instanceof MapType map) {
      return value instanceof Map<?, ?> entries ? map(entries, map, column) : null;
    }
    return type instanceof RowType row && value instanceof StructValue struct
        ? row(struct, row, column)
        : null;
  }

  private static List<@Nullable Object> list(List<?> values, ArrayType type, String column) {
    List<@Nullable Object> list = new ArrayList<>(values.size());
    for (Object value : values) {
      list.add(part(value, type.element(), type.elementNullable(), column + ".element"));
    }
    return list;
  }

  private static Map<Object, @Nullable Object> map(Map<?, ?> entries, MapType type, String column) {
    Map<Object, @Nullable Object> map = new LinkedHashMap<>();
    for (Map.Entry<?, ?> entry : entries.entrySet()) {
      Object key = part(entry.getKey(), type.key(), false, column + ".key");
      if (key != null) {
        map.put(key, part(entry.getValue(), type.value(), type.valueNullable(), column + ".value"));
      }
    }
    return map;
  }

  private static GenericRow row(StructValue struct, RowType type, String column) {
    List<RowType.Field> fields = type.fields();
    @Nullable Object[] values = new @Nullable Object[fields.size()];
    if (struct.unnamed() && struct.fields().size() != fields.size()) {
      throw SinkValues.mismatch(struct, type, column, null);
    }
    Map<String, Integer> places = new HashMap<>();
    for (int i = 0; i < fields.size(); i++) {
      places.put(fields.get(i).name().toLowerCase(Locale.ROOT), i);
    }
    int next = 0;
    for (Map.Entry<String, @Nullable Object> field : struct.fields().entrySet()) {
      Integer place =
          struct.unnamed() ? (Integer) next : places.get(field.getKey().toLowerCase(Locale.ROOT));
      if (place == null) {
        throw new SluiceException(
            ErrorCode.INVALID_VALUE,
            "Column '" + column + "' of type " + type + " has no field '" + field.getKey() + "'");
      }
      values[place] = field.getValue();
      next++;
    }
    for (int i = 0; i < values.length; i++) {
      RowType.Field field = fields.get(i);
      values[i] = part(values[i], field.type(), field.nullable(), column + "." + field.name());
    }
    return GenericRow.of(values);
  }

  private static @Nullable Object part(
      @Nullable Object value, DataType type, boolean nullable, String path) {
    if (value == null && !nullable) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE, "Column '" + path + "' is NOT NULL and cannot take NULL");
    }
    return SinkValues.of(value, type, path);
  }
}
