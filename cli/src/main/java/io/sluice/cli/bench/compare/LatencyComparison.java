package io.sluice.cli.bench.compare;

import io.sluice.bench.harness.TargetTable;
import io.sluice.cli.bench.Metric;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** End-to-end latency of wide rows at 5,000 rows/s, open loop. */
final class LatencyComparison implements Comparison {
  private static final String CONTEST = "wide, 5,000 rows/s";
  private static final int ROWS_PER_SECOND = 5_000;
  private static final long WINDOW_MS = 6_000;

  private static final Map<String, String> FLUSS_TUNED =
      Map.of(
          "codec", "none",
          "set.client.writer.batch-timeout", "0ms",
          "set.client.scanner.log.fetch.wait-max-time", "5ms");

  private int tables;

  @Override
  public String name() {
    return "latency";
  }

  @Override
  public String summary() {
    return "time from a row's due time to the poll that returns it, 5,000 wide rows/s, open loop";
  }

  @Override
  public List<Contest> contests(ComparePlan plan) {
    long rows = plan.rowsOr(plan.windowMillisOr(WINDOW_MS) * ROWS_PER_SECOND / 1_000);
    Map<String, String> words = new LinkedHashMap<>();
    words.put("schema", "wide");
    words.put("codec", TargetTable.DEFAULT_CODEC);
    words.put("buckets", "4");
    words.put("rate", Integer.toString(ROWS_PER_SECOND));
    words.put("skip", Integer.toString(ROWS_PER_SECOND));
    words.put("rows", Long.toString(rows + ROWS_PER_SECOND));
    return List.of(
        new Contest(
            CONTEST,
            words,
            List.of(
                Lane.of(Lane.SLUICE, "defaults"),
                Lane.of(Peers.FLUSS, "as shipped"),
                new Lane(Peers.FLUSS, "no linger, fetch wait 5 ms", FLUSS_TUNED),
                Lane.of(Peers.KAFKA, "defaults"),
                new Lane(Peers.KAFKA, "linger 0", Map.of("set.producer.linger.ms", "0")),
                new Lane(Peers.KAFKA, "linger 1 ms", Map.of("set.producer.linger.ms", "1")))));
  }

  @Override
  public List<Metric> shown() {
    return List.of(
        Metric.P50_MS, Metric.P99_MS, Metric.MAX_MS, Metric.CLIENT_CPU, Metric.SERVER_CPU);
  }

  @Override
  public boolean evensWarmUps() {
    return true;
  }

  @Override
  public void prepare(ClientSession client, List<Contest> contests, Consumer<String> progress) {
    // Each window makes its own table.
  }

  @Override
  public Map<Metric, Double> window(ClientSession client, Contest contest, Lane lane)
      throws Exception {
    Map<String, String> words = contest.words(lane);
    words.put("table", "latency_" + ++tables);
    return client.orderAndDrop("latency", words, Answers::metrics);
  }

  @Override
  public List<Goal> goals(Standings standings) {
    List<String> kafka = List.of(Peers.KAFKA);
    return Stream.of(
            Goal.atMost(
                "p50",
                standings.sluice(CONTEST, Metric.P50_MS),
                standings.lowest(CONTEST, Metric.P50_MS, kafka),
                1,
                0.5),
            Goal.atMost(
                "p99",
                standings.sluice(CONTEST, Metric.P99_MS),
                standings.lowest(CONTEST, Metric.P99_MS, kafka),
                1,
                0.5))
        .flatMap(Optional::stream)
        .toList();
  }
}
