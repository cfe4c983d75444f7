package io.sluice.cli.coordinators;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.Command;
import io.sluice.cli.CommandContext;
import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;
import io.sluice.cli.options.NearestName;
import io.sluice.cli.options.UsageException;
import io.sluice.cli.rest.RestClient;
import io.sluice.cli.terminal.Terminal;
import io.sluice.cli.terminal.TextTable;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Shows the coordinators of the cluster, or takes one out and another one in. */
public final class CoordinatorsCommand implements Command {
  private static final String PATH = "/api/v1/coordinators";
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** The one that joins is given everything before it counts. */
  private static final Duration CHANGE_TIMEOUT = Duration.ofSeconds(90);

  private static final int PORTS = 3;
  private static final int HIGHEST_PORT = 65_535;
  private static final String LIST = "list";
  private static final List<String> ACTIONS = List.of(LIST, "replace", "add", "remove");
  private static final String FORM = "ID=HOST:RAFT:GRPC:HTTP";

  private static final CommandLine LINE =
      CommandLine.of("coordinators", "Shows the coordinators, or replaces, adds or removes one.")
          .optional("ACTION", "list, replace, add or remove; without it they are listed")
          .optional("WHAT", "for replace OLD; for add NEW; for remove OLD")
          .optional("NEW", "for replace: ID=HOST:RAFT:GRPC:HTTP of the one that joins")
          .note("The one that joins must run with sluice.coordinator.join=true and have an id that")
          .note("no coordinator of this cluster ever had. docs/operations.md has the procedure.")
          .build();

  @Override
  public CommandLine commandLine() {
    return LINE;
  }

  @Override
  public int run(Arguments arguments, CommandContext context) {
    String action = arguments.value("ACTION").orElse(LIST);
    if (!ACTIONS.contains(action)) {
      throw new UsageException(
          "unknown action '"
              + action
              + "'; it may be list, replace, add or remove"
              + NearestName.suggestion(action, ACTIONS));
    }
    List<String> urls = context.settings().endpoints().coordinators();
    JsonNode group;
    if (action.equals(LIST)) {
      nothing(arguments.value("WHAT"), action, "it");
      group = new RestClient(urls, "coordinator-1", TIMEOUT).get(PATH);
    } else {
      group =
          new RestClient(urls, "coordinator-1", CHANGE_TIMEOUT)
              .post(PATH + "/change", change(action, arguments));
    }
    show(context.terminal(), group);
    return 0;
  }

  private static Map<String, Object> change(String action, Arguments arguments) {
    boolean adds = action.equals("add");
    String what =
        needed(
            arguments.value("WHAT"),
            action
                + (adds ? " needs NEW, as " + FORM : " needs OLD, the id of the one that leaves"));
    Optional<String> second = arguments.value("NEW");
    Map<String, Object> change = new HashMap<>();
    if (action.equals("replace")) {
      change.put("leaving", what);
      change.put("joining", joining(needed(second, "replace needs NEW as well, as " + FORM)));
      return change;
    }
    nothing(second, action, "'" + what + "'");
    change.put(adds ? "joining" : "leaving", adds ? joining(what) : what);
    return change;
  }

  private static String needed(Optional<String> word, String otherwise) {
    return word.orElseThrow(() -> new UsageException(otherwise));
  }

  private static void nothing(Optional<String> word, String action, String behind) {
    if (word.isPresent()) {
      throw new UsageException(
          action + " takes nothing behind " + behind + ", but there is '" + word.get() + "'");
    }
  }

  /** Reads {@code id=host:raft:grpc:http}. */
  static Map<String, Object> joining(String text) {
    int equals = text.indexOf('=');
    String[] parts = text.substring(equals + 1).split(":", -1);
    if (equals < 1 || parts.length != PORTS + 1 || parts[0].isEmpty()) {
      throw wrongForm(text);
    }
    Map<String, Object> member = new HashMap<>();
    member.put("id", text.substring(0, equals));
    member.put("host", parts[0]);
    List<String> names = List.of("raftPort", "grpcPort", "httpPort");
    for (int i = 0; i < PORTS; i++) {
      member.put(names.get(i), port(parts[i + 1], text));
    }
    return member;
  }

  private static int port(String digits, String text) {
    if (!digits.matches("[0-9]{1,9}")) {
      throw wrongForm(text);
    }
    int port = Integer.parseInt(digits);
    if (port < 1 || port > HIGHEST_PORT) {
      throw new UsageException(
          "port " + port + " in '" + text + "' must be between 1 and " + HIGHEST_PORT);
    }
    return port;
  }

  private static UsageException wrongForm(String text) {
    return new UsageException(
        "'" + text + "' must have the form " + FORM + ", as 4=127.0.0.1:9136:9126:9183");
  }

  private static void show(Terminal terminal, JsonNode group) {
    TextTable table =
        new TextTable().left("ID").left("HOST").right("RAFT").right("GRPC").right("HTTP").left("");
    for (JsonNode member : group.path("members")) {
      table.row(
          member.path("id").asText(),
          member.path("host").asText(),
          member.path("raftPort").asText(),
          member.path("grpcPort").asText(),
          member.path("httpPort").asText(),
          member.path("leads").asBoolean() ? "leads" : "");
    }
    table.fit(terminal.columns()).lines().forEach(terminal::line);
    if (group.path("leader").isNull()) {
      terminal.line("Coordinator " + group.path("self").asText() + " knows no leader now.");
    }
  }
}
