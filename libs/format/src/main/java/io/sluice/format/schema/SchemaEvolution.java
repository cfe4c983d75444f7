package io.sluice.format.schema;

import io.sluice.common.ErrorCode;
import io.sluice.common.Names;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rules of changing a table's columns: which changes keep all stored rows readable, and what
 * schema they lead to. {@code docs/schema-change.md} has them in words.
 *
 * <p>Columns and fields are known by id. Ids are never used again: a column that is added under the
 * name of a dropped one is another column.
 */
public final class SchemaEvolution {
  private static final int MAX_SCHEMA_ID = 65_535;

  private final Set<String> protectedColumns;
  private final List<String> primaryKey;
  private List<SchemaMember> columns;
  private int nextId;

  private SchemaEvolution(List<TableSchema> history, Set<String> protectedColumns) {
    TableSchema current = history.get(history.size() - 1);
    this.protectedColumns = protectedColumns;
    this.primaryKey = current.primaryKey();
    this.columns = current.columns().stream().map(SchemaMember::of).toList();
    for (TableSchema schema : history) {
      for (Column column : schema.columns()) {
        nextId = Math.max(nextId, column.id() + 1);
        for (int id : FieldIds.of(column.type())) {
          nextId = Math.max(nextId, id + 1);
        }
      }
    }
  }

  /**
   * The schema after all changes, each applied to what those before it left. Either all are
   * possible or nothing is.
   *
   * @param history every schema that the table ever had, oldest first; at least one
   * @param changes at least one
   * @param protectedColumns columns of the primary key, the bucket key and the partition keys: they
   *     keep name and type and are not dropped
   * @return a schema whose id is one more than that of the last one
   * @throws SluiceException INVALID_ALTER naming the column and the rule
   */
  public static TableSchema apply(
      List<TableSchema> history, List<SchemaChange> changes, Set<String> protectedColumns) {
    if (changes.isEmpty()) {
      throw refused("There is no change; name at least one");
    }
    SchemaEvolution evolution = new SchemaEvolution(history, protectedColumns);
    int schemaId = history.get(history.size() - 1).schemaId() + 1;
    if (schemaId > MAX_SCHEMA_ID) {
      throw refused("The table had " + MAX_SCHEMA_ID + " schemas, which is the most it may have");
    }
    try {
      for (SchemaChange change : changes) {
        evolution.apply(change);
      }
      return evolution.result(schemaId);
    } catch (SluiceException e) {
      if (e.code() == ErrorCode.INVALID_ALTER) {
        throw e;
      }
      throw new SluiceException(ErrorCode.INVALID_ALTER, String.valueOf(e.getMessage()), e);
    }
  }

  private TableSchema result(int schemaId) {
    List<Column> result = new ArrayList<>(columns.size());
    for (SchemaMember member : columns) {
      if (member.type().isNested()) {
        // The type travels as text: too deep or too long for its reader must fail here.
        DataTypeParser.parse(member.type().toString());
      }
      result.add(member.toColumn());
    }
    return new TableSchema(schemaId, result, primaryKey);
  }

  private void apply(SchemaChange change) {
    if (change instanceof SchemaChange.Add add) {
      List<String> path = new ArrayList<>(add.parent());
      path.add(add.name());
      edit(path, true, (siblings, at) -> added(siblings, add));
    } else if (change instanceof SchemaChange.Drop drop) {
      checkFree(drop.path(), "dropped");
      edit(drop.path(), false, (siblings, at) -> dropped(siblings, at, drop.path()));
    } else if (change instanceof SchemaChange.Rename rename) {
      checkFree(rename.path(), "renamed");
      edit(rename.path(), false, (siblings, at) -> renamed(siblings, at, rename.newName()));
    } else if (change instanceof SchemaChange.Move move) {
      edit(move.path(), false, (siblings, at) -> moved(siblings, at, move.position()));
    } else {
      applyToMember(change);
    }
  }

  /** Changes that concern one member and not its siblings. */
  private void applyToMember(SchemaChange change) {
    if (change instanceof SchemaChange.ChangeType type) {
      checkFree(type.path(), "given another type");
      replace(type.path(), old -> widened(old, type));
    } else if (change instanceof SchemaChange.MakeNullable nullable) {
      if (primaryKey.contains(nullable.path().get(0))) {
        throw refused(shown(nullable.path()) + " is part of the primary key and stays NOT NULL");
      }
      replace(nullable.path(), SchemaMember::asNullable);
    } else if (change instanceof SchemaChange.SetDefault set) {
      checkTop(set.path(), "default");
      replace(set.path(), old -> withDefault(old, set.value()));
    } else if (change instanceof SchemaChange.SetComment set) {
      checkTop(set.path(), "comment");
      replace(set.path(), old -> old.withComment(set.comment()));
    } else {
      throw new IllegalArgumentException("Unknown change " + change);
    }
  }

