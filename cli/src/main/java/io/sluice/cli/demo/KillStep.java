package io.sluice.cli.demo;

import io.sluice.cli.CliException;
import io.sluice.cli.cluster.Launcher;
import io.sluice.cli.terminal.Figures;

/** Kills the tablet server with kill -9, starts it again and shows that no row is missing. */
final class KillStep {
  private final DemoOutput output;
  private final FlightsTable flights;
  private final Launcher launcher;

  KillStep(DemoOutput output, FlightsTable flights, Launcher launcher) {
    this.output = output;
    this.flights = flights;
    this.launcher = launcher;
  }

  void run(String service) {
    output.step("Kill the tablet server with kill -9 and start it again");
    long before = flights.count();
    output.fact("rows before", Figures.count(before), "");
    long pid = launcher.pid(service);
    launcher.kill(service);
    output.fact("killed", service, "process " + pid);
    long start = System.nanoTime();
    launcher.restart(service);
    long ready = System.nanoTime();
    long after = flights.count();
    long readable = System.nanoTime();
    output.fact(
        "rows after",
        Figures.count(after),
        "readable "
            + Figures.duration(readable - start)
            + " after the start was asked for, "
            + Figures.duration(ready - start)
            + " of it for the process to come up");
    if (after != before) {
      throw new CliException(
          "After kill -9 the table has "
              + Figures.count(after)
              + " rows; it had "
              + Figures.count(before));
    }
  }
}
