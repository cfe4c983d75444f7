package io.sluice.format.schema;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * The ids of the fields of ROW types inside a type, in the order of the type's text: a field before
 * the fields of its own type. The text does not have them, so they travel and are stored beside it.
 */
public final class FieldIds {
  private FieldIds() {}

  /** All field ids inside the type. */
  public static List<Integer> of(DataType type) {
    List<Integer> ids = new ArrayList<>();
    collect(type, ids);
    return ids;
  }

  private static void collect(DataType type, List<Integer> ids) {
    if (type instanceof ArrayType array) {
      collect(array.element(), ids);
    } else if (type instanceof MapType map) {
      collect(map.key(), ids);
      collect(map.value(), ids);
    } else if (type instanceof RowType row) {
      for (RowType.Field field : row.fields()) {
        ids.add(field.id());
        collect(field.type(), ids);
      }
    }
  }

  /** The type with these ids; INVALID_SCHEMA when there are more or fewer than fields. */
  public static DataType with(DataType type, List<Integer> ids) {
    Iterator<Integer> rest = ids.iterator();
    DataType result =
        assign(
            type,
            () -> {
              if (!rest.hasNext()) {
                throw wrongCount(type, ids);
              }
              return rest.next();
            });
    if (rest.hasNext()) {
      throw wrongCount(type, ids);
    }
    return result;
  }

  private static SluiceException wrongCount(DataType type, List<Integer> ids) {
    return new SluiceException(
        ErrorCode.INVALID_SCHEMA,
        "Type " + type + " comes with " + ids.size() + " field ids; it has " + of(type).size());
  }

  /** The type with the ids that the source gives, one for each field. */
  public static DataType assign(DataType type, IntSupplier source) {
    if (type instanceof ArrayType array) {
      return new ArrayType(assign(array.element(), source), array.elementNullable());
    }
    if (type instanceof MapType map) {
      DataType key = assign(map.key(), source);
      return new MapType(key, assign(map.value(), source), map.valueNullable());
    }
    if (type instanceof RowType row) {
      List<RowType.Field> fields = new ArrayList<>(row.fields().size());
      for (RowType.Field field : row.fields()) {
        int id = source.getAsInt();
        fields.add(
            new RowType.Field(id, field.name(), assign(field.type(), source), field.nullable()));
      }
      return new RowType(fields);
    }
    return type;
  }
}
