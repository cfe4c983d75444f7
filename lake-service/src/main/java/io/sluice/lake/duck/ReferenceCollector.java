package io.sluice.lake.duck;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.bitmap.BitmapOperation;
import io.sluice.lake.dialect.Rendering;
import io.sluice.lake.duck.QueryReferences.SingleTable;
import io.sluice.lake.duck.QueryReferences.TableReference;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Walks the syntax tree that DuckDB's own parser made of a query and collects what it refers to. It
 * refuses what it does not know: a kind of table or of query node that is not listed here never
 * reaches the engine. For one query.
 */
final class ReferenceCollector {
  private static final Set<String> QUERY_NODES =
      Set.of("SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE");
  private static final Set<String> PLAIN_TABLES =
      Set.of("SUBQUERY", "JOIN", "EMPTY", "EXPRESSION_LIST", "CTE");

  private final Rendering text;
  private final List<TableReference> tables = new ArrayList<>();
  private final Set<String> columns = new HashSet<>();
  private final Set<String> aliases = new HashSet<>();

  /** Of each reference to a column the last name: with or without a database, it may be a table. */
  private final Set<String> lastNames = new HashSet<>();

  private boolean allColumns;

  ReferenceCollector(Rendering text) {
    this.text = text;
  }

  /** Collects from the tree of the one statement. */
  QueryReferences collect(JsonNode statement) {
    walk(statement, Set.of());
    // A name that is a table's or an alias may stand for its whole row.
    boolean wholeRows = aliases.stream().anyMatch(lastNames::contains);
    return new QueryReferences(tables, columns, allColumns || wholeRows, single(statement));
  }

  /** The only table that is read, when the outermost query reads it itself and has a condition. */
  private @Nullable SingleTable single(JsonNode statement) {
    JsonNode node = statement.path("node");
    JsonNode from = node.path("from_table");
    JsonNode where = node.path("where_clause");
    boolean simple =
        tables.size() == 1
            && node.path("type").asString("").equals("SELECT_NODE")
            && from.path("type").asString("").equals("BASE_TABLE")
            && where.isObject()
            && isAbsent(node.path("sample"))
            && isAbsent(from.path("sample"))
            && from.path("column_name_alias").isEmpty()
            && node.path("cte_map").path("map").isEmpty();
    if (!simple) {
      return null;
    }
    String alias = from.path("alias").asString("");
    return new SingleTable(alias.isEmpty() ? from.path("table_name").asString("") : alias, where);
  }

  private static boolean isAbsent(JsonNode node) {
    return node.isNull() || node.isMissingNode();
  }

  private void walk(JsonNode node, Set<String> commonTables) {
    if (node.isArray()) {
      for (JsonNode each : node) {
        walk(each, commonTables);
      }
      return;
    }
    if (!node.isObject()) {
      return;
    }
    Set<String> scope = commonTables;
    String type = node.path("type").asString("");
    if (node.has("class")) {
      expression(node);
    } else if (type.endsWith("_NODE")) {
      scope = query(node, type, commonTables);
    } else if (isTable(node, type)) {
      table(node, type, commonTables);
    }
    for (Map.Entry<String, JsonNode> child : node.properties()) {
      if (!child.getKey().equals("cte_map")) {
        walk(child.getValue(), scope);
      }
    }
  }

  /** Checks a query node, walks its common table expressions and returns what it sees of them. */
  private Set<String> query(JsonNode node, String type, Set<String> outer) {
    if (!QUERY_NODES.contains(type)) {
      throw refused(node, "This kind of query (" + type + ") is not allowed");
    }
    Set<String> scope = outer;
    for (JsonNode entry : node.path("cte_map").path("map")) {
      String name = lower(entry.path("key").asString(""));
      JsonNode value = entry.path("value");
      boolean recursive =
          value.path("query").path("node").path("type").asString("").equals("RECURSIVE_CTE_NODE");
      walk(value, recursive ? with(scope, name) : scope);
      scope = with(scope, name);
      aliases.add(name);
    }
    return scope;
  }

  private static Set<String> with(Set<String> scope, String name) {
    Set<String> wider = new HashSet<>(scope);
    wider.add(name);
    return wider;
  }

  /** Everything that has a type and is none of the other known things counts as a table. */
  private static boolean isTable(JsonNode node, String type) {
    boolean order = node.has("null_order");
    return !type.isEmpty() && !order && !type.endsWith("_MODIFIER") && !type.endsWith("_TYPE_INFO");
  }

