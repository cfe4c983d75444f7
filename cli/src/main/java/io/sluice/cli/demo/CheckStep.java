package io.sluice.cli.demo;

import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.TextTable;
import java.sql.SQLException;
import java.util.List;

/**
 * Compares everything in the table with the source file. The two sides share no code: the table is
 * read through the client and added up here, the file is added up by DuckDB's SQL.
 */
final class CheckStep {
  private final DemoOutput output;
  private final FlightsFile file;
  private final FlightsTable flights;

  CheckStep(DemoOutput output, FlightsFile file, FlightsTable flights) {
    this.output = output;
    this.file = file;
    this.flights = flights;
  }

  /** Whether the table holds the file and, once more, its first {@code repeated} rows. */
  boolean run(long repeated) throws SQLException {
    output.step("Check every row against the file");
    output.note(
        "Expected: the file plus its first "
            + Figures.count(repeated)
            + " rows again, added up by DuckDB's own SQL.");
    List<FlightsDigest.Check> checks = file.digest(repeated).compare(flights.digest());
    show(checks);
    return checks.stream().allMatch(FlightsDigest.Check::passes);
  }

  private void show(List<FlightsDigest.Check> checks) {
    TextTable table = new TextTable().left("").right("source file").right("demo.flights").left("");
    for (FlightsDigest.Check check : checks) {
      String mark =
          check.passes() ? output.terminal().green("same") : output.terminal().red("DIFFERENT");
      table.row(check.what(), check.expected(), check.found(), mark);
    }
    output.table(table);
  }
}
