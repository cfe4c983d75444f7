package io.sluice.lake.sql;

import io.sluice.client.Key;
import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.PrimaryKeyOptions;
import io.sluice.common.SluiceException;
import io.sluice.format.merge.DeleteBehavior;
import io.sluice.format.merge.MergeEngine;
import io.sluice.format.merge.MergeRules;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;
import io.sluice.format.row.RowObjects;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import io.sluice.lake.dialect.Rendering;
import io.sluice.lake.dialect.SqlText;
import io.sluice.lake.dialect.SqlText.Piece;
import io.sluice.lake.dialect.Token;
import io.sluice.lake.duck.Cancellation;
import io.sluice.lake.duck.DuckQuery;
import io.sluice.lake.duck.DuckSettings;
import io.sluice.lake.union.Cluster;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * UPDATE and DELETE of the rows of some keys. The rows are looked up, and those that are there are
 * put or deleted: a key that has no row gets none. Thread-safe.
 */
final class ChangeStatements {
  /** The most keys of a statement. */
  private static final int MAX_KEYS = 1000;

  private final QueryPlanner planner;
  private final DuckSettings settings;
  private final Cluster cluster;

  ChangeStatements(QueryPlanner planner, DuckSettings settings, Cluster cluster) {
    this.planner = planner;
    this.settings = settings;
    this.cluster = cluster;
  }

  /** Runs one. */
  SqlResult run(SqlText text, SqlRequest request, Cancellation cancellation) {
    ChangeStatement statement = ChangeStatement.parse(text);
    TableDescription table =
        new KnownTables(cluster).describe(TableNames.path(statement.table(), request.database()));
    if (table.schema().primaryKey().isEmpty()) {
      throw text.failure(
          ErrorCode.UNSUPPORTED,
          "Table "
              + table.path()
              + " has no primary key: its rows are a log, and cannot be changed",
          text.tokens().get(0));
    }
    MergeRules rules = table.mergeRules();
    Map<Column, Piece> assignments = assignments(text, statement, table, rules);
    List<List<Piece>> conditions = conditions(text, statement, table);
    List<Piece> pieces = new ArrayList<>(assignments.values());
    conditions.forEach(pieces::addAll);
    @Nullable Object[] values = evaluate(text, pieces, request.database(), cancellation);
    List<Key> keys =
        keys(
            table.schema(),
            conditions,
            Arrays.asList(values).subList(assignments.size(), values.length));
    return statement.deletes()
        ? delete(table, rules, keys)
        : update(table, assignments.keySet(), values, keys);
  }

  private static Map<Column, Piece> assignments(
      SqlText text, ChangeStatement statement, TableDescription table, MergeRules rules) {
    Map<Column, Piece> assignments = new LinkedHashMap<>();
    if (!statement.deletes() && rules.engine() != MergeEngine.LAST_ROW) {
      throw text.failure(
          ErrorCode.UNSUPPORTED,
          "UPDATE cannot set values of "
              + table.path()
              + ": what is put is merged with the row that is there ("
              + PrimaryKeyOptions.MERGE_ENGINE
              + " = "
              + table.options().get(PrimaryKeyOptions.MERGE_ENGINE)
              + "). INSERT INTO puts values to merge",
          text.tokens().get(0));
    }
    for (ChangeStatement.Assignment each : statement.assignments()) {
      Column column = column(text, table, each.column());
      if (table.schema().primaryKey().contains(column.name())) {
        throw text.failure(
            ErrorCode.UNSUPPORTED,
            "Column '"
                + column.name()
                + "' is of the primary key and cannot be set: DELETE the row and INSERT another",
            each.column());
      }
      if (table.schema().position(column.name()) == rules.autoIncrementColumn()) {
        throw text.failure(
            ErrorCode.INVALID_ARGUMENT,
            "Column '" + column.name() + "' gets its values from the server; leave it out",
            each.column());
      }
      if (assignments.put(column, each.value()) != null) {
        throw text.failure(
            ErrorCode.INVALID_SQL, "Column '" + column.name() + "' is set twice", each.column());
      }
    }
    return assignments;
  }

