package io.sluice.cli.tiering;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.LongNode;
import io.sluice.cli.Command;
import io.sluice.cli.CommandContext;
import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;
import io.sluice.cli.rest.RestClient;
import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.Terminal;
import io.sluice.cli.terminal.TextTable;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** {@code sluice tiering}: tables on their way into the lake, and the workers that take them. */
public final class TieringCommand implements Command {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final String PATH = "/api/v1/tiering";
  private static final int MOST_TABLES = 1_000;
  private static final int DEFAULT_TABLES = 100;

  @Override
  public CommandLine commandLine() {
    return CommandLine.of("tiering", "Shows the tiering queue and its workers")
        .option("--database", "NAME", "only the tables of this database")
        .option("--group", "GROUP", "only waiting, ready, tiering, done or failed tables")
        .option("--limit", "N", "tables shown at most (default " + DEFAULT_TABLES + ")")
        .note("LAG is the time since a table's rows were last all in the lake; the goal of a")
        .note("table is its FRESHNESS.")
        .build();
  }

  @Override
  public int run(Arguments arguments, CommandContext context) {
    RestClient rest =
        new RestClient(context.settings().endpoints().coordinators(), "coordinator-1", TIMEOUT);
    Terminal terminal = context.terminal();
    JsonNode overview = rest.get(PATH);
    JsonNode tables = rest.get(PATH + "/tables?" + query(arguments));
    show(terminal, overview);
    terminal.blank();
    if (tables.path("items").isEmpty()) {
      terminal.line("No table of that kind is in the lake's queue.");
      terminal.line("A table is, when it is created with 'table.datalake.enabled' = 'true'.");
    } else {
      tables(tables, overview.path("nowMs").asLong())
          .fit(terminal.columns())
          .lines()
          .forEach(terminal::line);
    }
    terminal.blank();
    workers(rest.get(PATH + "/workers"), overview.path("nowMs").asLong())
        .fit(terminal.columns())
        .lines()
        .forEach(terminal::line);
    return 0;
  }

  private static String query(Arguments arguments) {
    StringBuilder query =
        new StringBuilder("limit=")
            .append(arguments.number("--limit", DEFAULT_TABLES, 1, MOST_TABLES));
    arguments
        .value("--database")
        .ifPresent(name -> query.append("&database=").append(encode(name)));
    arguments
        .value("--group")
        .ifPresent(group -> query.append("&group=").append(encode(group.toUpperCase(Locale.ROOT))));
    return query.toString();
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static void show(Terminal terminal, JsonNode overview) {
    JsonNode counts = overview.path("counts");
    StringBuilder line = new StringBuilder();
    for (String group : List.of("waiting", "ready", "tiering", "done", "failed", "held")) {
      line.append(line.isEmpty() ? "" : "   ").append(group).append(' ');
      line.append(counts.path(group).asInt());
    }
    terminal.line(line.toString());
    terminal.line(
        "workers "
            + overview.path("workersAlive").asInt()
            + " of "
            + overview.path("workersExpected").asInt());
    if (overview.path("lakeBreakerOpen").asBoolean()) {
      terminal.line(
          terminal.red("The lake fails: ")
              + overview.path("lakeFailure").asText("no reason given")
              + "; one probe a minute until it works");
    }
  }

  private static TextTable tables(JsonNode page, long nowMs) {
    TextTable table =
        new TextTable()
            .left("TABLE")
            .left("STATE")
            .right("LAG")
            .right("FRESHNESS")
            .left("WORKER")
            .right("EPOCH")
            .right("LAST ROUND")
            .left("COMMITTED")
            .right("FAILURES")
            .left("REMARK");
    for (JsonNode item : page.path("items")) {
      JsonNode last = item.path("lastRound");
      table.row(
          item.path("database").asText() + "." + item.path("table").asText(),
          item.path("state").asText(),
          duration(item.path("tierLagMs")) + (item.path("late").asBoolean() ? " late" : ""),
          duration(item.path("freshnessMs")),
          item.path("worker").asText("-"),
          item.path("epoch").asText(),
          last.isObject() ? Figures.count(last.path("rows").asLong()) + " rows" : "-",
          ago(item.path("lastCommitMs"), nowMs),
          Figures.count(item.path("failuresTotal").asLong()),
          remark(item));
    }
    return table;
  }

  private static String remark(JsonNode item) {
    if (!item.path("hold").asText("").isEmpty() && !item.path("hold").asText().equals("NONE")) {
      return item.path("hold").asText() + " " + item.path("holdReason").asText("");
    }
    if (item.path("failures").asInt() > 0) {
      return item.path("lastFailure").path("cause").asText("");
    }
    return item.path("phase").asText("");
  }

  private static TextTable workers(JsonNode page, long nowMs) {
    TextTable table =
        new TextTable()
            .left("WORKER")
            .left("HOST")
            .left("STATE")
            .right("SLOTS")
            .right("TABLES")
            .left("LAST REPORT")
            .left("REMARK");
    for (JsonNode item : page.path("items")) {
      table.row(
          item.path("workerId").asText(),
          item.path("host").asText(),
          item.path("state").asText(),
          item.path("slots").asText(),
          item.path("tables").asText(),
          ago(item.path("lastReportMs"), nowMs),
          item.path("drainReason").asText(""));
    }
    return table;
  }

  /** {@code 12.3 s}, {@code 4 min}; a dash when there is none. */
  static String duration(JsonNode ms) {
    if (!ms.isNumber()) {
      return "-";
    }
    Duration duration = Duration.ofMillis(ms.asLong());
    if (duration.toHours() >= 2) {
      return duration.toHours() + " h";
    }
    if (duration.toMinutes() >= 2) {
      return duration.toMinutes() + " min";
    }
    return Figures.duration(duration);
  }

  private static String ago(JsonNode atMs, long nowMs) {
    if (!atMs.isNumber()) {
      return "-";
    }
    return duration(LongNode.valueOf(Math.max(0, nowMs - atMs.asLong()))) + " ago";
  }
}
