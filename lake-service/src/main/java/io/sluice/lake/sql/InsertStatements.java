package io.sluice.lake.sql;

import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.PrimaryKeyOptions;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.format.merge.MergeRules;
import io.sluice.format.row.GenericRow;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DefaultValues;
import io.sluice.format.schema.TableSchema;
import io.sluice.lake.dialect.SqlText;
import io.sluice.lake.dialect.Token;
import io.sluice.lake.duck.Cancellation;
import io.sluice.lake.duck.DuckQuery;
import io.sluice.lake.duck.DuckSettings;
import io.sluice.lake.sql.QueryPlanner.Planned;
import io.sluice.lake.union.Cluster;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.flink.sql.parser.dml.RichSqlInsert;
import org.jspecify.annotations.Nullable;

/**
 * INSERT INTO. Flink's parser reads the head; what is inserted is a query like any other. It runs
 * once, row by row as they come: a failure leaves the rows before it written, and says so.
 * Thread-safe.
 */
final class InsertStatements {
  private final QueryPlanner planner;
  private final DuckSettings settings;
  private final Cluster cluster;

  InsertStatements(QueryPlanner planner, DuckSettings settings, Cluster cluster) {
    this.planner = planner;
    this.settings = settings;
    this.cluster = cluster;
  }

  /**
   * Where the rows of the source go.
   *
   * @param columns for each column of the source the column it goes to
   * @param written columns of the rows that are put, in their order
   * @param partial whether the other columns of a row that is there stay as they are
   * @param numbered the column that the server numbers, which no row has; empty when there is none
   */
  private record Target(
      TableDescription table,
      List<Column> columns,
      List<Column> written,
      boolean partial,
      String numbered) {}

  /** Runs it. */
  SqlResult run(SqlText text, SqlRequest request, Cancellation cancellation) {
    Token source = source(text);
    Target target = target(text, source.start(), request.database());
    Planned query =
        planner.plan(text.forDuckDb(source.start()), request.database(), request.allowPartial());
    long written;
    try (DuckQuery opened =
        DuckQuery.open(
            settings, cluster, query.text(), query.tables(), request.database(), cancellation)) {
      checkCount(text, source, target, opened.columns().size());
      opened.load();
      written = write(opened, target);
    }
    String message = SqlResult.rowCount(written) + " inserted into " + target.table().path();
    List<String> notices = new ArrayList<>();
    query.tables().forEach(table -> notices.addAll(table.plan().notices()));
    if (!source.isWord("VALUES")) {
      notices.add(
          "This INSERT ran once, over the rows that were visible when it was planned; it does not"
              + " go on as a Flink job would");
    }
    return SqlResult.done(message).with(notices);
  }

  /** The first token of what is inserted: after the name and the list of columns. */
  private static Token source(SqlText text) {
    List<Token> tokens = text.tokens();
    if (tokens.size() < 2 || !tokens.get(1).isWord("INTO")) {
      throw text.failure(
          tokens.size() > 1 && tokens.get(1).isWord("OVERWRITE")
              ? ErrorCode.UNSUPPORTED
              : ErrorCode.INVALID_SQL,
          "Only INSERT INTO is in this build",
          tokens.get(0));
    }
    int at = 2;
    while (at + 1 < tokens.size() && tokens.get(at).isName() && tokens.get(at + 1).isSymbol('.')) {
      at += 2;
    }
    at++;
    if (at < tokens.size() && tokens.get(at).isWord("PARTITION")) {
      throw text.failure(
          ErrorCode.UNSUPPORTED,
          "INSERT ... PARTITION (...) is not in this build; give the partition columns with the"
              + " other ones, and rows go to the partition of their values",
          tokens.get(at));
    }
    if (at < tokens.size() && tokens.get(at).isSymbol('(') && !beginsQuery(tokens, at + 1)) {
      while (at < tokens.size() && !tokens.get(at).isSymbol(')')) {
        at++;
      }
      at++;
    }
    if (at >= tokens.size()) {
      throw text.failure(
          ErrorCode.INVALID_SQL,
          "INSERT INTO needs VALUES or a SELECT after the table",
          tokens.get(tokens.size() - 1));
    }
    return tokens.get(at);
  }

  private static boolean beginsQuery(List<Token> tokens, int at) {
    return at < tokens.size()
        && (tokens.get(at).isWord("SELECT")
            || tokens.get(at).isWord("WITH")
            || tokens.get(at).isWord("VALUES")
            || tokens.get(at).isSymbol('('));
  }

