package io.sluice.cli.replicas;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.Command;
import io.sluice.cli.CommandContext;
import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;
import io.sluice.cli.options.NearestName;
import io.sluice.cli.options.UsageException;
import io.sluice.cli.rest.RestClient;
import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.Terminal;
import io.sluice.common.TablePath;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** {@code sluice cluster}: how the replicas are, and what an operator does with them. */
public final class ClusterCommand implements Command {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final String API = "/api/v1";
  private static final List<String> ACTIONS =
      List.of(
          "status",
          "servers",
          "rebalance",
          "drain",
          "activate",
          "decommission",
          "move",
          "elect",
          "elect-preferred");

  /** Words behind the action. */
  private static final Map<String, Integer> WORDS =
      Map.of("drain", 1, "activate", 1, "decommission", 1, "move", 2, "elect", 2);

  /** The options that belong to some actions alone. */
  private static final Map<String, Set<String>> OPTIONS =
      Map.of(
          "rebalance",
          Set.of("--plan", "--status", "--cancel"),
          "move",
          Set.of("--cancel", "--replicas", "--partition-id"),
          "elect",
          Set.of("--server", "--partition-id", "--accept-data-loss"));

  private static final CommandLine LINE =
      CommandLine.of("cluster", "Shows replicas and servers, and moves replicas between servers.")
          .optional("ACTION", String.join(", ", ACTIONS) + "; status without it")
          .optional("WHAT", "the server's id; for move and elect the table")
          .optional("BUCKET", "for move and elect the number of the bucket")
          .flag("--plan", "rebalance: show what would be moved, and move nothing")
          .flag("--status", "rebalance: show how far it is")
          .flag("--cancel", "rebalance and move: give it up; what has arrived stays")
          .option("--replicas", "N,...", "move: the servers, the preferred leader first")
          .option("--server", "N", "elect: the server that is to lead")
          .option("--partition-id", "ID", "move and elect: the bucket's partition")
          .flag("--accept-data-loss", "elect: rows that the server does not have are lost")
          .note("cluster status                 what is wrong, and what to do about it")
          .note("cluster drain 3                moves everything away from server 3")
          .note("cluster decommission 3         forgets it, when it holds nothing any more")
          .note("cluster move demo.t 0 --replicas 1,2,4")
          .note(
              "cluster elect demo.t 0 --server 2 --accept-data-loss   only when nothing else helps")
          .build();

  @Override
  public CommandLine commandLine() {
    return LINE;
  }

  @Override
  public int run(Arguments arguments, CommandContext context) {
    RestClient rest =
        new RestClient(context.settings().endpoints().coordinators(), "coordinator-1", TIMEOUT);
    Terminal terminal = context.terminal();
    String action = arguments.value("ACTION").orElse("status");
    checkWords(action, arguments);
    switch (action) {
      case "status" -> new StatusReport(rest, terminal).show();
      case "servers" -> new ServersReport(rest, terminal).show();
      case "rebalance" -> rebalance(arguments, rest, terminal);
      case "drain" -> drain(server(action, arguments), rest, terminal);
      case "activate" -> {
        rest.post(API + "/servers/" + server(action, arguments) + "/activate", Map.of());
        terminal.line("Server " + server(action, arguments) + " is given replicas again.");
        terminal.line("./sluice cluster rebalance moves its share to it.");
      }
      case "decommission" -> {
        rest.post(API + "/servers/" + server(action, arguments) + "/decommission", Map.of());
        terminal.line(
            "Server " + server(action, arguments) + " is decommissioned: stop its process.");
        terminal.line("When it has stopped, say it again and the cluster forgets it.");
      }
      case "move" -> move(arguments, rest, terminal);
      case "elect" -> elect(arguments, rest, terminal);
      case "elect-preferred" -> {
        JsonNode elected = rest.post(API + "/elections/preferred", Map.of());
        terminal.line(
            Figures.count(elected.path("buckets").asLong())
                + " buckets were not led by their preferred replica; they are now, where it is in"
                + " sync.");
      }
      default -> throw new IllegalStateException("No such action: " + action);
    }
    return 0;
  }

  /** Refuses what the action does not take: who writes it means something else. */
  private static void checkWords(String action, Arguments arguments) {
    if (!ACTIONS.contains(action)) {
      throw new UsageException(
          "unknown action '"
              + action
              + "'; it may be "
              + String.join(", ", ACTIONS)
              + NearestName.suggestion(action, ACTIONS));
    }
    Set<String> taken = OPTIONS.getOrDefault(action, Set.of());
    for (String option : OPTIONS.values().stream().flatMap(Set::stream).sorted().toList()) {
      boolean given = arguments.has(option) || arguments.value(option).isPresent();
      if (given && !taken.contains(option)) {
        throw new UsageException(action + " does not take " + option);
      }
    }
    List<String> words =
        Stream.of("WHAT", "BUCKET").flatMap(name -> arguments.value(name).stream()).toList();
    int most = WORDS.getOrDefault(action, 0);
    if (words.size() > most) {
      throw new UsageException(
          action
              + " takes nothing behind "
              + (most == 0 ? "it" : "'" + words.get(most - 1) + "'")
              + ", but there is '"
              + words.get(most)
              + "'");
    }
  }

