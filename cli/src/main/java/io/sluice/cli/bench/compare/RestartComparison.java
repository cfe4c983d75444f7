package io.sluice.cli.bench.compare;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.bench.Metric;
import io.sluice.cli.measure.ProcessAge;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * kill -9 of the server of rows just after it has acknowledged upserts, and how long after the
 * start of the next process the first lookup and the first write succeed. Then some 500 rows are
 * read back: of Sluice all must be as they were acknowledged, of others the wrong ones are counted.
 */
final class RestartComparison implements Comparison {
  private static final String CONTEST = "kill -9, start again";
  private static final long KEYS = 10_000_000;

  /** What others have when nothing is asked for: they take minutes to fill 10 M keys. */
  private static final long PEER_KEYS = 2_000_000;

  /** Upserts just before the kill. */
  private static final long LAST_ROWS = 200_000;

  private static final double MS_PER_SECOND = 1e3;

  @Override
  public String name() {
    return "restart";
  }

  @Override
  public String summary() {
    return "10 M keys, kill -9 of the tablet: seconds from its start to the first lookup and write";
  }

  @Override
  public List<String> peers() {
    return List.of(Peers.FLUSS);
  }

  @Override
  public boolean runsAlone() {
    return true;
  }

  @Override
  public int defaultRepeat() {
    return 3;
  }

  /** Each process that is measured is new anyway. */
  @Override
  public int warmUps(ComparePlan plan) {
    return 0;
  }

  @Override
  public List<Contest> contests(ComparePlan plan) {
    Map<String, String> words = KeyedTables.words("restarted", "keyed", plan.keysOr(KEYS));
    words.put("rows", Long.toString(plan.rowsOr(LAST_ROWS)));
    Map<String, String> peer =
        Map.of("keys", Long.toString(plan.keysOr(PEER_KEYS)), "failures", "counted");
    return List.of(
        new Contest(
            CONTEST,
            words,
            List.of(Lane.of(Lane.SLUICE, "defaults"), new Lane(Peers.FLUSS, "as shipped", peer))));
  }

  @Override
  public List<Metric> shown() {
    return List.of(
        Metric.FIRST_LOOKUP_SECONDS, Metric.FIRST_WRITE_SECONDS, Metric.WRONG_ROWS, Metric.KEYS);
  }

  @Override
  public void prepare(ClientSession client, List<Contest> contests, Consumer<String> progress)
      throws Exception {
    KeyedTables.fill(client, contests, progress);
  }

  @Override
  public Map<Metric, Double> window(ClientSession client, Contest contest, Lane lane)
      throws Exception {
    if (!(client.servers() instanceof RestartableServers servers)) {
      throw new IllegalArgumentException(client.name() + " is not made to be killed");
    }
    Map<String, String> words = contest.words(lane);
    client.order("upsert", words);
    servers.killRowServer();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<JsonNode> recovery =
          thread.submit(() -> client.orderWithoutServers("recover", new LinkedHashMap<>(words)));
      double startedMs = ProcessAge.startEpochMs(servers.startRowServer());
      JsonNode answer = recovery.get();
      Map<Metric, Double> metrics = new EnumMap<>(Metric.class);
      metrics.put(Metric.FIRST_LOOKUP_SECONDS, seconds(answer, "first_lookup_at_ms", startedMs));
      metrics.put(Metric.FIRST_WRITE_SECONDS, seconds(answer, "first_write_at_ms", startedMs));
      metrics.put(Metric.WRONG_ROWS, answer.path("wrong_rows").asDouble());
      metrics.put(Metric.KEYS, Double.parseDouble(words.getOrDefault("keys", "0")));
      return metrics;
    } finally {
      thread.shutdownNow();
    }
  }

  private static double seconds(JsonNode answer, String name, double startedMs) {
    return (answer.path(name).asDouble() - startedMs) / MS_PER_SECOND;
  }

  @Override
  public List<Goal> goals(Standings standings) {
    Metric lookup = Metric.FIRST_LOOKUP_SECONDS;
    List<String> fluss = List.of(Peers.FLUSS);
    return Stream.of(
            Goal.bound("seconds to the first lookup", standings.sluice(CONTEST, lookup), 10, 5),
            Goal.atMost(
                "seconds to the first lookup",
                standings.sluice(CONTEST, lookup),
                standings.lowest(CONTEST, lookup, fluss),
                0.2))
        .flatMap(Optional::stream)
        .toList();
  }
}
