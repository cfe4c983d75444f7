package io.sluice.cli.demo;

import io.sluice.cli.CliException;
import io.sluice.cli.Command;
import io.sluice.cli.CommandContext;
import io.sluice.cli.cluster.Launcher;
import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;
import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.Terminal;
import io.sluice.client.Connection;
import io.sluice.client.ServerDescription;
import java.nio.file.Path;
import java.util.List;

/** {@code sluice demo}: the main job on real data, end to end, with a check at its end. */
public final class DemoCommand implements Command {
  private static final String FLIGHTS = "docs/examples/data/flights-200k.parquet";
  private static final String AIRPORTS = "docs/examples/data/airports.csv";

  @Override
  public CommandLine commandLine() {
    return CommandLine.of(
            "demo", "Loads, scans, follows, looks up and checks real flights and airports")
        .flag("--down", "stop the cluster afterwards; otherwise it is left running")
        .flag("--no-kill", "leave out the step that kills the tablet server")
        .note("Takes the options of ./sluice up too, such as --home, --port-base and --tablets.")
        .note("Exit code 0 when every check passes, 1 otherwise. It can be run again and again.")
        .build();
  }

  @Override
  public int run(Arguments arguments, CommandContext context) throws Exception {
    Terminal terminal = context.terminal();
    Path flights = context.settings().repository().resolve(FLIGHTS);
    long start = context.time().nanoTime();
    terminal.line("Sluice demo: real flights through a columnar streaming store on this machine");
    boolean passed;
    List<ServerDescription> servers;
    try (FlightsFile file = FlightsFile.open(flights);
        Connection connection = Connection.open(context.settings().client());
        Connection writerConnection = Connection.open(context.settings().client())) {
      servers = liveServers(connection);
      passed =
          runSteps(
              arguments, context, file, connection, writerConnection, servers.get(0).serverId());
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

  private static boolean runSteps(
      Arguments arguments,
      CommandContext context,
      FlightsFile file,
      Connection connection,
      Connection writerConnection,
      int serverId)
      throws Exception {
    DemoOutput output = new DemoOutput(context.terminal(), context.time());
    FlightsTable flights = new FlightsTable(connection);
    AirportsTable airports = new AirportsTable(connection);
    List<Airport> airportsOfFile =
        AirportsFile.read(context.settings().repository().resolve(AIRPORTS));
    create(output, flights);
    new LoadStep(output, file, flights).run();
    new ScanStep(output, flights).run();
    new FollowStep(output, file, flights, writerConnection).run();
    new KeysStep(output, airports, airportsOfFile).run();
    if (!arguments.has("--no-kill")) {
      Launcher launcher =
          new Launcher(context.settings().requiredLauncher(), context.settings().home());
      new KillStep(output, flights, launcher).run("tablet-" + serverId);
    }
    AirportsCheck check = AirportsCheck.of(airports, airportsOfFile);
    return new CheckStep(output, file, flights, check).run(FollowStep.ROWS);
  }

  private static void create(DemoOutput output, FlightsTable flights) {
    output.step("Create table " + FlightsTable.PATH);
    boolean dropped = flights.create();
    output.fact("columns", String.join(", ", FlightsTable.COLUMNS), "");
    output.fact(
        "buckets",
        Integer.toString(FlightsTable.BUCKETS),
        dropped ? "the table of an earlier demo was dropped" : "");
  }

  private static List<ServerDescription> liveServers(Connection connection) {
    List<ServerDescription> live =
        connection.admin().servers().stream().filter(ServerDescription::alive).toList();
    if (live.isEmpty()) {
      throw new CliException(
          "The cluster has no live tablet server", "./sluice status shows what runs.");
    }
    return live;
  }
}
