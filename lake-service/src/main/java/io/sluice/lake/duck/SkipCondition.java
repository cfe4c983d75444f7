package io.sluice.lake.duck;

import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.filter.Filter;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.BooleanType;
import io.sluice.format.schema.DataType.DateType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.StringType;
import io.sluice.format.schema.DataType.TimestampType;
import io.sluice.format.schema.TableSchema;
import io.sluice.lake.duck.QueryReferences.SingleTable;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Takes of a query's WHERE what the servers may use to leave batches and partitions out. The engine
 * tests every row that comes again, so parts of an AND can be left out here and nothing has to be
 * complete; but no row may be lost. Only comparisons whose meaning is the same in both are taken:
 * whole numbers, text, booleans, dates and wall-clock times, each with a literal of its own kind.
 */
final class SkipCondition {
  private static final Map<String, String> COMPARISONS =
      Map.of(
          "COMPARE_EQUAL", "=",
          "COMPARE_NOTEQUAL", "<>",
          "COMPARE_LESSTHAN", "<",
          "COMPARE_GREATERTHAN", ">",
          "COMPARE_LESSTHANOREQUALTO", "<=",
          "COMPARE_GREATERTHANOREQUALTO", ">=");
  private static final Map<String, String> MIRRORED =
      Map.of("=", "=", "<>", "<>", "<", ">", ">", "<", "<=", ">=", ">=", "<=");

  /** Longer ones cost more than they save. */
  private static final int MAX_CHARACTERS = 16 * 1024;

  private static final int MICROSECOND_DIGITS = 6;
  private static final Pattern DATE = Pattern.compile("\\d{4}-\\d\\d-\\d\\d");
  private static final Pattern TIMESTAMP =
      Pattern.compile("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?");

  private final String alias;
  private final TableSchema schema;

  private SkipCondition(String alias, TableSchema schema) {
    this.alias = alias;
    this.schema = schema;
  }

  /** The condition as a filter's text; empty when nothing of it can be used. */
  static String of(QueryReferences query, TableDescription table) {
    SingleTable single = query.single();
    if (single == null) {
      return "";
    }
    String text = new SkipCondition(single.alias(), table.schema()).condition(single.where());
    return text == null || text.length() > MAX_CHARACTERS || !understood(text, table.schema())
        ? ""
        : text;
  }

  /** A filter that would be refused must not fail a query that does not need it. */
  private static boolean understood(String text, TableSchema schema) {
    try {
      Filter.parse(text).bind(schema);
      return true;
    } catch (SluiceException e) {
      if (e.code() == ErrorCode.INVALID_FILTER) {
        return false;
      }
      throw e;
    }
  }

  private @Nullable String condition(JsonNode node) {
    return switch (node.path("class").asString("")) {
      case "CONJUNCTION" -> conjunction(node);
      case "COMPARISON" -> comparison(node);
      case "BETWEEN" -> between(node);
      case "OPERATOR" -> operator(node);
      default -> null;
    };
  }

  private @Nullable String conjunction(JsonNode node) {
    boolean and = node.path("type").asString("").equals("CONJUNCTION_AND");
    List<String> parts = new ArrayList<>();
    for (JsonNode child : node.path("children")) {
      String part = condition(child);
      if (part != null) {
        parts.add("(" + part + ")");
      } else if (!and) {
        return null;
      }
    }
    return parts.isEmpty() ? null : String.join(and ? " AND " : " OR ", parts);
  }

  private @Nullable String comparison(JsonNode node) {
    String operator = COMPARISONS.get(node.path("type").asString(""));
    if (operator == null) {
      return null;
    }
    Column column = column(node.path("left"));
    if (column != null) {
      return compared(column, operator, node.path("right"));
    }
    column = column(node.path("right"));
    return column == null
        ? null
        : compared(column, MIRRORED.getOrDefault(operator, operator), node.path("left"));
  }

  private static @Nullable String compared(Column column, String operator, JsonNode value) {
    String literal = literal(column.type(), value);
    return literal == null ? null : name(column) + " " + operator + " " + literal;
  }

  private @Nullable String between(JsonNode node) {
    Column column = column(node.path("input"));
    if (column == null || !node.path("type").asString("").equals("COMPARE_BETWEEN")) {
      return null;
    }
    String lower = literal(column.type(), node.path("lower"));
    String upper = literal(column.type(), node.path("upper"));
    return lower == null || upper == null
        ? null
        : name(column) + " >= " + lower + " AND " + name(column) + " <= " + upper;
  }

