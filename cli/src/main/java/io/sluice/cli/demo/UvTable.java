package io.sluice.cli.demo;

import io.sluice.cli.sql.SqlResult;
import io.sluice.cli.terminal.TextTable;
import java.util.ArrayList;
import java.util.List;

/**
 * A table that the walkthrough through distinct users has to give.
 *
 * @param title what it shows
 * @param ordered whether its rows have an order
 * @param columns names of its columns
 * @param figures how many columns at the end are figures
 * @param rows its rows, as text
 */
record UvTable(
    String title, boolean ordered, List<String> columns, int figures, List<List<String>> rows) {
  /** The tables in the order of the script. */
  static final List<UvTable> ALL =
      List.of(
          new UvTable(
              "as it was merged on write",
              true,
              List.of("channel", "city", "ymd", "hh", "uv", "pv"),
              2,
              List.of(
                  List.of("app", "Beijing", "20260301", "10", "1", "1"),
                  List.of("app", "Beijing", "20260301", "14", "1", "1"),
                  List.of("app", "Beijing", "20260302", "09", "1", "1"),
                  List.of("app", "Shanghai", "20260301", "10", "2", "3"),
                  List.of("app", "Shanghai", "20260301", "14", "1", "1"),
                  List.of("app", "Shanghai", "20260302", "09", "1", "1"),
                  List.of("mini_program", "Beijing", "20260302", "11", "1", "1"),
                  List.of("mini_program", "Shanghai", "20260302", "11", "1", "1"),
                  List.of("web", "Beijing", "20260301", "10", "1", "1"),
                  List.of("web", "Shanghai", "20260301", "14", "1", "1"))),
          new UvTable(
              "by channel",
              false,
              List.of("channel", "uv", "pv"),
              2,
              List.of(
                  List.of("app", "4", "8"),
                  List.of("mini_program", "2", "2"),
                  List.of("web", "2", "2"))),
          new UvTable(
              "by date",
              false,
              List.of("ymd", "uv", "pv"),
              2,
              List.of(List.of("20260301", "4", "8"), List.of("20260302", "4", "4"))),
          new UvTable(
              "by channel and date",
              false,
              List.of("channel", "ymd", "uv", "pv"),
              2,
              List.of(
                  List.of("app", "20260301", "3", "6"),
                  List.of("app", "20260302", "2", "2"),
                  List.of("mini_program", "20260302", "2", "2"),
                  List.of("web", "20260301", "2", "2"))),
          new UvTable(
              "over everything",
              false,
              List.of("total_uv", "total_pv"),
              2,
              List.of(List.of("5", "12"))));

  /** The rows of a result as text, in the order of their text unless this table has an order. */
  List<List<String>> rowsOf(SqlResult result) {
    List<List<String>> rows = new ArrayList<>();
    for (int row = 0; row < result.rows().size(); row++) {
      List<String> cells = new ArrayList<>();
      for (int column = 0; column < result.columns().size(); column++) {
        cells.add(result.text(row, column));
      }
      rows.add(cells);
    }
    if (!ordered) {
      rows.sort((a, b) -> String.join("\t", a).compareTo(String.join("\t", b)));
    }
    return rows;
  }

  /** Whether a result has these columns and rows. */
  boolean matches(SqlResult result) {
    List<String> names = result.columns().stream().map(SqlResult.Column::name).toList();
    return names.equals(columns) && rowsOf(result).equals(rows);
  }

  /** Rows as a table to print. */
  TextTable text(List<List<String>> shown) {
    TextTable table = new TextTable();
    for (int i = 0; i < columns.size(); i++) {
      if (i < columns.size() - figures) {
        table.left(columns.get(i));
      } else {
        table.right(columns.get(i));
      }
    }
    shown.forEach(table::row);
    return table;
  }
}
