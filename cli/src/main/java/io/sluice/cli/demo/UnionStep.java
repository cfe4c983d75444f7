package io.sluice.cli.demo;

import io.sluice.cli.CliException;
import io.sluice.cli.rest.RestClient;
import io.sluice.cli.sql.SqlClient;
import io.sluice.cli.sql.SqlResult;
import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.TextTable;
import io.sluice.client.AppendWriter;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Appends flights and at once asks for all of them: in one query over the lake's files and the end
 * of the log, and for comparison over the lake alone. Answers are compared with the files.
 */
final class UnionStep {
  /** Rows that this step adds to the table. */
  static final int ROWS = 1_000;

  private static final String UNION = "demo.flights";
  private static final String LAKE = "demo.flights$lake";

  private final DemoOutput output;
  private final FlightsFile file;
  private final FlightsTable flights;
  private final SqlClient sql;
  private final RestClient coordinator;

  UnionStep(
      DemoOutput output,
      FlightsFile file,
      FlightsTable flights,
      SqlClient sql,
      RestClient coordinator) {
    this.output = output;
    this.file = file;
    this.flights = flights;
    this.sql = sql;
    this.coordinator = coordinator;
  }

  /** A table's answers, and how long they took. */
  private record Answer(List<WorstOrigin> worst, long rows, long nanos) {}

  /**
   * @param from rows of the file that are in the table a second time already; those behind them are
   *     appended now
   */
  void run(int from, AirportsFile airports) throws SQLException {
    output.step("Append 1,000 flights and at once query history and fresh rows as one table");
    WorstOrigin.query(UNION).lines().forEach(output::code);
    long lakeBefore = LakeState.of(coordinator, FlightsTable.PATH).rowsInLake();
    long appended = append(from);
    Answer all = ask(UNION);
    Answer lake = ask(LAKE);
    long lakeAfter = LakeState.of(coordinator, FlightsTable.PATH).rowsInLake();
    show(all.worst());
    output.fact("appended", Figures.count(ROWS) + " rows in " + Figures.duration(appended), "");
    fact(UNION, all, "the lake's files and the rows of the log behind them");
    fact(LAKE, lake, Figures.count(all.rows() - lake.rows()) + " rows behind");
    int repeated = from + ROWS;
    requireSame("Rows of " + UNION, file.rows() + repeated, all.rows());
    requireSame("Worst origins of " + UNION, file.worstOrigins(airports, repeated), all.worst());
    if (lakeBefore == lakeAfter) {
      requireSame("Rows of " + LAKE, lakeBefore, lake.rows());
      requireSame("Worst origins of " + LAKE, file.worstOrigins(airports, from), lake.worst());
      output.note("Both answers are what DuckDB makes of the files by itself.");
    } else {
      output.note("A round was committed between the two queries; the first one was compared.");
    }
  }

  private long append(int from) throws SQLException {
    long start = System.nanoTime();
    try (AppendWriter writer = flights.table().appendWriter()) {
      file.read(
          from,
          from + ROWS,
          (date, delay, distance, origin, destination) ->
              writer
                  .row()
                  .setTimestamp(0, FlightsTable.date(date))
                  .setLong(1, delay)
                  .setLong(2, distance)
                  .setString(3, origin)
                  .setString(4, destination)
                  .append());
      writer.flush();
    }
    return System.nanoTime() - start;
  }

  private Answer ask(String table) {
    long start = System.nanoTime();
    SqlResult worst = sql.run(WorstOrigin.query(table), SqlClient.Options.NONE);
    long nanos = System.nanoTime() - start;
    SqlResult count = sql.run("SELECT COUNT(*) FROM " + table, SqlClient.Options.NONE);
    List<WorstOrigin> origins = new ArrayList<>();
    for (int row = 0; row < worst.rows().size(); row++) {
      origins.add(
          WorstOrigin.of(
              worst.text(row, 0), worst.text(row, 1), worst.text(row, 2), worst.text(row, 3)));
    }
    return new Answer(origins, Long.parseLong(count.text(0, 0)), nanos);
  }

  private void show(List<WorstOrigin> origins) {
    TextTable table =
        new TextTable().left("origin").left("airport").right("flights").right("average delay");
    for (WorstOrigin origin : origins) {
      table.row(
          origin.origin(),
          origin.airport(),
          Figures.count(origin.flights()),
          origin.averageDelay().toPlainString());
    }
    output.table(table);
  }

  private void fact(String table, Answer answer, String remark) {
    output.fact(
        table,
        Figures.count(answer.rows()) + " rows",
        remark + "; the query above took " + Figures.duration(answer.nanos()));
  }

  private static void requireSame(String what, Object expected, Object found) {
    if (!expected.equals(found)) {
      throw new CliException(what + " are " + found + "; by the files they must be " + expected);
    }
  }
}
