package io.sluice.cli.demo;

import io.sluice.cli.CommandContext;
import io.sluice.cli.Settings;
import io.sluice.cli.terminal.Terminal;
import io.sluice.client.ServerDescription;
import java.util.List;
import java.util.Optional;

/** What a person can try after the demo, with the addresses of the running cluster filled in. */
final class NextSteps {
  /** On a local cluster the coordinator's REST port lies this far above its gRPC port. */
  private static final int REST_PORT_DISTANCE = 57;

  private static final int COMMAND_WIDTH = 56;

  private final Terminal terminal;
  private final String coordinators;
  private final String launcher;
  private final String homeOption;
  private final List<ServerDescription> servers;

  NextSteps(CommandContext context, List<ServerDescription> servers) {
    Settings settings = context.settings();
    this.terminal = context.terminal();
    this.coordinators = settings.coordinators();
    this.launcher = settings.typedLauncher();
    this.homeOption = settings.usesDefaultHome() ? "" : " --home " + settings.home();
    this.servers = servers;
  }

  void show() {
    terminal.blank();
    terminal.line(terminal.bold("Try next"));
    command(launcher + " status" + homeOption, "services, ports, memory");
    command(launcher + " scan demo.flights --columns origin,delay" + homeOption, "a few rows");
    command(launcher + " offsets demo.flights" + homeOption, "the buckets of the table");
    command(
        launcher + " scan demo.airports --current" + homeOption,
        "rows of a table with a primary key");
    restAddress()
        .ifPresent(address -> command("curl " + address + "/api/v1/tables", "tables by REST"));
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
    terminal.line("  More of that in docs/examples/python.");
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

  private void command(String command, String what) {
    int width = COMMAND_WIDTH - "./sluice".length() + launcher.length();
    String padding = " ".repeat(Math.max(3, width - command.length()));
    terminal.line("  " + terminal.cyan(command) + padding + terminal.dim("# " + what));
  }

  private Optional<String> restAddress() {
    String first = coordinators.split(",")[0];
    int colon = first.lastIndexOf(':');
    try {
      int port = Integer.parseInt(first.substring(colon + 1)) + REST_PORT_DISTANCE;
      return Optional.of("http://" + first.substring(0, colon) + ":" + port);
    } catch (IndexOutOfBoundsException | NumberFormatException e) {
      return Optional.empty();
    }
  }
}
