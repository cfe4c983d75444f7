package io.sluice.lake.sql;

import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.lake.dialect.NearestNames;
import io.sluice.lake.dialect.Rendering;
import io.sluice.lake.duck.BoundTable;
import io.sluice.lake.duck.QueryParser;
import io.sluice.lake.duck.QueryReferences;
import io.sluice.lake.duck.QueryReferences.TableReference;
import io.sluice.lake.union.Cluster;
import io.sluice.lake.union.TableVariant;
import io.sluice.lake.union.UnionPlanner;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the tables that a query names, all of them in Sluice and nowhere else, and plans how each
 * is read: before the engine sees the text. Thread-safe.
 */
final class QueryPlanner {
  /** Names that the engine gives to catalogs and schemas of its own. */
  private static final Set<String> ENGINE_NAMES = Set.of("memory", "temp", "system");

  private static final Set<String> ENGINE_CATALOGS = Set.of("information_schema", "pg_catalog");

  private final Cluster cluster;
  private final QueryParser parser;
  private final UnionPlanner planner;

  QueryPlanner(Cluster cluster, QueryParser parser, UnionPlanner planner) {
    this.cluster = cluster;
    this.parser = parser;
    this.planner = planner;
  }

  /**
   * A query with its tables.
   *
   * @param text what the engine gets: tables are named without a catalog there
   */
  record Planned(Rendering text, List<BoundTable> tables) {
    Planned {
      tables = List.copyOf(tables);
    }
  }

  /** A table of the query with the view of it that is wanted. */
  private record Named(TableDescription table, TableVariant variant) {}

  /**
   * Parses and plans.
   *
   * @throws SluiceException what the query may not do or names that is not there
   */
  Planned plan(Rendering text, @Nullable String database, boolean allowPartial) {
    QueryReferences query = parser.parse(text);
    Map<String, Named> named = new LinkedHashMap<>();
    Set<Long> catalogs = new LinkedHashSet<>();
    for (TableReference reference : query.tables()) {
      if (!reference.catalog().isEmpty()) {
        checkCatalog(reference, text);
        catalogs.add(reference.bytePosition());
      }
      Named found = find(reference, text, database);
      String name = found.table().path() + found.variant().suffix();
      Named other = named.put(name.toLowerCase(Locale.ROOT), found);
      if (other != null && !other.table().path().equals(found.table().path())) {
        throw text.failureAtByte(
            ErrorCode.UNSUPPORTED,
            "Tables "
                + other.table().path()
                + " and "
                + found.table().path()
                + " differ by case only and cannot stand in one query",
            reference.bytePosition(),
            null);
      }
    }
    List<BoundTable> tables = new ArrayList<>(named.size());
    for (Named each : named.values()) {
      tables.add(BoundTable.of(planner.plan(each.table(), each.variant(), allowPartial), query));
    }
    // The engine has a catalog of its own.
    return new Planned(text.withoutQualifier(TableNames.CATALOG, catalogs), tables);
  }

  private static void checkCatalog(TableReference reference, Rendering text) {
    boolean placed = reference.bytePosition() >= 0;
    if (!placed || !reference.catalog().equalsIgnoreCase(TableNames.CATALOG)) {
      throw text.failureAtByte(
          ErrorCode.INVALID_SQL,
          TableNames.foreign(
              reference.catalog(),
              "Table "
                  + String.join(".", reference.catalog(), reference.database(), reference.table())),
          reference.bytePosition(),
          null);
    }
  }

