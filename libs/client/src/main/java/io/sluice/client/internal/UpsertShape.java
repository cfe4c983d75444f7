package io.sluice.client.internal;

import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.PrimaryKeyOptions;
import io.sluice.common.SluiceException;
import io.sluice.format.merge.DeleteBehavior;
import io.sluice.format.merge.MergeRules;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which columns the rows of an upsert writer have, by the rules of its table. A column that gets
 * its values from the table is left out of whole rows. Immutable.
 */
final class UpsertShape {
  private final TableDescription table;
  private final TableSchema written;
  private final List<Integer> targetIds;
  private final boolean deletesRefused;
  private final @Nullable Column leftOut;

  private UpsertShape(
      TableDescription table,
      TableSchema written,
      List<Integer> targetIds,
      boolean deletesRefused,
      @Nullable Column leftOut) {
    this.table = table;
    this.written = written;
    this.targetIds = List.copyOf(targetIds);
    this.deletesRefused = deletesRefused;
    this.leftOut = leftOut;
  }

  /**
   * The shape for these columns, checked as the server will.
   *
   * @param names the columns in their order, empty for whole rows
   * @throws SluiceException INVALID_ARGUMENT when a column is missing that must be among them, or
   *     one is named that gets its values from the table; UNSUPPORTED when rows of the table are
   *     only taken whole; COLUMN_NOT_FOUND
   */
  static UpsertShape of(TableDescription table, List<String> names) {
    TableSchema schema = table.schema();
    MergeRules rules = table.mergeRules();
    boolean deletesRefused = rules.deleteBehavior() == DeleteBehavior.DISABLE;
    Column generated =
        rules.autoIncrementColumn() < 0 ? null : schema.columns().get(rules.autoIncrementColumn());
    if (names.isEmpty()) {
      return generated == null
          ? new UpsertShape(table, schema, List.of(), deletesRefused, null)
          : withColumns(table, without(schema, generated), deletesRefused, generated);
    }
    if (!rules.takesPartialUpdates()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Table "
              + table.path()
              + " takes whole rows only: "
              + PrimaryKeyOptions.MERGE_ENGINE
              + " is "
              + table.options().get(PrimaryKeyOptions.MERGE_ENGINE)
              + "; open the writer without naming columns");
    }
    List<Column> columns = new ArrayList<>();
    names.forEach(name -> columns.add(schema.column(name)));
    requireNotGenerated(table, columns, generated);
    for (Column column : schema.columns()) {
      if (!columns.contains(column) && !column.equals(generated)) {
        requireOptional(table, column);
      }
    }
    return withColumns(table, columns, deletesRefused, null);
  }

  private static List<Column> without(TableSchema schema, Column generated) {
    return schema.columns().stream().filter(column -> !column.equals(generated)).toList();
  }

  private static UpsertShape withColumns(
      TableDescription table,
      List<Column> columns,
      boolean deletesRefused,
      @Nullable Column leftOut) {
    TableSchema schema = table.schema();
    return new UpsertShape(
        table,
        new TableSchema(schema.schemaId(), columns, schema.primaryKey()),
        columns.stream().map(Column::id).toList(),
        deletesRefused,
        leftOut);
  }

  private static void requireNotGenerated(
      TableDescription table, List<Column> columns, @Nullable Column generated) {
    if (generated != null && columns.contains(generated)) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Column '"
              + generated.name()
              + "' of "
              + table.path()
              + " gets its values from the table ("
              + PrimaryKeyOptions.AUTO_INCREMENT
              + "); leave it out of the columns of the writer");
    }
  }

  /** A row must have a value for every column that has none of its own. */
  private static void requireOptional(TableDescription table, Column column) {
    boolean key = table.schema().primaryKey().contains(column.name());
    if (key || (!column.nullable() && column.writeDefault() == null)) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Column '"
              + column.name()
              + "' of "
              + table.path()
              + " must be among the columns of a partial update: "
              + (key
                  ? "it is a key column"
                  : "it is NOT NULL, and a new row would have no value for it"));
    }
  }

  /** The columns of the rows, in their order. */
  TableSchema written() {
    return written;
  }

  /** Their ids as the command of a put has them: empty for all columns of the table. */
  List<Integer> targetIds() {
    return targetIds;
  }

  /** Behind a message about the number of columns: why there is one less than the table has. */
  String leftOutNote() {
    return leftOut == null
        ? ""
        : ": '" + leftOut.name() + "' gets its values from the table and is left out";
  }

  /** Throws DELETE_DISABLED when the table takes no deletes. */
  void requireDeletes() {
    if (deletesRefused) {
      throw new SluiceException(
          ErrorCode.DELETE_DISABLED,
          "Table "
              + table.path()
              + " takes no deletes: "
              + PrimaryKeyOptions.DELETE_BEHAVIOR
              + " is disable");
    }
  }
}
