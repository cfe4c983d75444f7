package io.sluice.cli.sql;

import io.sluice.cli.rest.RestProblem;
import java.util.ArrayList;
import java.util.List;

/** Words a refused statement: the message, and the line it points at with a caret below. */
final class SqlProblemText {
  private static final String INDENT = "  ";

  /** A longer line is shown from so many characters before the place. */
  private static final int SHOWN_BEFORE = 60;

  private static final int SHOWN = 110;

  private SqlProblemText() {}

  /** Lines for a person. */
  static List<String> lines(String statement, RestProblem problem) {
    List<String> lines = new ArrayList<>();
    String code = problem.code().isEmpty() ? "" : problem.code() + ": ";
    List<String> source = statement.lines().toList();
    if (problem.line() < 1 || problem.line() > source.size() || problem.column() < 1) {
      lines.addAll((code + problem.detail()).lines().toList());
      return lines;
    }
    // The caret says it better.
    String place = " (line " + problem.line() + ", column " + problem.column() + ")";
    lines.addAll((code + problem.detail().replace(place, "")).lines().toList());
    String line = source.get(problem.line() - 1).replace('\t', ' ');
    int at = Math.min(problem.column() - 1, line.length());
    int from = line.length() <= SHOWN ? 0 : Math.max(0, at - SHOWN_BEFORE);
    int to = Math.min(line.length(), from + SHOWN);
    String number = source.size() == 1 ? "" : problem.line() + " | ";
    lines.add(INDENT + number + line.substring(from, to));
    lines.add(INDENT + " ".repeat(number.length() + at - from) + "^");
    return lines;
  }
}
