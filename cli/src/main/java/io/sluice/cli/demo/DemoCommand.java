package io.sluice.cli.demo;

import io.sluice.cli.Command;
import io.sluice.cli.CommandContext;
import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;
import io.sluice.cli.options.UsageException;
import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.Terminal;
import io.sluice.client.Connection;
import io.sluice.client.ServerDescription;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** {@code sluice demo}: the main job on real data, end to end, with a check at its end. */
public final class DemoCommand implements Command {
  private static final String WHAT = "WHAT";
  private static final String UV = "uv";
  private static final String FLIGHTS = "docs/examples/data/flights-200k.parquet";

  @Override
  public CommandLine commandLine() {
    return CommandLine.of(
            "demo", "Loads, looks up, tiers, queries and checks real flights and airports")
        .optional(WHAT, UV + ": distinct users by bitmaps that are merged on write, instead")
        .flag("--down", "stop the cluster afterwards; otherwise it is left running")
        .flag("--no-kill", "leave out the step that kills the tablet server")
        .note("Takes the options of ./sluice up too, such as --home, --port-base and --tablets.")
        .note("Exit code 0 when every check passes, 1 otherwise. It can be run again and again.")
        .build();
  }

  @Override
  public int run(Arguments arguments, CommandContext context) throws Exception {
    Optional<String> what = arguments.value(WHAT);
    if (what.isPresent()) {
      return other(what.get(), arguments, context);
    }
    Terminal terminal = context.terminal();
    Path flights = context.settings().repository().resolve(FLIGHTS);
    long start = context.time().nanoTime();
    terminal.line(
        "Sluice demo: real flights, streamed in, followed, looked up, tiered to a lake and"
            + " queried");
    boolean passed;
    List<ServerDescription> servers;
    try (FlightsFile file = FlightsFile.open(flights);
        Connection connection = Connection.open(context.settings().client());
        Connection writerConnection = Connection.open(context.settings().client())) {
      DemoRun run = new DemoRun(context, file, connection, writerConnection);
      servers = run.liveServers();
      passed = run.run(!arguments.has("--no-kill"));
    }
    terminal.blank();
    String took = " in " + Figures.duration(context.time().nanoTime() - start);
    if (!passed) {
      terminal.line(terminal.red("FAILED") + took + ": a table differs from its file, see above");
      return 1;
    }
    terminal.line(terminal.green("PASS") + took + ": every row came back as it was written");
    if (!arguments.has("--down")) {
      new NextSteps(context, servers).show();
    }
    return 0;
  }

  private static int other(String what, Arguments arguments, CommandContext context)
      throws IOException {
    if (!what.equals(UV)) {
      throw new UsageException("there is no demo '" + what + "'; it may be " + UV + ", or nothing");
    }
    if (arguments.has("--no-kill")) {
      throw new UsageException("--no-kill goes with the flights; nothing is killed in " + UV);
    }
    return new UvDemo(context).run();
  }
}
