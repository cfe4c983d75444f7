package io.sluice.cli.demo;

import io.sluice.cli.CliException;
import io.sluice.cli.rest.RestProblem;
import io.sluice.cli.sql.SqlClient;
import io.sluice.cli.sql.SqlScript;
import io.sluice.client.Admin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Creates the demo's tables by the statements of a file, as a person would paste them. */
final class TablesStep {
  static final String SCRIPT = "docs/examples/sql/demo-tables.sql";

  private final DemoOutput output;
  private final Admin admin;
  private final SqlClient sql;

  TablesStep(DemoOutput output, Admin admin, SqlClient sql) {
    this.output = output;
    this.admin = admin;
    this.sql = sql;
  }

  void run(Path repository) throws IOException {
    output.step("Create a log table that goes to the lake, and a table with a primary key, by SQL");
    boolean dropped = dropLeftovers();
    for (String statement : SqlScript.statements(Files.readString(repository.resolve(SCRIPT)))) {
      run(statement);
      statement.lines().filter(line -> !line.startsWith("--")).forEach(output::code);
    }
    if (dropped) {
      output.note("The tables of an earlier demo were dropped first, PURGE: from the lake too.");
    }
  }

  private boolean dropLeftovers() {
    boolean dropped = false;
    for (OwnTable table : List.of(FlightsTable.OWN, AirportsTable.OWN)) {
      if (table.isThere(admin)) {
        run("DROP TABLE IF EXISTS " + table.path() + (table.inLake() ? " PURGE" : ""));
        dropped = true;
      }
    }
    return dropped;
  }

  private void run(String statement) {
    try {
      sql.run(statement, SqlClient.Options.NONE);
    } catch (RestProblem e) {
      throw new CliException(
          "The SQL service refused a statement of the demo: " + e.detail(), statement, e);
    }
  }
}