  private @Nullable String operator(JsonNode node) {
    JsonNode children = node.path("children");
    Column column = column(children.path(0));
    if (column == null || column.type().isNested()) {
      return null;
    }
    switch (node.path("type").asString("")) {
      case "OPERATOR_IS_NULL":
        return name(column) + " IS NULL";
      case "OPERATOR_IS_NOT_NULL":
        return name(column) + " IS NOT NULL";
      case "COMPARE_IN":
        List<String> values = new ArrayList<>();
        for (int i = 1; i < children.size(); i++) {
          String value = literal(column.type(), children.path(i));
          if (value == null) {
            return null;
          }
          values.add(value);
        }
        return values.isEmpty() ? null : name(column) + " IN (" + String.join(", ", values) + ")";
      default:
        return null;
    }
  }

  /** The column that a reference certainly is, or null. */
  private @Nullable Column column(JsonNode node) {
    JsonNode names = node.path("column_names");
    if (!node.path("class").asString("").equals("COLUMN_REF") || names.isEmpty()) {
      return null;
    }
    if (names.size() == 1) {
      return named(names.path(0).asString(""));
    }
    String qualifier = names.path(0).asString("");
    boolean certain =
        names.size() == 2 && qualifier.equalsIgnoreCase(alias) && named(qualifier) == null;
    return certain ? named(names.path(1).asString("")) : null;
  }

  private @Nullable Column named(String name) {
    for (Column column : schema.columns()) {
      if (column.name().equalsIgnoreCase(name)) {
        return column;
      }
    }
    return null;
  }

  private static @Nullable String literal(DataType type, JsonNode node) {
    if (type instanceof DateType) {
      return typed(node, "DATE");
    }
    if (type instanceof TimestampType timestamp && timestamp.precision() <= MICROSECOND_DIGITS) {
      return typed(node, "TIMESTAMP");
    }
    if (type instanceof BooleanType) {
      String value = constant(cast(node, "BOOLEAN"), "VARCHAR");
      return value == null ? null : value.equals("t") ? "TRUE" : value.equals("f") ? "FALSE" : null;
    }
    if (type instanceof StringType) {
      String value = constant(node, "VARCHAR");
      return value == null || value.indexOf('\0') >= 0 ? null : quoted(value);
    }
    return type instanceof IntegerType ? whole(node) : null;
  }

  private static @Nullable String whole(JsonNode node) {
    for (String type : List.of("INTEGER", "BIGINT")) {
      String value = constant(node, type);
      if (value != null && value.matches("-?\\d+")) {
        return value;
      }
    }
    return null;
  }

  /** A text that is cast to the type, or that the engine will cast to the column's. */
  private static @Nullable String typed(JsonNode node, String type) {
    String cast = constant(cast(node, type), "VARCHAR");
    String value = cast == null ? constant(node, "VARCHAR") : cast;
    boolean date = type.equals("DATE");
    if (value == null || !(date ? DATE : TIMESTAMP).matcher(value).matches()) {
      return null;
    }
    try {
      if (date) {
        LocalDate.parse(value);
      } else {
        LocalDateTime.parse(value.replace(' ', 'T'));
      }
    } catch (DateTimeException e) {
      return null;
    }
    return type + " " + quoted(value);
  }

  /** What is cast to that type; a missing node for anything else. */
  private static JsonNode cast(JsonNode node, String type) {
    boolean casts =
        node.path("class").asString("").equals("CAST")
            && node.path("cast_type").path("id").asString("").equals(type)
            && !node.path("try_cast").asBoolean(true);
    return casts ? node.path("child") : node.path("no such child");
  }

  private static @Nullable String constant(JsonNode node, String type) {
    JsonNode value = node.path("value");
    boolean constant =
        node.path("class").asString("").equals("CONSTANT")
            && value.path("type").path("id").asString("").toUpperCase(Locale.ROOT).equals(type)
            && !value.path("is_null").asBoolean(true);
    return constant ? value.path("value").asString() : null;
  }

  private static String name(Column column) {
    return '"' + column.name().replace("\"", "\"\"") + '"';
  }

  private static String quoted(String text) {
    return '\'' + text.replace("'", "''") + '\'';
  }
}
