package io.sluice.cli.replicas;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.Terminal;
import io.sluice.cli.terminal.TextTable;
import java.time.Instant;

/** A plan of moves, or how far it is. */
final class RebalanceReport {
  private static final int SHOWN = 50;

  private final Terminal terminal;

  RebalanceReport(Terminal terminal) {
    this.terminal = terminal;
  }

  /** What would be moved. */
  void plan(JsonNode plan) {
    if (plan.path("changes").asLong() == 0) {
      terminal.line("Replicas and leaderships are evenly spread: there is nothing to move.");
      return;
    }
    terminal.line(
        Figures.count(plan.path("changes").asLong())
            + " buckets would change, "
            + Figures.count(plan.path("copies").asLong())
            + " replicas would be copied:");
    steps(plan.path("steps"));
    terminal.line("./sluice cluster rebalance begins.");
  }

  private void steps(JsonNode steps) {
    TextTable table =
        new TextTable().left("TABLE").left("BUCKET").left("FROM").left("TO").left("COPIED TO");
    int shown = 0;
    for (JsonNode step : steps) {
      if (shown++ == SHOWN) {
        break;
      }
      table.row(
          step.path("table").asText(),
          Buckets.name(step),
          Buckets.servers(step.path("from")),
          Buckets.servers(step.path("to")),
          Buckets.servers(step.path("copiesTo")));
    }
    table.fit(terminal.columns()).lines().forEach(terminal::line);
    if (steps.size() > SHOWN) {
      terminal.line("... and " + Figures.count(steps.size() - SHOWN) + " more");
    }
  }

  /** What was begun. */
  void begun(JsonNode progress) {
    if (progress.path("total").asLong() == 0) {
      terminal.line("There is nothing that can be moved.");
    } else {
      terminal.line(
          Figures.count(progress.path("total").asLong())
              + " buckets are to be moved. ./sluice cluster rebalance --status shows how far it is,"
              + " --cancel gives it up.");
    }
    reason(progress);
  }

  /** How far it is, and what that means when this coordinator knows of none. */
  void status(JsonNode progress) {
    progress(progress);
    if (progress.path("state").asText().equals("IDLE")) {
      terminal.line(
          "  since "
              + Instant.ofEpochMilli(progress.path("leadsSinceMs").asLong())
              + ", when this coordinator began to lead. One that was begun before ended with its"
              + " leader:");
      terminal.line(
          "  moves under way go on, and ./sluice cluster rebalance --plan shows what is left to do.");
    }
  }

  /** How far it is; one line when there is none. */
  void progress(JsonNode progress) {
    String state = progress.path("state").asText();
    if (state.equals("IDLE")) {
      terminal.line("rebalance: none");
      return;
    }
    terminal.line(
        "rebalance: "
            + switch (state) {
              case "RUNNING" -> "under way";
              case "FINISHED" -> "over";
              default -> "cancelled";
            }
            + ", "
            + Figures.count(progress.path("done").asLong())
            + " of "
            + Figures.count(progress.path("total").asLong())
            + " buckets moved, "
            + Figures.count(progress.path("moving").size())
            + " moving, "
            + Figures.count(progress.path("waiting").asLong())
            + " waiting, "
            + Figures.count(progress.path("failed").asLong())
            + " not moved");
    reason(progress);
  }

  private void reason(JsonNode progress) {
    String reason = progress.path("lastFailure").asText();
    if (!reason.isEmpty()) {
      terminal.line("  " + reason);
    }
  }
}
