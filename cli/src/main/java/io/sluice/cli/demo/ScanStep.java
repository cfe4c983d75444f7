package io.sluice.cli.demo;

import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.TextTable;
import java.util.List;

/** Reads all columns, then two, and shows that the columns not asked for are not sent. */
final class ScanStep {
  private static final List<String> TWO = List.of("origin", "delay");

  private final DemoOutput output;
  private final FlightsTable flights;

  ScanStep(DemoOutput output, FlightsTable flights) {
    this.output = output;
    this.flights = flights;
  }

  void run() {
    output.step("Scan all columns, then two of them");
    FlightsTable.Scanned all = flights.scan(FlightsTable.COLUMNS);
    FlightsTable.Scanned two = flights.scan(TWO);
    TextTable table =
        new TextTable()
            .left("columns")
            .right("rows")
            .right("bytes received")
            .right("of all")
            .right("time");
    addRow(table, "5 of 5", all, all);
    addRow(table, "2 of 5: " + String.join(", ", TWO), two, all);
    output.table(table);
    output.note("The server reads and sends only the columns a scan asks for.");
  }

  private static void addRow(
      TextTable table, String columns, FlightsTable.Scanned scanned, FlightsTable.Scanned all) {
    table.row(
        columns,
        Figures.count(scanned.rows()),
        Figures.bytes(scanned.bytesReceived()),
        Figures.percent(scanned.bytesReceived(), all.bytesReceived()),
        Figures.duration(scanned.nanos()));
  }
}
