package io.sluice.lake.sql;

import io.sluice.client.TableDescription;
import io.sluice.format.schema.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A table as the statement that creates it. */
final class TableText {
  private TableText() {}

  /** The CREATE TABLE statement, which {@link TableDefinitions} reads back. */
  static String createStatement(TableDescription table) {
    StringBuilder text = new StringBuilder("CREATE TABLE ");
    text.append(name(table.path().database())).append('.').append(name(table.path().table()));
    List<String> parts = new ArrayList<>();
    for (Column column : table.schema().columns()) {
      parts.add(
          name(column.name())
              + " "
              + column.type()
              + (column.nullable() ? "" : " NOT NULL")
              + comment(column.comment()));
    }
    if (!table.schema().primaryKey().isEmpty()) {
      List<String> key = table.schema().primaryKey().stream().map(TableText::name).toList();
      parts.add("PRIMARY KEY (" + String.join(", ", key) + ") NOT ENFORCED");
    }
    text.append(" (\n  ").append(String.join(",\n  ", parts)).append("\n)");
    text.append(comment(table.comment()));
    Map<String, String> options = new TreeMap<>(table.options());
    if (!options.isEmpty()) {
      List<String> entries = new ArrayList<>();
      options.forEach((key, value) -> entries.add(literal(key) + " = " + literal(value)));
      text.append(" WITH (\n  ").append(String.join(",\n  ", entries)).append("\n)");
    }
    return text.toString();
  }

  private static String comment(String comment) {
    return comment.isEmpty() ? "" : " COMMENT " + literal(comment);
  }

  private static String name(String name) {
    return '`' + name.replace("`", "``") + '`';
  }

  private static String literal(String text) {
    return '\'' + text.replace("'", "''") + '\'';
  }
}
