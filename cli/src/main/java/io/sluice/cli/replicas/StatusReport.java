package io.sluice.cli.replicas;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.rest.RestClient;
import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.Terminal;
import io.sluice.cli.terminal.TextTable;
import java.util.List;

/** How the buckets are: the worst first, each kind with what to do about it. */
final class StatusReport {
  private static final int SHOWN = 20;
  private static final String API = "/api/v1";

  private final RestClient rest;
  private final Terminal terminal;

  StatusReport(RestClient rest, Terminal terminal) {
    this.rest = rest;
    this.terminal = terminal;
  }

  /**
   * A kind of bucket to look at.
   *
   * @param count its name in the counts
   * @param state its name in queries
   */
  private record Kind(String count, String state, String title, String advice) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind(
              "offline",
              "offline",
              "OFFLINE: nobody leads, so they are neither written nor read",
              "Bring back a server of IN SYNC: it has all rows. If none will ever come back:\n"
                  + "./sluice cluster elect TABLE BUCKET --server N --accept-data-loss"),
          new Kind(
              "underMinInsync",
              "under-min-insync",
              "NOT WRITABLE: fewer replicas in sync than a write needs; they can be read",
              "Bring back the servers of REPLICAS that are not IN SYNC, or move the bucket:\n"
                  + "./sluice cluster move TABLE BUCKET --replicas N,..."),
          new Kind(
              "underReplicated",
              "under-replicated",
              "UNDER-REPLICATED: they work, and can lose fewer servers than they should",
              "./sluice cluster servers shows who is away. A server that came back catches up by"
                  + " itself."),
          new Kind("moving", "moving", "MOVING to the servers of TARGET", ""));

  void show() {
    JsonNode counts = rest.get(API + "/replication");
    terminal.line(
        "buckets "
            + count(counts, "buckets")
            + "   offline "
            + count(counts, "offline")
            + "   not writable "
            + count(counts, "underMinInsync")
            + "   under-replicated "
            + count(counts, "underReplicated")
            + "   moving "
            + count(counts, "moving"));
    new RebalanceReport(terminal).progress(rest.get(API + "/rebalance"));
    boolean well = true;
    for (Kind kind : KINDS) {
      if (counts.path(kind.count()).asLong() > 0) {
        well &= kind.count().equals("moving");
        list(kind);
      }
    }
    if (well) {
      terminal.line("Every bucket has its leader and all its replicas in sync.");
    }
  }

  private static String count(JsonNode counts, String name) {
    return Figures.count(counts.path(name).asLong());
  }

  private void list(Kind kind) {
    JsonNode page =
        rest.get(API + "/replication/buckets?state=" + kind.state() + "&limit=" + SHOWN);
    terminal.blank();
    terminal.line(kind.title());
    TextTable table =
        new TextTable()
            .left("TABLE")
            .left("BUCKET")
            .left("LEADER")
            .left("IN SYNC")
            .left("REPLICAS")
            .left("TARGET");
    for (JsonNode item : page.path("items")) {
      JsonNode bucket = item.path("bucket");
      table.row(
          item.path("database").asText() + "." + item.path("table").asText(),
          Buckets.name(bucket),
          bucket.path("leader").asText("-").replace("null", "-"),
          Buckets.servers(bucket.path("isr")),
          Buckets.servers(bucket.path("replicas")),
          Buckets.servers(bucket.path("target")));
    }
    table.fit(terminal.columns()).lines().forEach(terminal::line);
    long more = page.path("total").asLong() - page.path("items").size();
    if (more > 0) {
      terminal.line("... and " + Figures.count(more) + " more");
    }
    if (!kind.advice().isEmpty()) {
      kind.advice().lines().forEach(terminal::line);
    }
  }
}
