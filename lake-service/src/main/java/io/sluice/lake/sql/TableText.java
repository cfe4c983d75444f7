package io.sluice.lake.sql;

import io.sluice.client.TableDescription;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.BinaryType;
import io.sluice.format.schema.DataType.BooleanType;
import io.sluice.format.schema.DataType.BytesType;
import io.sluice.format.schema.DataType.DateType;
import io.sluice.format.schema.DataType.DecimalType;
import io.sluice.format.schema.DataType.DoubleType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.IntegerType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
              + defaultOf(column)
              + comment(column.comment()));
    }
    if (!table.schema().primaryKey().isEmpty()) {
      List<String> key = table.schema().primaryKey().stream().map(TableText::name).toList();
      parts.add("PRIMARY KEY (" + String.join(", ", key) + ") NOT ENFORCED");
    }
    text.append(" (\n  ").append(String.join(",\n  ", parts)).append("\n)");
    text.append(comment(table.comment()));
    if (table.partitioned()) {
      List<String> keys = table.partitionKeys().stream().map(TableText::name).toList();
      text.append(" PARTITIONED BY (").append(String.join(", ", keys)).append(')');
    }
    Map<String, String> options = new TreeMap<>(table.options());
    if (!options.isEmpty()) {
      List<String> entries = new ArrayList<>();
      options.forEach((key, value) -> entries.add(literal(key) + " = " + literal(value)));
      text.append(" WITH (\n  ").append(String.join(",\n  ", entries)).append("\n)");
    }
    return text.toString();
  }

  private static String defaultOf(Column column) {
    String text = column.writeDefault();
    return text == null ? "" : " DEFAULT " + defaultLiteral(column.type(), text);
  }

  /** A default as the literal that a definition has it as. */
  static String defaultLiteral(DataType type, String text) {
    if (type instanceof BinaryType || type instanceof BytesType) {
      return "X" + literal(text);
    }
    if (type instanceof BooleanType) {
      return text.toUpperCase(Locale.ROOT);
    }
    if (type instanceof DateType) {
      return "DATE " + literal(text);
    }
    // NaN and the infinities have no literal of their own.
    boolean number =
        text.matches("[-+]?[0-9].*")
            && (type instanceof IntegerType
                || type instanceof DecimalType
                || type instanceof FloatType
                || type instanceof DoubleType);
    return number ? text : literal(text);
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
