package io.sluice.cli.replicas;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.rest.RestClient;
import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.Terminal;
import io.sluice.cli.terminal.TextTable;

/** The tablet servers, what is wanted with them and what they carry. */
final class ServersReport {
  private static final String PATH = "/api/v1/servers?limit=1000";

  private final RestClient rest;
  private final Terminal terminal;

  ServersReport(RestClient rest, Terminal terminal) {
    this.rest = rest;
    this.terminal = terminal;
  }

  void show() {
    TextTable table =
        new TextTable()
            .right("ID")
            .left("ADDRESS")
            .left("RACK")
            .left("STATE")
            .right("LEADS")
            .right("REPLICAS");
    JsonNode servers = rest.get(PATH).path("items");
    for (JsonNode server : servers) {
      String rack = server.path("rack").asText();
      table.row(
          server.path("serverId").asText(),
          server.path("host").asText() + ":" + server.path("flightPort").asText(),
          rack.isEmpty() ? "-" : rack,
          state(server),
          Figures.count(server.path("leaderCount").asLong()),
          Figures.count(server.path("replicaCount").asLong()));
    }
    if (servers.isEmpty()) {
      terminal.line("No tablet server has registered yet.");
      return;
    }
    table.fit(terminal.columns()).lines().forEach(terminal::line);
  }

  private static String state(JsonNode server) {
    String wanted =
        switch (server.path("state").asText()) {
          case "DRAINING" -> server.path("replicaCount").asLong() == 0 ? "drained" : "draining";
          case "DECOMMISSIONED" -> "decommissioned";
          default -> "";
        };
    String now =
        !server.path("alive").asBoolean()
            ? "AWAY"
            : server.path("leaving").asBoolean() ? "stopping" : "";
    if (wanted.isEmpty()) {
      return now.isEmpty() ? "alive" : now;
    }
    return now.isEmpty() ? wanted : now + ", " + wanted;
  }
}
