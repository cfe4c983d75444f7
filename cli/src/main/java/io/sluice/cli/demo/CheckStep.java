package io.sluice.cli.demo;

import io.sluice.cli.sql.SqlClient;
import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.TextTable;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares everything in the tables with the source files, which DuckDB adds up in this process.
 * The flights are read three ways: through the client from the log, by SQL from lake and log as
 * one, and by SQL from the lake alone.
 */
final class CheckStep {
  private final DemoOutput output;
  private final FlightsFile file;
  private final FlightsTable flights;
  private final AirportsCheck airports;
  private final SqlClient sql;

  CheckStep(
      DemoOutput output,
      FlightsFile file,
      FlightsTable flights,
      AirportsCheck airports,
      SqlClient sql) {
    this.output = output;
    this.file = file;
    this.flights = flights;
    this.airports = airports;
    this.sql = sql;
  }

  /**
   * Whether the flights are those of the file and, once more, its first {@code repeated} rows, and
   * the airports are those of the file with the demo's changes.
   *
   * @param lake waits until the lake has every row
   */
  boolean run(long repeated, LakeStep lake) throws SQLException {
    output.step("Check every row against the files, in the log and in the lake");
    output.note(
        "Expected: the file plus its first "
            + Figures.count(repeated)
            + " rows again, added up by DuckDB's own SQL.");
    FlightsDigest expected = file.digest(repeated);
    Map<String, List<FlightsDigest.Check>> found = new LinkedHashMap<>();
    found.put("log", expected.compare(flights.digest()));
    found.put("log + lake", expected.compare(SqlDigest.of(sql, "demo.flights")));
    LakeState state = lake.waitFor(flights.visibleEnds());
    found.put("lake", expected.compare(SqlDigest.of(sql, "demo.flights$lake")));
    output.fact(
        "lake has caught up",
        Figures.count(state.rowsInLake()) + " rows",
        "round " + state.round());
    show(FlightsTable.PATH + ", read from", found);
    Map<String, List<FlightsDigest.Check>> airportChecks = Map.of("current", airports.run());
    show(AirportsTable.PATH.toString(), airportChecks);
    return passes(found) && passes(airportChecks);
  }

  private static boolean passes(Map<String, List<FlightsDigest.Check>> found) {
    return found.values().stream().flatMap(List::stream).allMatch(FlightsDigest.Check::passes);
  }

  /** A line for each comparison, a column for each way of reading. */
  private void show(String name, Map<String, List<FlightsDigest.Check>> found) {
    TextTable table = new TextTable().left(name).right("source file");
    found.keySet().forEach(table::left);
    List<FlightsDigest.Check> first = found.values().iterator().next();
    for (int i = 0; i < first.size(); i++) {
      List<String> cells = new ArrayList<>();
      cells.add(first.get(i).what());
      cells.add(first.get(i).expected());
      for (List<FlightsDigest.Check> checks : found.values()) {
        FlightsDigest.Check check = checks.get(i);
        cells.add(check.passes() ? "same" : check.found() + " DIFFERENT");
      }
      table.row(cells);
    }
    output.table(table);
  }
}