  private void checkFree(List<String> path, String what) {
    checkPath(path);
    if (protectedColumns.contains(path.get(0))) {
      throw refused(
          shown(path.subList(0, 1))
              + " belongs to the primary key, the bucket key or the partition keys and cannot be "
              + what);
    }
  }

  private static void checkTop(List<String> path, String what) {
    checkPath(path);
    if (path.size() > 1) {
      throw refused(shown(path) + " is a nested field; only columns of the table have a " + what);
    }
  }

  private static void checkPath(List<String> path) {
    if (path.isEmpty()) {
      throw refused("The change names no column");
    }
  }

  private List<SchemaMember> added(List<SchemaMember> siblings, SchemaChange.Add add) {
    Names.checkColumn(add.name());
    if (find(siblings, add.name()) >= 0) {
      throw refused("Column '" + add.name() + "' exists; choose another name");
    }
    boolean nested = !add.parent().isEmpty();
    if (nested && (!add.nullable() || add.defaultValue() != null || !add.comment().isEmpty())) {
      throw refused(
          "Field '"
              + add.name()
              + "' is added inside of '"
              + String.join(".", add.parent())
              + "': nested fields are nullable when they are added and have neither a default nor"
              + " a comment");
    }
    if (!add.nullable() && add.defaultValue() == null) {
      throw refused(
          "Column '"
              + add.name()
              + "' is NOT NULL and rows exist without it; give it a default or make it nullable");
    }
    int id = nextId++;
    DataType type = FieldIds.assign(add.type(), () -> nextId++);
    Column column =
        DefaultValues.check(
            new Column(
                id,
                add.name(),
                type,
                add.nullable(),
                add.comment(),
                add.defaultValue(),
                add.defaultValue()));
    return inserted(siblings, SchemaMember.of(column), add.position());
  }

  private static List<SchemaMember> inserted(
      List<SchemaMember> siblings, SchemaMember member, SchemaChange.Position position) {
    List<SchemaMember> result = new ArrayList<>(siblings);
    if (position instanceof SchemaChange.Position.First) {
      result.add(0, member);
    } else if (position instanceof SchemaChange.Position.After after) {
      int sibling = find(siblings, after.sibling());
      if (sibling < 0) {
        throw refused(
            "Column '"
                + member.name()
                + "' cannot go behind '"
                + after.sibling()
                + "', which does not exist beside it");
      }
      result.add(sibling + 1, member);
    } else {
      result.add(member);
    }
    return result;
  }

  private static List<SchemaMember> dropped(
      List<SchemaMember> siblings, int at, List<String> path) {
    if (siblings.size() == 1) {
      throw refused(
          shown(path)
              + " is the last one "
              + (path.size() > 1 ? "of its ROW; drop the ROW itself" : "of the table"));
    }
    List<SchemaMember> result = new ArrayList<>(siblings);
    result.remove(at);
    return result;
  }

  private static List<SchemaMember> renamed(List<SchemaMember> siblings, int at, String name) {
    Names.checkColumn(name);
    int other = find(siblings, name);
    if (other >= 0 && other != at) {
      throw refused("Column '" + name + "' exists; choose another name");
    }
    List<SchemaMember> result = new ArrayList<>(siblings);
    result.set(at, siblings.get(at).withName(name));
    return result;
  }

  private static List<SchemaMember> moved(
      List<SchemaMember> siblings, int at, SchemaChange.Position position) {
    SchemaMember member = siblings.get(at);
    if (position instanceof SchemaChange.Position.After after
        && after.sibling().equals(member.name())) {
      throw refused("Column '" + member.name() + "' cannot go behind itself");
    }
    List<SchemaMember> rest = new ArrayList<>(siblings);
    rest.remove(at);
    return inserted(rest, member, position);
  }

  private static SchemaMember widened(SchemaMember old, SchemaChange.ChangeType change) {
    DataType from = old.type();
    DataType to = change.newType();
    if (from.isNested() || to.isNested()) {
      throw refused(
          shown(change.path())
              + " is "
              + from
              + " and cannot become "
              + to
              + ": change nested types field by field, by the path of the field");
    }
    if (!TypeWidening.allowed(from, to)) {
      throw refused(
          shown(change.path())
              + " is "
              + from
              + " and cannot become "
              + to
              + ": stored values must stay what they are; it can become "
              + TypeWidening.targets(from));
    }
    return old.withType(to)
        .withInitialDefault(widenedDefault(from, to, old.initialDefault()))
        .withWriteDefault(widenedDefault(from, to, old.writeDefault()));
  }