  /** For each column of the primary key the values that rows must have in it. */
  private static List<List<Piece>> conditions(
      SqlText text, ChangeStatement statement, TableDescription table) {
    List<String> key = table.schema().primaryKey();
    Map<String, List<Piece>> found = new LinkedHashMap<>();
    for (ChangeStatement.Condition each : statement.conditions()) {
      String name = column(text, table, each.column()).name();
      if (!key.contains(name)) {
        throw text.failure(
            ErrorCode.UNSUPPORTED,
            "Column '"
                + name
                + "' is not of the primary key ("
                + String.join(", ", key)
                + "). Rows are changed by their keys alone in this build; select the keys first",
            each.column());
      }
      if (found.put(name, each.values()) != null) {
        throw text.failure(
            ErrorCode.UNSUPPORTED, "Column '" + name + "' has two conditions", each.column());
      }
    }
    List<List<Piece>> conditions = new ArrayList<>();
    long keys = 1;
    for (String name : key) {
      List<Piece> values = found.get(name);
      if (values == null) {
        throw text.failure(
            ErrorCode.UNSUPPORTED,
            "The condition must have every column of the primary key ("
                + String.join(", ", key)
                + ") with = or IN; '"
                + name
                + "' is missing. Select the keys first: SELECT "
                + String.join(", ", key)
                + " FROM "
                + table.path()
                + " WHERE ...",
            text.tokens().get(0));
      }
      conditions.add(values);
      keys *= values.size();
      if (keys > MAX_KEYS) {
        throw text.failure(
            ErrorCode.UNSUPPORTED,
            "The condition has more than " + MAX_KEYS + " keys, the most of one statement",
            text.tokens().get(0));
      }
    }
    return conditions;
  }

  private static Column column(SqlText text, TableDescription table, Token token) {
    try {
      return ColumnNames.find(table, token.text());
    } catch (SluiceException e) {
      throw text.failure(e.code(), String.valueOf(e.getMessage()), token);
    }
  }

  private @Nullable Object[] evaluate(
      SqlText text, List<Piece> pieces, @Nullable String database, Cancellation cancellation) {
    Rendering query = text.forDuckDb(pieces);
    planner.requireConstant(query, "The values of UPDATE and DELETE");
    List<@Nullable Object[]> rows = new ArrayList<>();
    try (DuckQuery opened =
        DuckQuery.open(settings, cluster, query, List.of(), database, cancellation)) {
      opened.run(
          row -> {
            rows.add(row);
            return rows.size() == 1;
          });
    }
    // A list that is unnested makes rows, a structure columns: the values would be others' values.
    if (rows.size() != 1 || rows.get(0).length != pieces.size()) {
      throw text.failure(
          ErrorCode.INVALID_SQL,
          "Each value of UPDATE and DELETE must be a single one; here is a function that makes "
              + (rows.isEmpty() ? "none" : "several"),
          text.tokens().get(0));
    }
    return rows.get(0);
  }

  /** Every combination of the values once; what is compared with NULL is never so. */
  private static List<Key> keys(
      TableSchema schema, List<List<Piece>> conditions, List<@Nullable Object> values) {
    List<List<Object>> combinations = List.of(List.of());
    int at = 0;
    for (int i = 0; i < conditions.size(); i++) {
      Column column = schema.column(schema.primaryKey().get(i));
      List<List<Object>> longer = new ArrayList<>();
      for (int v = 0; v < conditions.get(i).size(); v++) {
        Object value = SinkValues.of(values.get(at++), column.type(), column.name());
        if (value == null) {
          continue;
        }
        for (List<Object> before : combinations) {
          List<Object> with = new ArrayList<>(before);
          with.add(value);
          longer.add(with);
        }
      }
      combinations = longer;
    }
    Set<Key> keys = new LinkedHashSet<>();
    combinations.forEach(each -> keys.add(Key.of(each.toArray())));
    return List.copyOf(keys);
  }

