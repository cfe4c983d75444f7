package io.sluice.lake.sql;

import io.sluice.client.TableDescription;
import io.sluice.client.TableSpec;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableOptions;
import io.sluice.common.TablePath;
import io.sluice.format.schema.Column;
import io.sluice.lake.dialect.NearestNames;
import io.sluice.lake.dialect.SqlText;
import io.sluice.lake.dialect.Token;
import io.sluice.lake.duck.ResultColumn;
import io.sluice.lake.union.Cluster;
import io.sluice.lake.union.Lake;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.calcite.sql.SqlNode;
import org.apache.flink.sql.parser.ddl.SqlCreateDatabase;
import org.apache.flink.sql.parser.ddl.SqlCreateTable;
import org.apache.flink.sql.parser.ddl.SqlDropDatabase;
import org.apache.flink.sql.parser.ddl.SqlDropTable;
import org.apache.flink.sql.parser.ddl.SqlUseDatabase;
import org.apache.flink.sql.parser.dql.SqlRichDescribeTable;
import org.apache.flink.sql.parser.dql.SqlShowCreateTable;
import org.apache.flink.sql.parser.dql.SqlShowDatabases;
import org.apache.flink.sql.parser.dql.SqlShowTables;
import org.jspecify.annotations.Nullable;

/** CREATE, DROP, SHOW, DESCRIBE and USE. Thread-safe. */
final class DefinitionStatements {
  private final Cluster cluster;
  private final Lake lake;

  DefinitionStatements(Cluster cluster, Lake lake) {
    this.cluster = cluster;
    this.lake = lake;
  }

  /** Runs one. */
  SqlResult run(SqlText text, @Nullable String database) {
    Token purge = purge(text);
    int until = purge == null ? text.source().length() : purge.start();
    SqlNode statement = FlinkParser.parse(text.forFlink(until), "");
    if (statement instanceof SqlCreateTable create) {
      return createTable(create, database);
    }
    if (statement instanceof SqlDropTable drop) {
      return dropTable(drop, database, purge != null);
    }
    if (statement instanceof SqlCreateDatabase create) {
      return createDatabase(create);
    }
    if (statement instanceof SqlDropDatabase drop) {
      return dropDatabase(drop);
    }
    if (statement instanceof SqlUseDatabase use) {
      return use(use);
    }
    return show(statement, text, database);
  }

  private SqlResult show(SqlNode statement, SqlText text, @Nullable String database) {
    if (statement instanceof SqlShowDatabases) {
      return list("database name", cluster.databases());
    }
    if (statement instanceof SqlShowTables show) {
      return showTables(show, database);
    }
    if (statement instanceof SqlShowCreateTable show) {
      TableDescription table = describe(TableNames.path(show.getTableName(), database));
      return list("result", List.of(TableText.createStatement(table)));
    }
    if (statement instanceof SqlRichDescribeTable describe) {
      return describeTable(describe(TableNames.path(describe.getOperandList().get(0), database)));
    }
    throw text.failure(
        ErrorCode.UNSUPPORTED,
        "This statement is not in this build; there are SHOW TABLES, SHOW DATABASES, SHOW CREATE"
            + " TABLE and DESCRIBE",
        text.tokens().get(0));
  }

  /** PURGE at the end of DROP TABLE, which Flink's parser does not know. */
  private static @Nullable Token purge(SqlText text) {
    List<Token> tokens = text.tokens();
    Token last = tokens.get(tokens.size() - 1);
    boolean purges =
        tokens.size() > 3
            && tokens.get(0).isWord("DROP")
            && tokens.get(1).isWord("TABLE")
            && last.isWord("PURGE")
            && tokens.get(tokens.size() - 2).isName()
            && !tokens.get(tokens.size() - 2).isWord("EXISTS");
    return purges ? last : null;
  }

  private SqlResult createTable(SqlCreateTable create, @Nullable String database) {
    TableSpec spec = TableDefinitions.of(create, database);
    if (spec.ignoreIfExists() && exists(spec.path())) {
      return SqlResult.done("Table " + spec.path() + " exists already; nothing was changed");
    }
    if (TableOptions.lakeEnabled(spec.options())) {
      refuseLeftover(spec.path());
    }
    TableDescription table = cluster.createTable(spec);
    return SqlResult.done("Table " + table.path() + " created");
  }

