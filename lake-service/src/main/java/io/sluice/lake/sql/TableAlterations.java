package io.sluice.lake.sql;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.SchemaChange;
import io.sluice.format.schema.SchemaChange.Position;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.flink.sql.parser.ddl.SqlAlterTableAdd;
import org.apache.flink.sql.parser.ddl.SqlAlterTableDropColumn;
import org.apache.flink.sql.parser.ddl.SqlAlterTableModify;
import org.apache.flink.sql.parser.ddl.SqlAlterTableRenameColumn;
import org.apache.flink.sql.parser.ddl.SqlAlterTableSchema;
import org.apache.flink.sql.parser.ddl.SqlTableColumn;
import org.apache.flink.sql.parser.ddl.SqlTableColumn.SqlRegularColumn;
import org.apache.flink.sql.parser.ddl.position.SqlTableColumnPosition;
import org.jspecify.annotations.Nullable;

/**
 * Makes changes of columns from Flink's ALTER TABLE. Whether a table can be changed so is decided
 * where its schemas are kept. Decides only; calls nobody.
 */
final class TableAlterations {
  private TableAlterations() {}

  /** One definition of ADD or MODIFY. */
  private record Definition(
      List<String> path,
      DataType type,
      boolean nullable,
      @Nullable String comment,
      @Nullable DefaultLiteral defaultValue,
      @Nullable Position position) {
    String name() {
      return path.get(path.size() - 1);
    }

    List<String> parent() {
      return path.subList(0, path.size() - 1);
    }

    String shown() {
      return String.join(".", path);
    }

    @Nullable String defaultText() {
      return defaultValue == null ? null : defaultValue.canonicalFor(shown(), type);
    }
  }

  /** The columns and fields to add. */
  static List<SchemaChange> add(SqlAlterTableAdd statement, DefinitionText text) {
    List<SchemaChange> changes = new ArrayList<>();
    for (Definition column : definitions(statement, text)) {
      changes.add(
          new SchemaChange.Add(
              column.parent(),
              column.name(),
              column.type(),
              column.nullable(),
              column.comment() == null ? "" : column.comment(),
              column.defaultText(),
              column.position() == null ? new Position.Last() : column.position()));
    }
    return changes;
  }

  /** What is needed to make the columns what the statement says; nothing when they are. */
  static List<SchemaChange> modify(
      SqlAlterTableModify statement, DefinitionText text, TableSchema schema) {
    List<SchemaChange> changes = new ArrayList<>();
    for (Definition column : definitions(statement, text)) {
      modify(column, ColumnPath.find(schema, column.path()), schema, changes);
    }
    return changes;
  }

  private static void modify(
      Definition wanted, ColumnPath old, TableSchema schema, List<SchemaChange> changes) {
    boolean key = schema.primaryKey().contains(wanted.path().get(0));
    if (!wanted.nullable() && old.nullable()) {
      throw new SluiceException(
          ErrorCode.INVALID_ALTER,
          "Column '"
              + wanted.shown()
              + "' is nullable and cannot become NOT NULL: rows may hold NULL");
    }
    TypeChanges.collect(wanted.path(), old.type(), wanted.type(), changes);
    if (wanted.nullable() && !old.nullable() && !key) {
      changes.add(new SchemaChange.MakeNullable(wanted.path()));
    }
    Column column = wanted.path().size() == 1 ? schema.column(wanted.name()) : null;
    if (wanted.defaultValue() != null) {
      changes.add(new SchemaChange.SetDefault(wanted.path(), wanted.defaultText()));
    }
    if (wanted.comment() != null
        && (column == null || !wanted.comment().equals(column.comment()))) {
      changes.add(new SchemaChange.SetComment(wanted.path(), wanted.comment()));
    }
    if (wanted.position() != null) {
      changes.add(new SchemaChange.Move(wanted.path(), wanted.position()));
    }
  }

  /** The columns and fields to drop. */
  static List<SchemaChange> drop(SqlAlterTableDropColumn statement) {
    List<SchemaChange> changes = new ArrayList<>();
    for (SqlNode node : statement.getColumnList()) {
      changes.add(new SchemaChange.Drop(((SqlIdentifier) node).names));
    }
    return changes;
  }

  /** The column or field to rename: its new name may be written with or without its parents. */
  static List<SchemaChange> rename(SqlAlterTableRenameColumn statement) {
    List<String> path = statement.getOldColumnIdentifier().names;
    List<String> renamed = statement.getNewColumnIdentifier().names;
    checkSibling(path, renamed);
    return List.of(new SchemaChange.Rename(path, renamed.get(renamed.size() - 1)));
  }

  private static void checkSibling(List<String> path, List<String> other) {
    boolean beside =
        other.size() == 1
            || other.subList(0, other.size() - 1).equals(path.subList(0, path.size() - 1));
    if (!beside) {
      throw new SluiceException(
          ErrorCode.INVALID_ALTER,
          "Column '"
              + String.join(".", path)
              + "' stays where it is: '"
              + String.join(".", other)
              + "' lies in another ROW");
    }
  }

  private static List<Definition> definitions(SqlAlterTableSchema statement, DefinitionText text) {
    if (!statement.getConstraints().isEmpty()) {
      throw unsupported("The primary key of a table is fixed when the table is created");
    }
    if (statement.getWatermark().isPresent()) {
      throw unsupported("Watermarks belong to streaming jobs; leave WATERMARK out");
    }
    if (statement.getDistribution().isPresent()) {
      throw unsupported("The buckets of a table are fixed when the table is created");
    }
    List<Definition> definitions = new ArrayList<>();
    for (SqlNode node : statement.getColumnPositions()) {
      definitions.add(definition((SqlTableColumnPosition) node, text));
    }
    return definitions;
  }

  private static Definition definition(SqlTableColumnPosition node, DefinitionText text) {
    SqlTableColumn column = node.getColumn();
    List<String> path = List.copyOf(column.getName().names);
    if (!(column instanceof SqlRegularColumn regular)) {
      throw unsupported(
          "Column '"
              + String.join(".", path)
              + "' is computed or metadata; such columns are not in this build");
    }
    if (regular.getConstraint().isPresent()) {
      throw unsupported("The primary key of a table is fixed when the table is created");
    }
    return new Definition(
        path,
        TableDefinitions.dataType(String.join(".", path), regular.getType()),
        !Boolean.FALSE.equals(regular.getType().getNullable()),
        column.getComment().map(TableDefinitions::text).orElse(null),
        text.defaultOf(path),
        position(node, path));
  }

  private static @Nullable Position position(SqlTableColumnPosition node, List<String> path) {
    if (node.isFirstColumn()) {
      return new Position.First();
    }
    SqlIdentifier after = node.isAfterReferencedColumn() ? node.getAfterReferencedColumn() : null;
    if (after == null) {
      return null;
    }
    checkSibling(path, after.names);
    return new Position.After(after.names.get(after.names.size() - 1));
  }

  private static SluiceException unsupported(String message) {
    return new SluiceException(ErrorCode.UNSUPPORTED, message);
  }
}
