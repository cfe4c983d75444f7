package io.sluice.lake.sql;

import io.sluice.client.TableDescription;
import io.sluice.client.TableSpec;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableOptions;
import io.sluice.common.TablePath;
import io.sluice.lake.dialect.NearestNames;
import io.sluice.lake.dialect.SqlText;
import io.sluice.lake.duck.ResultColumn;
import io.sluice.lake.union.Cluster;
import io.sluice.lake.union.Lake;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.flink.sql.parser.ddl.SqlAlterTable;
import org.apache.flink.sql.parser.ddl.SqlCreateDatabase;
import org.apache.flink.sql.parser.ddl.SqlCreateTable;
import org.apache.flink.sql.parser.ddl.SqlDropDatabase;
import org.apache.flink.sql.parser.ddl.SqlDropTable;
import org.apache.flink.sql.parser.ddl.SqlUseDatabase;
import org.apache.flink.sql.parser.dql.SqlRichDescribeTable;
import org.apache.flink.sql.parser.dql.SqlShowCreateTable;
import org.apache.flink.sql.parser.dql.SqlShowDatabases;
import org.apache.flink.sql.parser.dql.SqlShowPartitions;
import org.apache.flink.sql.parser.dql.SqlShowTables;
import org.jspecify.annotations.Nullable;

/** CREATE, DROP, SHOW, DESCRIBE and USE; ALTER and COMMENT are handed on. Thread-safe. */
final class DefinitionStatements {
  private final Cluster cluster;
  private final Lake lake;
  private final KnownTables tables;
  private final AlterStatements alterations;

  DefinitionStatements(Cluster cluster, Lake lake) {
    this.cluster = cluster;
    this.lake = lake;
    this.tables = new KnownTables(cluster);
    this.alterations = new AlterStatements(cluster);
  }

  /** Runs one. */
  SqlResult run(SqlText text, @Nullable String database) {
    if (text.tokens().get(0).isWord("COMMENT")) {
      return alterations.comment(CommentStatement.parse(text), database);
    }
    DefinitionText definition = DefinitionText.of(text);
    SqlNode statement = FlinkParser.parse(definition.forFlink(), "");
    if (statement instanceof SqlCreateTable create) {
      return createTable(create, definition, database);
    }
    if (statement instanceof SqlAlterTable alter) {
      return alterations.run(alter, definition, database);
    }
    if (statement instanceof SqlDropTable drop) {
      return dropTable(drop, database, definition.purge());
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
      TableDescription table = tables.describe(TableNames.path(show.getTableName(), database));
      return list("result", List.of(TableText.createStatement(table)));
    }
    if (statement instanceof SqlShowPartitions show) {
      SqlIdentifier name = (SqlIdentifier) show.getOperandList().get(0);
      TableDescription table = tables.describe(TableNames.path(name, database));
      return list("partition name", TableRows.partitions(table, show.getPartitionSpec()));
    }
    if (statement instanceof SqlRichDescribeTable describe) {
      return TableRows.describe(
          tables.describe(TableNames.path(describe.getOperandList().get(0), database)));
    }
    throw text.failure(
        ErrorCode.UNSUPPORTED,
        "This statement is not in this build; there are SHOW TABLES, SHOW DATABASES, SHOW"
            + " PARTITIONS, SHOW CREATE TABLE and DESCRIBE",
        text.tokens().get(0));
  }

  private SqlResult createTable(
      SqlCreateTable create, DefinitionText text, @Nullable String database) {
    TableSpec spec = TableDefinitions.of(create, text, database);
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
      throw tables.named(e, path);
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
    String name = TableNames.database(create.getDatabaseName().names);
    cluster.createDatabase(name, create.isIfNotExists());
    boolean more = create.getComment().isPresent() || !create.getPropertyList().isEmpty();
    return more
        ? SqlResult.done(
            "Database " + name + " created", "Comments and options of databases are not kept")
        : SqlResult.done("Database " + name + " created");
  }

  private SqlResult dropDatabase(SqlDropDatabase drop) {
    String name = TableNames.database(drop.getDatabaseName().names);
    boolean dropped = cluster.dropDatabase(name, drop.getIfExists(), drop.isCascade());
    return SqlResult.done(
        dropped ? "Database " + name + " dropped" : "There was no database " + name + " to drop");
  }

  private SqlResult use(SqlUseDatabase use) {
    String name = TableNames.database(use.getDatabaseName().names);
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
            : TableNames.database(show.getSqlIdentifierNameList());
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

  private static SqlResult list(String column, List<String> values) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    values.forEach(value -> rows.add(Arrays.asList((Object) value)));
    return SqlResult.rows(List.of(new ResultColumn(column, "STRING")), rows);
  }
}