  /** The text of the same value in the wider type. */
  private static @Nullable String widenedDefault(
      DataType from, DataType to, @Nullable String text) {
    if (text == null) {
      return null;
    }
    if (from instanceof FloatType && !from.equals(to)) {
      // The shortest text of a FLOAT stands for another DOUBLE.
      return DefaultValues.text(to, (double) Float.parseFloat(text));
    }
    return DefaultValues.canonical(to, text);
  }

  private static SchemaMember withDefault(SchemaMember old, @Nullable String value) {
    return SchemaMember.of(DefaultValues.check(old.withWriteDefault(value).toColumn()));
  }

  /** What a change does to the members of one level. */
  private interface Edit {
    List<SchemaMember> apply(List<SchemaMember> siblings, int at);
  }

  /** What a change does to one member. */
  private interface MemberEdit {
    SchemaMember apply(SchemaMember old);
  }

  private void replace(List<String> path, MemberEdit edit) {
    Edit whole =
        (siblings, at) -> {
          List<SchemaMember> result = new ArrayList<>(siblings);
          result.set(at, edit.apply(siblings.get(at)));
          return result;
        };
    checkPath(path);
    columns = edited(columns, path, 0, false, true, whole);
  }

  /** Changes siblings, so the path may not end at an element, key or value. */
  private void edit(List<String> path, boolean absent, Edit edit) {
    checkPath(path);
    columns = edited(columns, path, 0, absent, false, edit);
  }

  private static List<SchemaMember> edited(
      List<SchemaMember> members,
      List<String> path,
      int depth,
      boolean absent,
      boolean inner,
      Edit edit) {
    int at = find(members, path.get(depth));
    boolean last = depth == path.size() - 1;
    if (last && absent) {
      return edit.apply(members, at);
    }
    if (at < 0) {
      throw refused(shown(path.subList(0, depth + 1)) + " does not exist");
    }
    if (last) {
      return edit.apply(members, at);
    }
    SchemaMember member = members.get(at);
    List<SchemaMember> result = new ArrayList<>(members);
    result.set(at, member.withType(descended(member.type(), path, depth + 1, absent, inner, edit)));
    return result;
  }

  private static DataType descended(
      DataType type, List<String> path, int depth, boolean absent, boolean inner, Edit edit) {
    if (type instanceof RowType row) {
      List<SchemaMember> fields = row.fields().stream().map(SchemaMember::of).toList();
      return new RowType(
          edited(fields, path, depth, absent, inner, edit).stream()
              .map(SchemaMember::toField)
              .toList());
    }
    String name = path.get(depth);
    boolean array = type instanceof ArrayType;
    if (type instanceof MapType && name.equals("key")) {
      throw refused(shown(path) + " is inside of the keys of a MAP, which cannot change");
    }
    if (!name.equals(array ? "element" : "value") || !type.isNested()) {
      throw refused(
          shown(path.subList(0, depth + 1))
              + " does not exist: '"
              + String.join(".", path.subList(0, depth))
              + "' is "
              + type);
    }
    if (depth == path.size() - 1 && !inner) {
      throw refused(
          shown(path) + " is the " + name + " of a nested type: it is neither named nor alone");
    }
    return type instanceof ArrayType list
        ? inArray(list, path, depth, absent, inner, edit)
        : inMap((MapType) type, path, depth, absent, inner, edit);
  }

  private static DataType inArray(
      ArrayType type, List<String> path, int depth, boolean absent, boolean inner, Edit edit) {
    SchemaMember element = SchemaMember.inner("element", type.element(), type.elementNullable());
    SchemaMember changed = edited(List.of(element), path, depth, absent, inner, edit).get(0);
    return new ArrayType(changed.type(), changed.nullable());
  }

  private static DataType inMap(
      MapType type, List<String> path, int depth, boolean absent, boolean inner, Edit edit) {
    SchemaMember value = SchemaMember.inner("value", type.value(), type.valueNullable());
    SchemaMember changed = edited(List.of(value), path, depth, absent, inner, edit).get(0);
    return new MapType(type.key(), changed.type(), changed.nullable());
  }

  private static int find(List<SchemaMember> members, String name) {
    for (int i = 0; i < members.size(); i++) {
      if (members.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  private static String shown(List<String> path) {
    return "Column '" + String.join(".", path) + "'";
  }

  private static SluiceException refused(String message) {
    return new SluiceException(ErrorCode.INVALID_ALTER, message);
  }
}