  private Target target(SqlText text, int headEnd, @Nullable String database) {
    SqlNode parsed = FlinkParser.parse(text.forFlink(headEnd), " VALUES (1)");
    if (!(parsed instanceof RichSqlInsert insert) || insert.isOverwrite()) {
      throw new SluiceException(ErrorCode.UNSUPPORTED, "Only INSERT INTO is in this build");
    }
    TablePath path = TableNames.path(insert.getTargetTableID(), database);
    TableDescription table = new KnownTables(cluster).describe(path);
    TableSchema schema = table.schema();
    MergeRules rules = table.mergeRules();
    List<Column> given = new ArrayList<>(schema.columns());
    String numbered =
        rules.autoIncrementColumn() < 0 ? "" : given.remove(rules.autoIncrementColumn()).name();
    if (insert.getTargetColumnList() == null) {
      return new Target(table, given, given, false, numbered);
    }
    List<Column> columns = columns(insert, table, numbered);
    boolean partial = !schema.primaryKey().isEmpty() && columns.size() < given.size();
    if (partial && !rules.takesPartialUpdates()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Table "
              + path
              + " takes whole rows only ("
              + PrimaryKeyOptions.MERGE_ENGINE
              + " is "
              + rules.engine().text()
              + "); give every column, NULL where there is no value");
    }
    return new Target(table, columns, partial ? columns : given, partial, numbered);
  }

  private static List<Column> columns(
      RichSqlInsert insert, TableDescription table, String numbered) {
    List<Column> columns = new ArrayList<>();
    for (SqlNode node : insert.getTargetColumnList()) {
      Column column = ColumnNames.find(table, ((SqlIdentifier) node).getSimple());
      String name = column.name();
      if (name.equals(numbered)) {
        throw new SluiceException(
            ErrorCode.INVALID_ARGUMENT,
            "Column '"
                + name
                + "' of "
                + table.path()
                + " gets its values from the server ("
                + PrimaryKeyOptions.AUTO_INCREMENT
                + "); leave it out of the INSERT");
      }
      if (columns.contains(column)) {
        throw new SluiceException(
            ErrorCode.INVALID_SQL, "Column '" + name + "' is named twice in the INSERT");
      }
      columns.add(column);
    }
    return columns;
  }

  private static void checkCount(SqlText text, Token source, Target target, int found) {
    if (found != target.columns().size()) {
      throw text.failure(
          ErrorCode.INVALID_SQL,
          "INSERT INTO "
              + target.table().path()
              + " takes "
              + target.columns().size()
              + " columns ("
              + String.join(", ", target.columns().stream().map(Column::name).toList())
              + "), the source has "
              + found
              + (target.numbered().isEmpty()
                  ? ""
                  : "; column '" + target.numbered() + "' gets its values from the server"),
          source);
    }
  }

  /** What columns get that the INSERT does not name. */
  private static @Nullable Object[] defaults(List<Column> columns) {
    @Nullable Object[] values = new @Nullable Object[columns.size()];
    for (int i = 0; i < values.length; i++) {
      Column column = columns.get(i);
      String text = column.writeDefault();
      values[i] = text == null ? null : DefaultValues.parse(column.type(), text);
    }
    return values;
  }

  private long write(DuckQuery query, Target target) {
    List<Column> rowColumns = target.written();
    int[] places = new int[target.columns().size()];
    for (int i = 0; i < places.length; i++) {
      places[i] = rowColumns.indexOf(target.columns().get(i));
    }
    List<String> partialColumns =
        target.partial() ? rowColumns.stream().map(Column::name).toList() : List.of();
    @Nullable Object[] defaults = defaults(rowColumns);
    long[] written = new long[1];
    try (Cluster.RowSink sink = cluster.sink(target.table(), partialColumns)) {
      query.run(
          row -> {
            @Nullable Object[] values = defaults.clone();
            for (int i = 0; i < places.length; i++) {
              Column column = target.columns().get(i);
              values[places[i]] = SinkValues.of(row[i], column.type(), column.name());
            }
            sink.write(GenericRow.of(values));
            written[0]++;
            return true;
          });
      sink.flush();
    } catch (SluiceException e) {
      if (written[0] == 0) {
        throw e;
      }
      throw new SluiceException(
          e.code(),
          e.getMessage()
              + "; up to "
              + SqlResult.rowCount(written[0])
              + " before it may be written",
          e.details(),
          e);
    }
    return written[0];
  }
}