  private void table(JsonNode node, String type, Set<String> commonTables) {
    String alias = node.path("alias").asString("");
    if (!alias.isEmpty()) {
      aliases.add(lower(alias));
    }
    switch (type) {
      case "BASE_TABLE" -> {
        baseTable(node, commonTables);
        // t(a, b) names columns by their place among all of them.
        allColumns |= !node.path("column_name_alias").isEmpty();
      }
      case "TABLE_FUNCTION" -> {
        String name = node.path("function").path("function_name").asString("");
        String refusal = FunctionRules.tableRefusal(name);
        if (refusal != null) {
          throw refused(node, refusal);
        }
        aliases.add(lower(name));
      }
      case "PIVOT" -> allColumns = true;
      case "SHOW_REF" ->
          throw refused(
              node,
              "DESCRIBE, SHOW and SUMMARIZE are not allowed inside of a query; SHOW TABLES and"
                  + " DESCRIBE are statements of their own");
      default -> {
        if (!PLAIN_TABLES.contains(type)) {
          throw refused(node, "This kind of table (" + type + ") is not allowed in a query");
        }
        if (type.equals("JOIN") && node.path("ref_type").asString("").equals("NATURAL")) {
          allColumns = true;
        }
        for (JsonNode column : node.path("using_columns")) {
          columns.add(lower(column.asString("")));
        }
      }
    }
  }

  private void baseTable(JsonNode node, Set<String> commonTables) {
    String catalog = node.path("catalog_name").asString("");
    String database = node.path("schema_name").asString("");
    String table = node.path("table_name").asString("");
    long position = position(node);
    if (!node.path("at_clause").isNull() && !node.path("at_clause").isMissingNode()) {
      throw text.failureAtByte(
          ErrorCode.UNSUPPORTED,
          "Reading " + table + " as of another time is not in this build",
          position,
          null);
    }
    aliases.add(lower(table));
    if (database.isEmpty() && commonTables.contains(lower(table))) {
      return;
    }
    tables.add(new TableReference(catalog, database, table, position));
  }

  private void expression(JsonNode node) {
    String kind = node.path("class").asString("");
    String function = node.path("function_name").asString("");
    if (!function.isEmpty() && !kind.equals("CONSTANT")) {
      String refusal = FunctionRules.refusal(function);
      if (refusal != null) {
        throw refused(node, refusal);
      }
      // The parser itself writes schemas, such as that of list_value for [1, 2].
      boolean named =
          !node.path("schema").asString("").isEmpty()
              || !node.path("catalog").asString("").isEmpty();
      if (named && SizeGuards.NAMES.contains(lower(function))) {
        throw refused(node, "Function " + lower(function) + " is written without a schema");
      }
      if (BitmapOperation.isFunction(function)) {
        checkBitmapFunction(node, kind, function.toUpperCase(Locale.ROOT), named);
      }
      if (FunctionRules.FORMATS.contains(lower(function))) {
        checkFormat(node, node.path("children").path(0).path("value").path("value").asString(""));
      }
    }
    switch (kind) {
      case "COLUMN_REF" -> {
        JsonNode names = node.path("column_names");
        for (JsonNode name : names) {
          columns.add(lower(name.asString("")));
        }
        if (!names.isEmpty()) {
          lastNames.add(lower(names.path(names.size() - 1).asString("")));
        }
      }
      case "STAR" -> allColumns = true;
      case "PARAMETER" ->
          throw text.failureAtByte(
              ErrorCode.UNSUPPORTED,
              "Parameters are not supported; write values as literals",
              position(node),
              null);
      default -> {
        // Every other expression only holds others, which the walk reaches.
      }
    }
  }

  /** What a macro would lose without a word. */
  private void checkBitmapFunction(JsonNode node, String kind, String function, boolean named) {
    String wrong = null;
    if (kind.equals("WINDOW")) {
      wrong = " cannot be used with OVER (...); use it with GROUP BY, and join the result";
    } else if (named) {
      wrong = " is written without a schema";
    } else if (node.path("distinct").asBoolean(false)) {
      wrong = " takes no DISTINCT: bitmaps that are there twice change nothing; leave it out";
    } else if (!isAbsent(node.path("filter"))) {
      wrong = " takes no FILTER (WHERE ...); give it CASE WHEN condition THEN bitmap END";
    } else if (!node.path("order_bys").path("orders").isEmpty()) {
      wrong = " takes no ORDER BY: the order of bitmaps does not matter; leave it out";
    }
    if (wrong != null) {
      throw text.failureAtByte(ErrorCode.UNSUPPORTED, function + wrong, position(node), null);
    }
  }

  /** A width in a format makes a text of any length: only short ones that stand there are taken. */
  private void checkFormat(JsonNode node, String format) {
    if (format.isEmpty() || FunctionRules.WIDE_FORMAT.matcher(format).find()) {
      throw refused(
          node, "A format must be a literal with widths of at most four digits; use lpad or rpad");
    }
  }

  private SluiceException refused(JsonNode node, String message) {
    return text.failureAtByte(ErrorCode.PERMISSION_DENIED, message, position(node), null);
  }

  /** DuckDB writes the largest unsigned number where it knows no place. */
  private static long position(JsonNode node) {
    JsonNode location = node.path("query_location");
    return location.isIntegralNumber() && location.canConvertToInt() ? location.asInt() : -1;
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }
}
