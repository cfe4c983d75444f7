package io.sluice.cli.demo;

import io.sluice.cli.CommandContext;
import io.sluice.cli.Endpoints;
import io.sluice.cli.Settings;
import io.sluice.cli.terminal.Terminal;
import io.sluice.client.ServerDescription;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a person can try after the demo, with the addresses of the running cluster filled in. */
final class NextSteps {
  private static final int GAP = 3;

  private final Terminal terminal;
  private final Endpoints endpoints;
  private final String launcher;
  private final String homeOption;
  private final List<ServerDescription> servers;

  NextSteps(CommandContext context, List<ServerDescription> servers) {
    Settings settings = context.settings();
    this.terminal = context.terminal();
    this.endpoints = settings.endpoints();
    this.launcher = settings.typedLauncher();
    this.homeOption = settings.usesDefaultHome() ? "" : " --home " + settings.home();
    this.servers = servers;
  }

  void show() {
    terminal.blank();
    terminal.line(terminal.bold("Try next"));
    Map<String, String> commands = new LinkedHashMap<>();
    commands.put(endpoints.console(), "the console: the tiering queue, live");
    commands.put(
        launcher + " sql" + homeOption + " \"SELECT COUNT(*) FROM demo.flights\"",
        "lake and log as one");
    commands.put(launcher + " tiering" + homeOption, "the queue as text");
    commands.put(launcher + " status" + homeOption, "services, ports, memory");
    commands.put(launcher + " scan demo.flights --columns origin,delay" + homeOption, "a few rows");
    commands.put(
        launcher + " scan demo.airports --current" + homeOption,
        "rows of a table with a primary key");
    commands.put("curl -L " + endpoints.coordinators().get(0) + "/api/v1/tables", "tables by REST");
    commands(commands);
    if (servers.isEmpty()) {
      return;
    }
    terminal.blank();
    terminal.line("  Any Arrow Flight client reads it, for example Python (pip install pyarrow):");
    terminal.blank();
    for (String line : python(servers.get(0))) {
      terminal.line("    " + terminal.cyan(line));
    }
    terminal.blank();
    terminal.line(
        "  More of that in docs/examples/python. Spark, Trino and pyiceberg read the lake through");
    terminal.line("  the Iceberg REST catalog at " + terminal.cyan(endpoints.iceberg()) + ".");
  }

  private static List<String> python(ServerDescription server) {
    String address = "grpc://" + server.host() + ":" + server.flightPort();
    return List.of(
        "import pyarrow.flight as flight",
        "client = flight.connect(\"" + address + "\")",
        "info = client.get_flight_info(flight.FlightDescriptor.for_path(\"demo\", \"flights\"))",
        "first = info.endpoints[0]",
        "leader = flight.connect(first.locations[0])",
        "print(leader.do_get(first.ticket).read_all().slice(0, 5))");
  }

  /** Commands with a remark each, the remarks below each other. */
  private void commands(Map<String, String> remarks) {
    int width = remarks.keySet().stream().mapToInt(String::length).max().orElse(0) + GAP;
    remarks.forEach(
        (command, remark) ->
            terminal.line(
                "  "
                    + terminal.cyan(command)
                    + " ".repeat(width - command.length())
                    + terminal.dim("# " + remark)));
  }
}
