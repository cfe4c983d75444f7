package io.sluice.cli.table;

import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import java.util.ArrayList;
import java.util.List;

/**
 * A type over several lines: its shape, and for each field of its ROWs the path by which {@code
 * alter} names it.
 */
final class TypeLines {
  private TypeLines() {}

  /**
   * One line.
   *
   * @param path name of the column, then those of fields, with dots
   * @param type shape of the type: fields of a ROW have lines of their own
   * @param nullable whether it may be NULL
   */
  record Line(String path, String type, boolean nullable) {}

  /** The lines of the fields inside of a column. */
  static List<Line> fields(String column, DataType type) {
    List<Line> lines = new ArrayList<>();
    collect(column, type, lines);
    return lines;
  }

  private static void collect(String path, DataType type, List<Line> lines) {
    if (type instanceof ArrayType array) {
      collect(path + ".element", array.element(), lines);
    } else if (type instanceof MapType map) {
      collect(path + ".key", map.key(), lines);
      collect(path + ".value", map.value(), lines);
    } else if (type instanceof RowType row) {
      for (RowType.Field field : row.fields()) {
        String name = path + "." + field.name();
        lines.add(new Line(name, shape(field.type()), field.nullable()));
        collect(name, field.type(), lines);
      }
    }
  }

  /** The type with ROW instead of its fields. */
  static String shape(DataType type) {
    if (type instanceof ArrayType array) {
      return "ARRAY<" + shape(array.element()) + notNull(array.elementNullable()) + ">";
    }
    if (type instanceof MapType map) {
      return "MAP<"
          + shape(map.key())
          + ", "
          + shape(map.value())
          + notNull(map.valueNullable())
          + ">";
    }
    return type instanceof RowType ? "ROW" : type.toString();
  }

  private static String notNull(boolean nullable) {
    return nullable ? "" : " NOT NULL";
  }
}
