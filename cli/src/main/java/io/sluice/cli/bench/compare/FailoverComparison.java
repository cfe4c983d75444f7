package io.sluice.cli.bench.compare;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.bench.Metric;
import io.sluice.cli.bench.compare.SluiceServers.Leader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * kill -9 of the tablet that leads the one bucket of a table with three replicas, while rows are
 * written and looked up: how long after the kill the first write and the first lookup that began
 * after it succeed. Then the tablet is started again, and the next kill waits until all replicas
 * are in sync. Every row that was acknowledged must be there.
 */
final class FailoverComparison implements Comparison {
  private static final String LOG = "log table";
  private static final String KEYED = "primary-key table";
  private static final long KEYS = 10_000_000;

  /** What the log table has before. */
  private static final long ROWS = 1_000_000;

  private static final Replication THREE = new Replication(3, 3);
  private static final List<Lane> LANES = List.of(Lane.of(Lane.SLUICE, "defaults"));
  private static final double NANOS_PER_SECOND = 1e9;

  @Override
  public String name() {
    return "failover";
  }

  @Override
  public String summary() {
    return "3 tablets, RF 3, kill -9 of a leader: seconds to the next acknowledged write and lookup";
  }

  @Override
  public List<String> peers() {
    return List.of();
  }

  @Override
  public boolean runsAlone() {
    return true;
  }

  @Override
  public int defaultRepeat() {
    return 3;
  }

  /** The process that takes over has done nothing but follow; so it is in life. */
  @Override
  public int warmUps(ComparePlan plan) {
    return 0;
  }

  @Override
  public Replication replication(ComparePlan plan) {
    return THREE;
  }

  @Override
  public int buckets() {
    return 1;
  }

  @Override
  public List<Contest> contests(ComparePlan plan) {
    Map<String, String> log = KeyedTables.words("failover_log", "narrow", 0);
    log.remove("keys");
    log.put("rows", Long.toString(plan.rowsOr(ROWS)));
    Map<String, String> keyed = KeyedTables.words("failover_keys", "keyed", plan.keysOr(KEYS));
    for (Map<String, String> words : List.of(log, keyed)) {
      words.put("buckets", Integer.toString(buckets()));
      words.put("replicas", Integer.toString(THREE.replicas()));
    }
    return List.of(new Contest(LOG, log, LANES), new Contest(KEYED, keyed, LANES));
  }

  @Override
  public List<Metric> shown() {
    return List.of(
        Metric.FIRST_WRITE_SECONDS,
        Metric.FIRST_LOOKUP_SECONDS,
        Metric.IN_SYNC_SECONDS,
        Metric.KEYS);
  }

  @Override
  public void prepare(ClientSession client, List<Contest> contests, Consumer<String> progress)
      throws Exception {
    for (Contest contest : contests) {
      if (contest.name().equals(KEYED)) {
        KeyedTables.fill(client, List.of(contest), progress);
      } else if (client.isNew(table(contest))) {
        client.order("load", contest.words());
      }
    }
  }

  private static String table(Contest contest) {
    return contest.words().getOrDefault("table", "");
  }

  @Override
  public Map<Metric, Double> window(ClientSession client, Contest contest, Lane lane)
      throws Exception {
    if (!(client.servers() instanceof SluiceServers servers)) {
      throw new IllegalArgumentException(client.name() + " has no replicas here");
    }
    Map<String, String> words = new LinkedHashMap<>(contest.words(lane));
    Leader leader = servers.awaitAllInSync(table(contest));
    words.put("kill", Long.toString(leader.pid()));
    JsonNode answer;
    long started;
    try {
      answer = client.orderWithoutServers("failover", words);
    } finally {
      started = System.nanoTime();
      servers.startAgain(leader);
    }
    Map<Metric, Double> metrics = Answers.metrics(answer);
    servers.awaitAllInSync(table(contest));
    metrics.put(Metric.IN_SYNC_SECONDS, (System.nanoTime() - started) / NANOS_PER_SECOND);
    if (words.containsKey("keys")) {
      metrics.put(Metric.KEYS, Double.parseDouble(words.get("keys")));
    }
    return metrics;
  }

  @Override
  public List<Goal> goals(Standings standings) {
    return Stream.of(
            Goal.bound(
                "log table: seconds to the next write",
                standings.sluice(LOG, Metric.FIRST_WRITE_SECONDS),
                8),
            Goal.bound(
                "primary-key table: seconds to the next write",
                standings.sluice(KEYED, Metric.FIRST_WRITE_SECONDS),
                10),
            Goal.bound(
                "primary-key table: seconds to the next lookup",
                standings.sluice(KEYED, Metric.FIRST_LOOKUP_SECONDS),
                10))
        .flatMap(Optional::stream)
        .toList();
  }
}
