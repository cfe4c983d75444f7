package io.sluice.cli.demo;

import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.TextTable;
import java.sql.SQLException;
import java.util.List;

/**
 * Compares everything in the tables with the source files. The two sides share no code: the tables
 * are read through the client and added up here, the flights file is added up by DuckDB's SQL, the
 * airports file is read by DuckDB.
 */
final class CheckStep {
  private final DemoOutput output;
  private final FlightsFile file;
  private final FlightsTable flights;
  private final AirportsCheck airports;

  CheckStep(DemoOutput output, FlightsFile file, FlightsTable flights, AirportsCheck airports) {
    this.output = output;
    this.file = file;
    this.flights = flights;
    this.airports = airports;
  }

  /**
   * Whether the flights are those of the file and, once more, its first {@code repeated} rows, and
   * the airports are those of the file with the demo's changes.
   */
  boolean run(long repeated) throws SQLException {
    output.step("Check every row against the files");
    output.note(
        "Expected: the file plus its first "
            + Figures.count(repeated)
            + " rows again, added up by DuckDB's own SQL.");
    List<FlightsDigest.Check> checks = file.digest(repeated).compare(flights.digest());
    show(FlightsTable.PATH.toString(), checks);
    List<FlightsDigest.Check> airportChecks = airports.run();
    show(AirportsTable.PATH.toString(), airportChecks);
    return checks.stream().allMatch(FlightsDigest.Check::passes)
        && airportChecks.stream().allMatch(FlightsDigest.Check::passes);
  }

  private void show(String name, List<FlightsDigest.Check> checks) {
    TextTable table = new TextTable().left("").right("source file").right(name).left("");
    for (FlightsDigest.Check check : checks) {
      String mark =
          check.passes() ? output.terminal().green("same") : output.terminal().red("DIFFERENT");
      table.row(check.what(), check.expected(), check.found(), mark);
    }
    output.table(table);
  }
}
