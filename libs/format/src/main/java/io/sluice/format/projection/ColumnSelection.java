package io.sluice.format.projection;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a schema that a reader wants, whole or cut down to some of their nested fields.
 *
 * <p>A path names nested fields by the names on the way, joined by dots: {@code address.zip}; below
 * an ARRAY {@code items.element.price}, below the values of a MAP {@code prices.value.amount}. The
 * result is the outer column with only the fields asked for, in the order of the schema; several
 * paths into one column give one column, at the place of the first. Keys of a MAP always come
 * whole. A name that a column or field has is taken before it is split at its dots.
 *
 * @param schema the schema the reader is bound to
 * @param columns the wanted columns in the order wanted, with the ids of the schema and with types
 *     that have only the wanted fields; may be empty
 */
public record ColumnSelection(TableSchema schema, List<Column> columns) {
  public ColumnSelection {
    columns = List.copyOf(columns);
  }

  /** All columns of the schema. */
  public static ColumnSelection all(TableSchema schema) {
    return new ColumnSelection(schema, schema.columns());
  }

  /** No column at all. */
  public static ColumnSelection none(TableSchema schema) {
    return new ColumnSelection(schema, List.of());
  }

  /** Whole columns by id, in the order of the ids; COLUMN_NOT_FOUND for an unknown one. */
  public static ColumnSelection ofIds(TableSchema schema, List<Integer> columnIds) {
    Map<Integer, Column> byId = new HashMap<>();
    schema.columns().forEach(column -> byId.put(column.id(), column));
    List<Column> columns = new ArrayList<>(columnIds.size());
    for (int id : columnIds) {
      Column column = byId.get(id);
      if (column == null) {
        throw new SluiceException(
            ErrorCode.COLUMN_NOT_FOUND,
            "Column id " + id + " does not exist in schema " + schema.schemaId());
      }
      columns.add(column);
    }
    return new ColumnSelection(schema, columns);
  }

  /**
   * Columns by name or path, in the order given.
   *
   * @throws SluiceException COLUMN_NOT_FOUND naming the path; INVALID_ARGUMENT when a column or
   *     field is named twice, or as a whole and in parts
   */
  public static ColumnSelection of(TableSchema schema, List<String> namesOrPaths) {
    Map<String, Wanted> wanted = new LinkedHashMap<>();
    for (String path : namesOrPaths) {
      String name = columnOf(schema, path);
      Wanted column = wanted.computeIfAbsent(name, any -> new Wanted());
      if (name.length() == path.length()) {
        column.takeWhole(path);
      } else {
        add(column, schema.column(name).type(), path, name.length() + 1);
      }
    }
    List<Column> columns = new ArrayList<>(wanted.size());
    wanted.forEach((name, fields) -> columns.add(cut(schema.column(name), fields)));
    return new ColumnSelection(schema, columns);
  }

  /** The Arrow schema of the wanted columns. */
  public Schema arrowSchema() {
    Schema whole = ArrowSchemas.toArrow(schema, columns.stream().map(Column::id).toList());
    return new Schema(
        columns.stream().map(ArrowSchemas::toField).toList(), whole.getCustomMetadata());
  }

  /** What of a column or field is wanted. */
  private static final class Wanted {
    private final Map<String, Wanted> fields = new LinkedHashMap<>();
    private boolean whole;

    void takeWhole(String path) {
      if (whole || !fields.isEmpty()) {
        throw twice(path);
      }
      whole = true;
    }

    Wanted field(String name, String path) {
      if (whole) {
        throw twice(path);
      }
      return fields.computeIfAbsent(name, any -> new Wanted());
    }

    private static SluiceException twice(String path) {
      return new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Column '" + path + "' is asked for twice, or as a whole and in parts");
    }
  }

  private static String columnOf(TableSchema schema, String path) {
    int end = path.length();
    while (end > 0) {
      String name = path.substring(0, end);
      boolean inner = end < path.length();
      if (schema.hasColumn(name) && (!inner || schema.column(name).type().isNested())) {
        return name;
      }
      end = path.lastIndexOf('.', end - 1);
    }
    schema.column(path);
    throw notFound(path, "it is no nested column");
  }

  private static void add(Wanted wanted, DataType type, String path, int at) {
    Inner inner = inner(type, path, at);
    Wanted field = wanted.field(inner.name(), path);
    int end = at + inner.name().length();
    if (end == path.length()) {
      field.takeWhole(path);
    } else {
      add(field, inner.type(), path, end + 1);
    }
  }

  private record Inner(String name, DataType type) {}

  /** What the path means at its position inside of a type. */
  private static Inner inner(DataType type, String path, int at) {
    for (int end = path.length(); end > at; end = path.lastIndexOf('.', end - 1)) {
      String name = path.substring(at, end);
      DataType found = member(type, name);
      if (found != null && (end == path.length() || found.isNested())) {
        return new Inner(name, found);
      }
    }
    throw notFound(path, "'" + path.substring(at) + "' is nothing inside of " + type);
  }

  private static @Nullable DataType member(DataType type, String name) {
    if (type instanceof ArrayType array) {
      return name.equals("element") ? array.element() : null;
    }
    if (type instanceof MapType map) {
      return name.equals("value") ? map.value() : null;
    }
    if (type instanceof RowType row) {
      for (RowType.Field field : row.fields()) {
        if (field.name().equals(name)) {
          return field.type();
        }
      }
    }
    return null;
  }

  private static SluiceException notFound(String path, String why) {
    return new SluiceException(
        ErrorCode.COLUMN_NOT_FOUND, "Column '" + path + "' does not exist: " + why);
  }

  private static Column cut(Column column, Wanted wanted) {
    if (wanted.whole) {
      return column;
    }
    return new Column(
        column.id(),
        column.name(),
        cut(column.type(), wanted),
        column.nullable(),
        column.comment(),
        column.initialDefault(),
        column.writeDefault());
  }

  private static DataType cut(DataType type, Wanted wanted) {
    if (wanted.whole) {
      return type;
    }
    if (type instanceof ArrayType array) {
      return new ArrayType(cut(array.element(), inner(wanted, "element")), array.elementNullable());
    }
    if (type instanceof MapType map) {
      return new MapType(map.key(), cut(map.value(), inner(wanted, "value")), map.valueNullable());
    }
    List<RowType.Field> fields = new ArrayList<>();
    for (RowType.Field field : ((RowType) type).fields()) {
      Wanted inner = wanted.fields.get(field.name());
      if (inner != null) {
        fields.add(
            new RowType.Field(
                field.id(), field.name(), cut(field.type(), inner), field.nullable()));
      }
    }
    return new RowType(fields);
  }

  private static Wanted inner(Wanted wanted, String name) {
    Wanted found = wanted.fields.get(name);
    if (found == null) {
      throw new IllegalStateException("No field was asked for below '" + name + "'");
    }
    return found;
  }
}
