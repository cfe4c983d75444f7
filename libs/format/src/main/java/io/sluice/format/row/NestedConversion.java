package io.sluice.format.row;

import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.DoubleType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Turns nested values of one type into those of a type that it changed to: fields matched by id,
 * absent ones NULL, scalars widened. The getters of rows widen scalar columns themselves. Immutable
 * and thread-safe.
 */
public final class NestedConversion {
  /** Converts a value that is not NULL. */
  private interface Part {
    Object apply(Object value);
  }

  private final Part part;

  private NestedConversion(Part part) {
    this.part = part;
  }

  /**
   * The conversion between two types of a column, the second reachable from the first by changes of
   * a schema.
   *
   * @return null when the types are scalar or the same
   */
  public static @Nullable NestedConversion of(DataType from, DataType to) {
    return from.isNested() && !from.equals(to) ? new NestedConversion(part(from, to)) : null;
  }

  /** The value in the second type. */
  public Object apply(Object value) {
    return part.apply(value);
  }

  private static Part part(DataType from, DataType to) {
    if (from.equals(to)) {
      return value -> value;
    }
    if (from instanceof ArrayType source && to instanceof ArrayType target) {
      Part element = part(source.element(), target.element());
      return value -> elements((List<?>) value, element);
    }
    if (from instanceof MapType source && to instanceof MapType target) {
      Part each = part(source.value(), target.value());
      return value -> entries((Map<?, ?>) value, each);
    }
    if (from instanceof RowType source && to instanceof RowType target) {
      return row(source, target);
    }
    return scalar(to);
  }

  private static @Nullable Object orNull(@Nullable Object value, Part part) {
    return value == null ? null : part.apply(value);
  }

  private static Object elements(List<?> values, Part element) {
    List<@Nullable Object> converted = new ArrayList<>(values.size());
    for (Object value : values) {
      converted.add(orNull(value, element));
    }
    return converted;
  }

  private static Object entries(Map<?, ?> entries, Part each) {
    Map<Object, @Nullable Object> converted = new LinkedHashMap<>();
    for (Map.Entry<?, ?> entry : entries.entrySet()) {
      converted.put(entry.getKey(), orNull(entry.getValue(), each));
    }
    return converted;
  }

  private static Part row(RowType from, RowType to) {
    int size = to.fields().size();
    int[] positions = new int[size];
    Part[] parts = new Part[size];
    DataType[] types = new DataType[size];
    for (int i = 0; i < size; i++) {
      positions[i] = position(from, to.fields().get(i).id());
      if (positions[i] >= 0) {
        types[i] = from.fields().get(positions[i]).type();
        parts[i] = part(types[i], to.fields().get(i).type());
      }
    }
    return value -> {
      Row row = (Row) value;
      @Nullable Object[] values = new @Nullable Object[size];
      for (int i = 0; i < size; i++) {
        if (positions[i] >= 0) {
          values[i] = orNull(RowObjects.value(row, positions[i], types[i]), parts[i]);
        }
      }
      return GenericRow.wrapping(values);
    };
  }

  private static int position(RowType type, int id) {
    for (int i = 0; i < type.fields().size(); i++) {
      if (type.fields().get(i).id() == id) {
        return i;
      }
    }
    return -1;
  }

  private static Part scalar(DataType to) {
    if (to instanceof IntegerType integer) {
      return value -> integer(integer, ((Number) value).longValue());
    }
    if (to instanceof DoubleType) {
      return value -> ((Number) value).doubleValue();
    }
    if (to instanceof FloatType) {
      return value -> ((Number) value).floatValue();
    }
    return value -> value;
  }

  private static Object integer(IntegerType type, long value) {
    return switch (type.bits()) {
      case 8 -> (Object) (byte) value;
      case 16 -> (Object) (short) value;
      case 32 -> (Object) (int) value;
      default -> (Object) value;
    };
  }
}
