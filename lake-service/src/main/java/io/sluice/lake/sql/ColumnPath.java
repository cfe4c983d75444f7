package io.sluice.lake.sql;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import io.sluice.format.schema.TableSchema;
import io.sluice.lake.dialect.NearestNames;
import java.util.List;

/**
 * What a path of names leads to.
 *
 * @param type its type
 * @param nullable whether it may be NULL
 */
record ColumnPath(DataType type, boolean nullable) {
  /**
   * Follows a path: a column, then names of fields, {@code element} of an ARRAY, {@code key} and
   * {@code value} of a MAP.
   *
   * @throws SluiceException COLUMN_NOT_FOUND with the nearest name there is
   */
  static ColumnPath find(TableSchema schema, List<String> path) {
    String name = path.get(0);
    if (!schema.hasColumn(name)) {
      List<String> known = schema.columns().stream().map(Column::name).toList();
      throw missing(path, 0, known);
    }
    Column column = schema.column(name);
    ColumnPath found = new ColumnPath(column.type(), column.nullable());
    for (int i = 1; i < path.size(); i++) {
      found = found.child(path, i);
    }
    return found;
  }

  private ColumnPath child(List<String> path, int at) {
    String name = path.get(at);
    if (type instanceof RowType row) {
      for (RowType.Field field : row.fields()) {
        if (field.name().equals(name)) {
          return new ColumnPath(field.type(), field.nullable());
        }
      }
      throw missing(path, at, row.fields().stream().map(RowType.Field::name).toList());
    }
    if (type instanceof ArrayType array && name.equals("element")) {
      return new ColumnPath(array.element(), array.elementNullable());
    }
    if (type instanceof MapType map && name.equals("key")) {
      return new ColumnPath(map.key(), false);
    }
    if (type instanceof MapType map && name.equals("value")) {
      return new ColumnPath(map.value(), map.valueNullable());
    }
    throw missing(
        path,
        at,
        type instanceof ArrayType
            ? List.of("element")
            : type instanceof MapType ? List.of("key", "value") : List.of());
  }

  private static SluiceException missing(List<String> path, int at, List<String> known) {
    return new SluiceException(
        ErrorCode.COLUMN_NOT_FOUND,
        "Column '"
            + String.join(".", path.subList(0, at + 1))
            + "' does not exist"
            + NearestNames.hint(path.get(at), known));
  }
}
