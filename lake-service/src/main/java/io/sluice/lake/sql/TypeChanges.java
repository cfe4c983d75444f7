package io.sluice.lake.sql;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import io.sluice.format.schema.SchemaChange;
import io.sluice.format.schema.SchemaChange.Position;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The difference of two types as changes of their leaves: MODIFY names the whole type, while a
 * nested one is stored and changed field by field.
 */
final class TypeChanges {
  private TypeChanges() {}

  /**
   * Adds what makes the old type the new one; nothing when they are the same.
   *
   * @throws SluiceException INVALID_ALTER for a field that is left out: dropping is said by name
   */
  static void collect(
      List<String> path, DataType old, DataType wanted, List<SchemaChange> changes) {
    if (old instanceof RowType from && wanted instanceof RowType to) {
      collectFields(path, from, to, changes);
    } else if (old instanceof ArrayType from && wanted instanceof ArrayType to) {
      collectInner(
          path,
          "element",
          new ColumnPath(from.element(), from.elementNullable()),
          new ColumnPath(to.element(), to.elementNullable()),
          changes);
    } else if (old instanceof MapType from && wanted instanceof MapType to) {
      collect(child(path, "key"), from.key(), to.key(), changes);
      collectInner(
          path,
          "value",
          new ColumnPath(from.value(), from.valueNullable()),
          new ColumnPath(to.value(), to.valueNullable()),
          changes);
    } else if (!old.toString().equals(wanted.toString())) {
      changes.add(new SchemaChange.ChangeType(path, wanted));
    }
  }

  private static void collectInner(
      List<String> path, String name, ColumnPath from, ColumnPath to, List<SchemaChange> changes) {
    List<String> inner = child(path, name);
    collect(inner, from.type(), to.type(), changes);
    collectNullability(inner, from.nullable(), to.nullable(), changes);
  }

  private static void collectFields(
      List<String> path, RowType from, RowType to, List<SchemaChange> changes) {
    Map<String, RowType.Field> missing = new HashMap<>();
    from.fields().forEach(field -> missing.put(field.name(), field));
    String before = null;
    for (RowType.Field field : to.fields()) {
      RowType.Field old = missing.remove(field.name());
      List<String> inner = child(path, field.name());
      if (old == null) {
        Position position = before == null ? new Position.First() : new Position.After(before);
        changes.add(
            new SchemaChange.Add(
                path, field.name(), field.type(), field.nullable(), "", null, position));
      } else {
        collect(inner, old.type(), field.type(), changes);
        collectNullability(inner, old.nullable(), field.nullable(), changes);
      }
      before = field.name();
    }
    if (!missing.isEmpty()) {
      String gone = missing.keySet().stream().sorted().findFirst().orElseThrow();
      throw new SluiceException(
          ErrorCode.INVALID_ALTER,
          "The new type of '"
              + String.join(".", path)
              + "' leaves out its field '"
              + gone
              + "'; MODIFY drops nothing: use DROP "
              + String.join(".", child(path, gone))
              + ", or RENAME when it only got another name");
    }
  }

  private static void collectNullability(
      List<String> path, boolean from, boolean to, List<SchemaChange> changes) {
    if (to && !from) {
      changes.add(new SchemaChange.MakeNullable(path));
    } else if (from && !to) {
      throw new SluiceException(
          ErrorCode.INVALID_ALTER,
          "'"
              + String.join(".", path)
              + "' is nullable and cannot become NOT NULL: rows may hold NULL");
    }
  }

  private static List<String> child(List<String> path, String name) {
    List<String> child = new ArrayList<>(path);
    child.add(name);
    return child;
  }
}