  /**
   * Sees that a query reads nothing.
   *
   * @param what names what has to be constant
   * @throws SluiceException UNSUPPORTED when it names a table or a column
   */
  void requireConstant(Rendering text, String what) {
    QueryReferences query = parser.parse(text);
    if (!query.tables().isEmpty() || query.allColumns() || !query.columns().isEmpty()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          what
              + " must be constants"
              + (query.columns().isEmpty()
                  ? ""
                  : ", and "
                      + String.join(", ", query.columns().stream().sorted().toList())
                      + " is none")
              + ". What is made of other rows can be put by INSERT INTO ... SELECT");
    }
  }

  private Named find(TableReference reference, Rendering text, @Nullable String database) {
    String name = reference.table();
    TableVariant variant = TableVariant.WHOLE;
    for (TableVariant each : TableVariant.values()) {
      if (!each.suffix().isEmpty() && name.endsWith(each.suffix())) {
        variant = each;
        name = name.substring(0, name.length() - each.suffix().length());
      }
    }
    String from = reference.database().isEmpty() ? database : reference.database();
    checkName(reference, name, text);
    if (from == null || from.isBlank()) {
      throw text.failureAtByte(
          ErrorCode.INVALID_SQL,
          "Table '"
              + name
              + "' has no database: write database.table, or send the field \"database\"",
          reference.bytePosition(),
          null);
    }
    checkDatabase(from, reference, text);
    if (from.startsWith("__")) {
      throw text.failureAtByte(
          ErrorCode.DATABASE_NOT_FOUND,
          "Database '" + from + "' does not exist",
          reference.bytePosition(),
          null);
    }
    return new Named(describe(new TablePath(from, name), reference, text), variant);
  }

  private static void checkName(TableReference reference, String name, Rendering text) {
    if (name.indexOf('$') >= 0) {
      throw text.failureAtByte(
          ErrorCode.UNSUPPORTED,
          "'"
              + reference.table()
              + "' is no view of a table in this build; there are t$lake and t$changelog",
          reference.bytePosition(),
          null);
    }
    if (!name.matches("[A-Za-z0-9_-]+")) {
      throw text.failureAtByte(
          ErrorCode.PERMISSION_DENIED,
          "'"
              + reference.table()
              + "' is no name of a table; files and addresses cannot be read by naming them",
          reference.bytePosition(),
          null);
    }
  }

  private static void checkDatabase(String database, TableReference reference, Rendering text) {
    String lower = database.toLowerCase(Locale.ROOT);
    if (ENGINE_CATALOGS.contains(lower)) {
      throw text.failureAtByte(
          ErrorCode.PERMISSION_DENIED,
          "'"
              + database
              + "' belongs to the engine and cannot be read; SHOW TABLES and DESCRIBE tell what"
              + " there is",
          reference.bytePosition(),
          null);
    }
    if (ENGINE_NAMES.contains(lower)) {
      throw text.failureAtByte(
          ErrorCode.UNSUPPORTED,
          "Tables of a database named '"
              + database
              + "' cannot be queried: the engine has that"
              + " name for itself",
          reference.bytePosition(),
          null);
    }
  }

  private TableDescription describe(TablePath path, TableReference reference, Rendering text) {
    try {
      return cluster.describe(path);
    } catch (SluiceException e) {
      if (e.code() == ErrorCode.TABLE_NOT_FOUND || e.code() == ErrorCode.DATABASE_NOT_FOUND) {
        throw notFound(path, reference, text, e);
      }
      throw e;
    }
  }

  private SluiceException notFound(
      TablePath path, TableReference reference, Rendering text, SluiceException cause) {
    List<String> databases = cluster.databases();
    if (!databases.contains(path.database())) {
      return text.failureAtByte(
          ErrorCode.DATABASE_NOT_FOUND,
          "Database '"
              + path.database()
              + "' does not exist"
              + NearestNames.hint(path.database(), databases),
          reference.bytePosition(),
          cause);
    }
    List<String> tables =
        cluster.tables(path.database()).stream().map(table -> table.path().table()).toList();
    return text.failureAtByte(
        ErrorCode.TABLE_NOT_FOUND,
        "Table " + path + " does not exist" + NearestNames.hint(path.table(), tables),
        reference.bytePosition(),
        cause);
  }
}
