package io.sluice.cli.sql;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.measure.JsonText;
import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.Terminal;
import io.sluice.cli.terminal.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Writes the result of a statement: rows to the output, remarks to the error stream or below. */
final class ResultPrinter {
  private static final Set<String> NUMBERS =
      Set.of(
          "TINYINT",
          "SMALLINT",
          "INT",
          "INTEGER",
          "BIGINT",
          "HUGEINT",
          "FLOAT",
          "REAL",
          "DOUBLE",
          "DECIMAL",
          "NUMERIC",
          "UTINYINT",
          "USMALLINT",
          "UINTEGER",
          "UBIGINT",
          "UHUGEINT");

  private static final long NANOS_PER_MS = 1_000_000;

  private final Terminal terminal;
  private final ResultFormat format;

  ResultPrinter(Terminal terminal, ResultFormat format) {
    this.terminal = terminal;
    this.format = format;
  }

  void print(SqlResult result) {
    result.notices().forEach(notice -> terminal.problem("Notice: " + notice));
    if (!result.hasRows()) {
      if (format == ResultFormat.TABLE) {
        terminal.line(result.message().isEmpty() ? "Done" : result.message());
      }
      return;
    }
    switch (format) {
      case TABLE -> printTable(result);
      case CSV -> printCsv(result);
      case JSON -> printJson(result);
    }
    if (result.truncated()) {
      terminal.problem(
          "Notice: there are more rows than the "
              + Figures.count(result.rows().size())
              + " shown; --max-rows N shows more");
    }
  }

  /** A column of text alone, such as a plan or a statement, keeps its lines and its width. */
  private void printTable(SqlResult result) {
    TextTable table = new TextTable();
    for (SqlResult.Column column : result.columns()) {
      if (isNumber(column.type())) {
        table.right(column.name());
      } else {
        table.left(column.name());
      }
    }
    boolean text = result.columns().size() == 1 && !isNumber(result.columns().get(0).type());
    for (List<JsonNode> row : result.rows()) {
      if (text) {
        for (String line : SqlResult.text(row.get(0)).split("\n", -1)) {
          table.row(line);
        }
      } else {
        table.row(row.stream().map(value -> oneLine(SqlResult.text(value))).toList());
      }
    }
    boolean title = true;
    for (String line : (text ? table : table.fit(terminal.columns())).lines()) {
      terminal.line(title ? terminal.bold(line) : line);
      title = false;
    }
    long rows = result.rows().size();
    terminal.line(
        terminal.dim(
            Figures.count(rows)
                + (rows == 1 ? " row in " : " rows in ")
                + Figures.duration(result.elapsedMs() * NANOS_PER_MS)));
  }

  /** {@code DECIMAL(10, 2)} is a number, {@code BIGINT NOT NULL} is one. */
  static boolean isNumber(String type) {
    String word = type.toUpperCase(Locale.ROOT).split("[ (]", 2)[0];
    return NUMBERS.contains(word) && !type.endsWith("[]");
  }

  private static String oneLine(String text) {
    return text.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t");
  }

  private void printCsv(SqlResult result) {
    terminal.line(
        String.join(
            ",", result.columns().stream().map(column -> quoted(column.name(), false)).toList()));
    for (List<JsonNode> row : result.rows()) {
      terminal.line(String.join(",", row.stream().map(ResultPrinter::csv).toList()));
    }
  }

  /** NULL is nothing at all, an empty text is a pair of quotes. */
  private static String csv(JsonNode value) {
    return value.isNull() ? "" : quoted(SqlResult.text(value), value.isTextual());
  }

  private static String quoted(String text, boolean quoteEmpty) {
    boolean plain =
        text.indexOf(',') < 0
            && text.indexOf('"') < 0
            && text.indexOf('\n') < 0
            && text.indexOf('\r') < 0
            && !(quoteEmpty && text.isEmpty());
    return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
  }

  private void printJson(SqlResult result) {
    List<String> names = distinctNames(result.columns());
    for (List<JsonNode> row : result.rows()) {
      StringBuilder line = new StringBuilder("{");
      for (int i = 0; i < names.size(); i++) {
        line.append(i == 0 ? "" : ",").append(names.get(i)).append(':').append(row.get(i));
      }
      terminal.line(line.append('}').toString());
    }
  }

  /** The columns' names as JSON text; the second {@code x} becomes {@code x_2}. */
  private static List<String> distinctNames(List<SqlResult.Column> columns) {
    List<String> names = new ArrayList<>();
    for (SqlResult.Column column : columns) {
      String name = JsonText.compact(column.name());
      for (int i = 2; names.contains(name); i++) {
        name = JsonText.compact(column.name() + "_" + i);
      }
      names.add(name);
    }
    return names;
  }
}