  private SqlResult delete(TableDescription table, MergeRules rules, List<Key> keys) {
    if (rules.deleteBehavior() == DeleteBehavior.DISABLE) {
      throw new SluiceException(
          ErrorCode.DELETE_DISABLED,
          "Rows of "
              + table.path()
              + " cannot be deleted: "
              + PrimaryKeyOptions.DELETE_BEHAVIOR
              + " is disable");
    }
    if (rules.deleteBehavior() == DeleteBehavior.IGNORE) {
      return SqlResult.done(
          "0 rows deleted from " + table.path(),
          "The table ignores deletes (" + PrimaryKeyOptions.DELETE_BEHAVIOR + " is ignore)");
    }
    List<String> key = table.schema().primaryKey();
    List<Optional<Row>> found = find(table, List.of(key.get(0)), keys);
    int deleted = 0;
    try (Cluster.RowSink sink = cluster.sink(table, List.of())) {
      for (int i = 0; i < keys.size(); i++) {
        if (found.get(i).isPresent()) {
          sink.delete(keys.get(i));
          deleted++;
        }
      }
      sink.flush();
    }
    return SqlResult.done(SqlResult.rowCount(deleted) + " deleted from " + table.path());
  }

  private List<Optional<Row>> find(TableDescription table, List<String> columns, List<Key> keys) {
    return keys.isEmpty() ? List.of() : cluster.find(table, columns, keys);
  }

  /** Puts the columns that are set, and with them those that no put may leave out. */
  private SqlResult update(
      TableDescription table, Set<Column> set, @Nullable Object[] values, List<Key> keys) {
    TableSchema schema = table.schema();
    MergeRules rules = table.mergeRules();
    List<String> key = schema.primaryKey();
    List<Column> carried = new ArrayList<>();
    for (Column column : schema.columns()) {
      boolean given =
          column.nullable()
              || column.writeDefault() != null
              || schema.position(column.name()) == rules.autoIncrementColumn();
      if (!given && !key.contains(column.name()) && !set.contains(column)) {
        carried.add(column);
      }
    }
    List<String> names = new ArrayList<>(key);
    List<@Nullable Object> assigned = new ArrayList<>();
    int at = 0;
    for (Column column : set) {
      names.add(column.name());
      assigned.add(SinkValues.of(values[at++], column.type(), column.name()));
    }
    carried.forEach(column -> names.add(column.name()));
    List<String> read =
        carried.isEmpty() ? List.of(key.get(0)) : carried.stream().map(Column::name).toList();
    List<Optional<Row>> found = find(table, read, keys);
    int updated = 0;
    try (Cluster.RowSink sink = cluster.sink(table, names)) {
      for (int i = 0; i < keys.size(); i++) {
        Row old = found.get(i).orElse(null);
        if (old != null) {
          sink.write(row(schema, keys.get(i), assigned, old, carried));
          updated++;
        }
      }
      sink.flush();
    }
    return SqlResult.done(SqlResult.rowCount(updated) + " updated in " + table.path());
  }

  private static GenericRow row(
      TableSchema schema, Key key, List<@Nullable Object> assigned, Row old, List<Column> carried) {
    List<@Nullable Object> values = new ArrayList<>();
    for (int i = 0; i < schema.primaryKey().size(); i++) {
      values.add(RowObjects.value(key.row(), i, schema.column(schema.primaryKey().get(i)).type()));
    }
    values.addAll(assigned);
    for (int i = 0; i < carried.size(); i++) {
      values.add(RowObjects.value(old, i, carried.get(i).type()));
    }
    return GenericRow.of(values.toArray());
  }
}