  private static void rebalance(Arguments arguments, RestClient rest, Terminal terminal) {
    List<String> wanted =
        Stream.of("--plan", "--status", "--cancel").filter(arguments::has).toList();
    if (wanted.size() > 1) {
      throw new UsageException(wanted.get(0) + " and " + wanted.get(1) + " do not go together");
    }
    RebalanceReport report = new RebalanceReport(terminal);
    String path = API + "/rebalance";
    if (arguments.has("--plan")) {
      report.plan(rest.get(path + "/plan"));
    } else if (arguments.has("--status")) {
      report.status(rest.get(path));
    } else if (arguments.has("--cancel")) {
      report.progress(rest.delete(path));
    } else {
      report.begun(rest.post(path, Map.of()));
    }
  }

  private static void drain(int server, RestClient rest, Terminal terminal) {
    JsonNode begun = rest.post(API + "/servers/" + server + "/drain", Map.of());
    terminal.line("Server " + server + " drains: it gets no replicas and leads only what it must.");
    new RebalanceReport(terminal).begun(begun);
    terminal.line("./sluice cluster activate " + server + " takes it back.");
  }

  private static void move(Arguments arguments, RestClient rest, Terminal terminal) {
    String path = bucket("move", arguments) + "/reassign" + partition(arguments);
    if (arguments.has("--cancel")) {
      rest.delete(path);
      terminal.line("The move is given up: the replicas are where they were.");
      return;
    }
    List<Integer> replicas =
        arguments.list("--replicas").stream().map(word -> id("--replicas", word)).toList();
    if (replicas.isEmpty()) {
      throw new UsageException("move needs --replicas N,... with the servers that shall have it");
    }
    String given = arguments.value("--replicas").orElse("");
    if (Stream.of(given.split(",")).filter(word -> !word.isBlank()).count() > replicas.size()) {
      throw new UsageException("--replicas " + given + " names a server twice");
    }
    rest.post(path, Map.of("replicas", replicas));
    terminal.line(
        "On its way to servers "
            + Buckets.servers(replicas)
            + ". The old replicas leave when the new ones are in sync.");
    terminal.line("./sluice cluster status shows it; --cancel gives it up.");
  }

  private static void elect(Arguments arguments, RestClient rest, Terminal terminal) {
    int server =
        id(
            "--server",
            arguments
                .value("--server")
                .orElseThrow(() -> new UsageException("elect needs --server N, which is to lead")));
    if (!arguments.has("--accept-data-loss")) {
      throw new UsageException(
          "elect loses every acknowledged row that server "
              + server
              + " does not have, for good; say --accept-data-loss if the servers that have them"
              + " will not come back");
    }
    rest.post(
        bucket("elect", arguments) + "/elect-unclean" + partition(arguments),
        Map.of("serverId", server, "acceptDataLoss", true));
    terminal.line("Server " + server + " leads, and the others follow it.");
    terminal.line("Its log and sluice_replication_holes_total tell what was lost.");
  }

  private static String bucket(String action, Arguments arguments) {
    String text =
        arguments
            .value("WHAT")
            .orElseThrow(
                () -> new UsageException(action + " needs the table and the bucket's number"));
    TablePath table = TablePath.parse(text);
    int bucket =
        id(
            "BUCKET",
            arguments
                .value("BUCKET")
                .orElseThrow(
                    () ->
                        new UsageException(
                            action + " needs the number of the bucket of " + table)));
    return API + "/tables/" + table.database() + "/" + table.table() + "/buckets/" + bucket;
  }

  private static String partition(Arguments arguments) {
    Optional<String> partition = arguments.value("--partition-id");
    return partition.isPresent()
        ? "?partitionId=" + arguments.number("--partition-id", 0, 0, Long.MAX_VALUE)
        : "";
  }

  private static int server(String action, Arguments arguments) {
    return id(
        "the server's id",
        arguments
            .value("WHAT")
            .orElseThrow(
                () ->
                    new UsageException(
                        action + " needs a server's id; ./sluice cluster servers lists them")));
  }

  private static int id(String what, String text) {
    if (!text.matches("[0-9]{1,9}")) {
      throw new UsageException(what + " is '" + text + "'; it must be a number");
    }
    return Integer.parseInt(text);
  }
}
