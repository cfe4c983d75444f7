package io.sluice.cli.terminal;

import java.util.ArrayList;
import java.util.List;

/** Columns of text, each as wide as its widest cell, separated by two spaces. */
public final class TextTable {
  /** Side on which a column's text is aligned. */
  public enum Align {
    LEFT,
    RIGHT
  }

  private final List<String> titles = new ArrayList<>();
  private final List<Align> alignments = new ArrayList<>();
  private final List<List<String>> rows = new ArrayList<>();

  /** Adds a column of words. */
  public TextTable left(String title) {
    return column(title, Align.LEFT);
  }

  /** Adds a column of figures. */
  public TextTable right(String title) {
    return column(title, Align.RIGHT);
  }

  /** Adds a column. */
  public TextTable column(String title, Align alignment) {
    titles.add(title);
    alignments.add(alignment);
    return this;
  }

  /** Adds a row with one cell for each column. */
  public TextTable row(List<String> cells) {
    if (cells.size() != titles.size()) {
      throw new IllegalArgumentException(
          "A row has " + cells.size() + " cells; the table has " + titles.size() + " columns");
    }
    rows.add(List.copyOf(cells));
    return this;
  }

  /** Adds a row with one cell for each column. */
  public TextTable row(String... cells) {
    return row(List.of(cells));
  }

  /** The table as lines, titles first (unless they are all empty), without trailing spaces. */
  public List<String> lines() {
    int[] widths = new int[titles.size()];
    for (int c = 0; c < widths.length; c++) {
      widths[c] = width(titles.get(c));
      for (List<String> row : rows) {
        widths[c] = Math.max(widths[c], width(row.get(c)));
      }
    }
    List<String> lines = new ArrayList<>();
    if (titles.stream().anyMatch(title -> !title.isEmpty())) {
      lines.add(line(titles, widths));
    }
    for (List<String> row : rows) {
      lines.add(line(row, widths));
    }
    return lines;
  }

  private String line(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int c = 0; c < widths.length; c++) {
      String cell = cells.get(c);
      String padding = " ".repeat(widths[c] - width(cell));
      if (c > 0) {
        line.append("  ");
      }
      line.append(alignments.get(c) == Align.RIGHT ? padding + cell : cell + padding);
    }
    return line.toString().stripTrailing();
  }

  private static int width(String text) {
    return text.codePointCount(0, text.length());
  }
}
