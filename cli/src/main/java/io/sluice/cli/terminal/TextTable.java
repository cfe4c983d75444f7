package io.sluice.cli.terminal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Columns of text, each as wide as its widest cell, separated by two spaces. */
public final class TextTable {
  /** Side on which a column's text is aligned. */
  public enum Align {
    LEFT,
    RIGHT
  }

  private static final int GAP = 2;
  private static final int LEAST_WIDTH = 8;

  private final List<String> titles = new ArrayList<>();
  private final List<Align> alignments = new ArrayList<>();
  private final List<List<String>> rows = new ArrayList<>();
  private int widest;

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

  /**
   * Bounds the width of the lines: cells of the widest columns are cut, with an ellipsis, as far as
   * need be. A column keeps at least {@value #LEAST_WIDTH} characters, so a table of very many
   * columns stays wider.
   *
   * @param columns characters in a line, 0 for no bound
   */
  public TextTable fit(int columns) {
    widest = columns;
    return this;
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
    cut(widths);
    List<String> lines = new ArrayList<>();
    if (titles.stream().anyMatch(title -> !title.isEmpty())) {
      lines.add(line(titles, widths));
    }
    for (List<String> row : rows) {
      lines.add(line(row, widths));
    }
    return lines;
  }

  /** Lowers the widths to one bound for all, the highest with which a line fits. */
  private void cut(int[] widths) {
    if (widest == 0) {
      return;
    }
    int room = widest - GAP * (widths.length - 1);
    int bound = Math.max(LEAST_WIDTH, Arrays.stream(widths).max().orElse(0));
    while (bound > LEAST_WIDTH && total(widths, bound) > room) {
      bound--;
    }
    for (int c = 0; c < widths.length; c++) {
      widths[c] = Math.min(widths[c], bound);
    }
  }

  private static int total(int[] widths, int bound) {
    int total = 0;
    for (int width : widths) {
      total += Math.min(width, bound);
    }
    return total;
  }

  private static String shortened(String text, int width) {
    return width(text) <= width
        ? text
        : text.substring(0, text.offsetByCodePoints(0, width - 1)) + "…";
  }

  private String line(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int c = 0; c < widths.length; c++) {
      String cell = shortened(cells.get(c), widths[c]);
      String padding = " ".repeat(widths[c] - width(cell));
      if (c > 0) {
        line.append(" ".repeat(GAP));
      }
      line.append(alignments.get(c) == Align.RIGHT ? padding + cell : cell + padding);
    }
    return line.toString().stripTrailing();
  }

  private static int width(String text) {
    return text.codePointCount(0, text.length());
  }
}
