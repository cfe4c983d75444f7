package io.sluice.cli.sql;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * What a statement gave.
 *
 * @param hasRows false for a statement that only does something
 * @param message what was done, in words; may be empty
 * @param columns of the rows
 * @param rows values in the order of the columns, as JSON has them
 * @param rowCount rows given, or changed
 * @param truncated whether there were more rows than were asked for
 * @param notices what a person should know about the result
 * @param elapsedMs how long the service took
 */
public record SqlResult(
    boolean hasRows,
    String message,
    List<Column> columns,
    List<List<JsonNode>> rows,
    long rowCount,
    boolean truncated,
    List<String> notices,
    long elapsedMs) {

  /** A column: its name and its SQL type. */
  public record Column(String name, String type) {}

  /** Copies the lists. */
  public SqlResult {
    columns = List.copyOf(columns);
    rows = List.copyOf(rows);
    notices = List.copyOf(notices);
  }

  /** From the body of the service's answer. */
  static SqlResult of(JsonNode json) {
    List<Column> columns = new ArrayList<>();
    for (JsonNode column : json.path("columns")) {
      columns.add(new Column(column.path("name").asText(), column.path("type").asText()));
    }
    List<List<JsonNode>> rows = new ArrayList<>();
    for (JsonNode row : json.path("rows")) {
      List<JsonNode> values = new ArrayList<>(columns.size());
      row.forEach(values::add);
      rows.add(values);
    }
    List<String> notices = new ArrayList<>();
    json.path("notices").forEach(notice -> notices.add(notice.asText()));
    return new SqlResult(
        json.path("kind").asText().equals("rows"),
        json.path("message").asText(""),
        columns,
        rows,
        json.path("rowCount").asLong(rows.size()),
        json.path("truncated").asBoolean(false),
        notices,
        json.path("elapsedMs").asLong(0));
  }

  /** The value in a row and column, as text; {@code NULL} when there is none. */
  public String text(int row, int column) {
    return text(rows.get(row).get(column));
  }

  static String text(JsonNode value) {
    if (value.isNull() || value.isMissingNode()) {
      return "NULL";
    }
    return value.isContainerNode() ? value.toString() : value.asText();
  }
}