  private boolean exists(TablePath path) {
    try {
      cluster.describe(path);
      return true;
    } catch (SluiceException e) {
      if (e.code() == ErrorCode.TABLE_NOT_FOUND || e.code() == ErrorCode.DATABASE_NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  /** A lake table of an earlier table would stop the new one's first round: better now. */
  private void refuseLeftover(TablePath path) {
    Lake.Leftover found = lake.find(path);
    if (found.exists() && !found.managed()) {
      throw new SluiceException(
          ErrorCode.LAKE_TABLE_EXISTS,
          "The lake holds a table "
              + path
              + (found.tableId() == 0
                  ? " that was not made by Sluice"
                  : " of a table that was dropped")
              + ". Drop it with: DROP TABLE IF EXISTS "
              + path
              + " PURGE, or choose another name");
    }
  }

  private SqlResult dropTable(SqlDropTable drop, @Nullable String database, boolean purge) {
    if (drop.isTemporary()) {
      throw new SluiceException(ErrorCode.UNSUPPORTED, "There are no temporary tables");
    }
    TablePath path = TableNames.path(drop.getTableName(), database);
    boolean dropped;
    try {
      dropped = cluster.dropTable(path, drop.getIfExists());
    } catch (SluiceException e) {
      throw named(e, path);
    }
    String message =
        dropped ? "Table " + path + " dropped" : "There was no table " + path + " to drop";
    if (!purge) {
      return SqlResult.done(message);
    }
    boolean purged = lake.purge(path);
    return SqlResult.done(
        message + (purged ? "; its lake table was deleted" : "; the lake held no table of it"));
  }

  private SqlResult createDatabase(SqlCreateDatabase create) {
    String name = TableNames.single(create.getDatabaseName(), "Database");
    cluster.createDatabase(name, create.isIfNotExists());
    boolean more = create.getComment().isPresent() || !create.getPropertyList().isEmpty();
    return more
        ? SqlResult.done(
            "Database " + name + " created", "Comments and options of databases are not kept")
        : SqlResult.done("Database " + name + " created");
  }

  private SqlResult dropDatabase(SqlDropDatabase drop) {
    String name = TableNames.single(drop.getDatabaseName(), "Database");
    boolean dropped = cluster.dropDatabase(name, drop.getIfExists(), drop.isCascade());
    return SqlResult.done(
        dropped ? "Database " + name + " dropped" : "There was no database " + name + " to drop");
  }

  private SqlResult use(SqlUseDatabase use) {
    String name = TableNames.single(use.getDatabaseName(), "Database");
    requireDatabase(name);
    return SqlResult.done(
        "Nothing was changed: there is no session to keep a database in. Send \"database\": \""
            + name
            + "\" with each statement");
  }

  private void requireDatabase(String name) {
    List<String> databases = cluster.databases();
    if (!databases.contains(name)) {
      throw new SluiceException(
          ErrorCode.DATABASE_NOT_FOUND,
          "Database '" + name + "' does not exist" + NearestNames.hint(name, databases));
    }
  }

  private SqlResult showTables(SqlShowTables show, @Nullable String database) {
    String from =
        show.getPreposition() == null
            ? TableNames.requireDatabase(database, "SHOW TABLES")
            : String.join(".", show.getSqlIdentifierNameList());
    requireDatabase(from);
    Pattern like = show.isWithLike() ? like(show.getLikeSqlPattern()) : null;
    List<String> names = new ArrayList<>();
    for (TableDescription table : cluster.tables(from)) {
      String name = table.path().table();
      if (like == null || like.matcher(name).matches() != show.isNotLike()) {
        names.add(name);
      }
    }
    names.sort(null);
    return list("table name", names);
  }

  /** SQL's pattern: {@code %} for any text, {@code _} for one character. */
  private static Pattern like(String pattern) {
    StringBuilder expression = new StringBuilder();
    pattern
        .codePoints()
        .forEach(
            point -> {
              if (point == '%') {
                expression.append(".*");
              } else if (point == '_') {
                expression.append('.');
              } else {
                expression.append(Pattern.quote(Character.toString(point)));
              }
            });
    return Pattern.compile(expression.toString(), Pattern.DOTALL);
  }

  private TableDescription describe(TablePath path) {
    try {
      return cluster.describe(path);
    } catch (SluiceException e) {
      throw named(e, path);
    }
  }

  /** A missing table's failure with the nearest names there are. */
  private SluiceException named(SluiceException failure, TablePath path) {
    if (failure.code() != ErrorCode.TABLE_NOT_FOUND) {
      return failure;
    }
    List<String> names =
        cluster.tables(path.database()).stream().map(table -> table.path().table()).toList();
    return new SluiceException(
        failure.code(),
        "Table " + path + " does not exist" + NearestNames.hint(path.table(), names),
        failure);
  }

  private static SqlResult describeTable(TableDescription table) {
    List<String> key = table.schema().primaryKey();
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (Column column : table.schema().columns()) {
      rows.add(
          Arrays.asList(
              column.name(),
              column.type().toString(),
              column.nullable(),
              key.contains(column.name()) ? "PRI(" + String.join(", ", key) + ")" : null,
              column.comment().isEmpty() ? null : column.comment()));
    }
    return SqlResult.rows(
        List.of(
            new ResultColumn("name", "STRING"),
            new ResultColumn("type", "STRING"),
            new ResultColumn("null", "BOOLEAN"),
            new ResultColumn("key", "STRING"),
            new ResultColumn("comment", "STRING")),
        rows);
  }

  private static SqlResult list(String column, List<String> values) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    values.forEach(value -> rows.add(Arrays.asList((Object) value)));
    return SqlResult.rows(List.of(new ResultColumn(column, "STRING")), rows);
  }
}
