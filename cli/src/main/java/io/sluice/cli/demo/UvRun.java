package io.sluice.cli.demo;

import io.sluice.cli.CliException;
import io.sluice.cli.rest.RestProblem;
import io.sluice.cli.sql.SqlResult;
import io.sluice.cli.sql.SqlScript;
import io.sluice.cli.sql.TemporaryViews;
import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.TextTable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Distinct users by bitmaps: runs a script that numbers users in one table and merges a bitmap of
 * them for each channel, city and hour in another, and compares what its queries give with the
 * tables that they must give.
 */
final class UvRun {
  static final String SCRIPT = "docs/examples/sql/uv.sql";
  static final String DATABASE = "demo";
  static final String DICTIONARY = "uid_dictionary";
  static final String BITMAPS = "uv_agg";

  /** Marks tables as made by the demo, so that it drops them when it runs again. */
  static final String COMMENT = "Distinct users of the demo; dropped when the demo runs again";

  private static final String IDS = "SELECT user_id, uid FROM " + DICTIONARY + " ORDER BY uid";
  private static final int USERS = 5;
  private static final int VIEWS = 12;

  private final DemoOutput output;
  private final Function<String, SqlResult> sql;
  private final TemporaryViews views = new TemporaryViews();
  private int tables;
  private boolean passed = true;

  /**
   * @param sql runs a statement in the demo's database
   */
  UvRun(DemoOutput output, Function<String, SqlResult> sql) {
    this.output = output;
    this.sql = sql;
  }

  /** Runs the script. Returns whether every table is as it must be. */
  boolean run(String script) {
    output.step("Create a table that numbers users, and one that merges bitmaps of them");
    for (String statement : SqlScript.statements(script)) {
      String text = withoutComments(statement);
      if (views.define(text).isPresent()) {
        output.step("Write " + VIEWS + " page views of " + USERS + " users");
        show(text);
        output.note("A view by WITH: the service keeps no session.");
      } else if (text.startsWith("CREATE TABLE")) {
        create(text);
      } else if (text.startsWith("INSERT")) {
        insert(text);
      } else if (text.startsWith("SELECT")) {
        select(text);
      } else {
        show(text);
        output.note(ask(text).message());
      }
    }
    if (tables != UvTable.ALL.size()) {
      throw new CliException(
          "The script has " + tables + " queries; it must have " + UvTable.ALL.size());
    }
    return passed;
  }

  private static String withoutComments(String statement) {
    return statement
        .lines()
        .map(line -> line.startsWith("--") ? "" : line)
        .collect(Collectors.joining("\n"))
        .strip();
  }

  private void create(String text) {
    show(text);
    ask(text);
    String name = text.substring("CREATE TABLE".length(), text.indexOf('(')).strip();
    ask("COMMENT ON TABLE " + name + " IS '" + COMMENT + "'");
  }

  private void insert(String text) {
    show(text);
    String statement = views.resolve(text);
    long start = System.nanoTime();
    SqlResult result = ask(statement);
    output.fact("inserted", result.message(), "in " + Figures.duration(System.nanoTime() - start));
    if (text.contains(DICTIONARY + " (")) {
      ids(statement);
    }
  }

  /** Shows the ids, and that they stay when the users are put again. */
  private void ids(String statement) {
    SqlResult ids = ask(IDS);
    TextTable table = new TextTable().left("user_id").right("uid");
    List<List<String>> rows = rows(ids);
    rows.forEach(table::row);
    output.table(table);
    Set<String> distinct = new HashSet<>();
    rows.forEach(row -> distinct.add(row.get(1)));
    ask(statement);
    boolean same = rows(ask(IDS)).equals(rows);
    check(
        rows.size() == USERS && distinct.size() == USERS && same,
        "one id for each user, the same when the users are put again");
  }

  private static List<List<String>> rows(SqlResult result) {
    List<List<String>> rows = new ArrayList<>();
    for (int row = 0; row < result.rows().size(); row++) {
      rows.add(List.of(result.text(row, 0), result.text(row, 1)));
    }
    return rows;
  }

  private void select(String text) {
    if (tables == UvTable.ALL.size()) {
      throw new CliException("The script has more queries than tables to compare with", text);
    }
    UvTable expected = UvTable.ALL.get(tables++);
    output.step("Distinct users and views " + expected.title());
    show(text);
    SqlResult result = ask(text);
    output.table(expected.text(expected.rowsOf(result)));
    boolean same = expected.matches(result);
    check(same, "the table it must be");
    if (!same) {
      output.note("It must be:");
      output.table(expected.text(expected.rows()));
    }
  }

  private void check(boolean right, String what) {
    output.verdict(right, what);
    passed &= right;
  }

  private void show(String text) {
    text.lines().forEach(output::code);
  }

  private SqlResult ask(String statement) {
    try {
      return sql.apply(statement);
    } catch (RestProblem e) {
      throw new CliException(
          "The SQL service refused a statement of the demo: " + e.detail(), statement, e);
    }
  }
}
