package io.sluice.cli.bench.compare;

import io.sluice.cli.bench.Metric;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The benchmarks of tables with a primary key: 1 M keys of which random ones are written or looked
 * up. Those that change rows share one table where they can, those that look rows up another.
 */
final class KeyedComparisons {
  private static final List<String> FLUSS = List.of(Peers.FLUSS);
  private static final Metric RATE = Metric.ROWS_PER_SECOND;
  private static final long WRITE_MS = 3_000;
  private static final long READ_MS = 5_000;

  private static final Lane SLUICE = Lane.of(Lane.SLUICE, "defaults");
  private static final Lane AS_SHIPPED = Lane.of(Peers.FLUSS, "as shipped");
  private static final Lane SHORT_TIMEOUT =
      new Lane(Peers.FLUSS, "batch timeout 1 ms", Map.of("set.client.lookup.batch-timeout", "1ms"));

  private static final Map<String, String> CHANGED = Map.of("table", "changed", "schema", "keyed");
  private static final Map<String, String> LOOKED_UP =
      Map.of("table", "looked_up", "schema", "keyed");

  private static final String FULL = "default image";
  private static final String WAL = "WAL image";
  private static final String CONSUMER = "default image, consumer";
  private static final String PARTIAL = "3 of 6 columns";
  private static final String AGGREGATE = "sum and rbm32";
  private static final String ALONE = "one at a time";
  private static final String TOGETHER = "1,024 in flight";
  private static final String GROUPS = "10 rows each, 1,024 in flight";

  private KeyedComparisons() {}

  static List<Comparison> all() {
    return List.of(upsert(), partial(), aggregate(), lookup(), lookupAsync(), prefix());
  }

  private static Map<String, String> with(Map<String, String> words, String... more) {
    Map<String, String> all = new HashMap<>(words);
    for (int i = 0; i < more.length; i += 2) {
      all.put(more[i], more[i + 1]);
    }
    return all;
  }

  private static Comparison upsert() {
    List<Lane> lanes = List.of(SLUICE, AS_SHIPPED);
    return new KeyedComparison(
        "upsert",
        "random upserts a second: default changelog, WAL image, beside a changelog consumer",
        "upsert",
        WRITE_MS,
        List.of(
            new Contest(FULL, CHANGED, lanes),
            new Contest(
                WAL, Map.of("table", "changed_wal", "schema", "keyed", "changelog", "wal"), lanes),
            new Contest(CONSUMER, with(CHANGED, "consumer", "true"), lanes)),
        List.of(
            RATE,
            Metric.CLIENT_CPU,
            Metric.SERVER_CPU,
            Metric.WIRE_BYTES,
            Metric.CHANGELOG_ROWS_PER_SECOND,
            Metric.FAILED_WRITES),
        standings ->
            Stream.of(
                ratio("upserts, default image: rows/s", FULL, standings, 2, 3),
                ratio("upserts, WAL image: rows/s", WAL, standings, 1.3, 2),
                ratio("upserts beside a consumer: rows/s", CONSUMER, standings, 1.5, 3)));
  }

  private static Optional<Goal> ratio(
      String text, String contest, Standings standings, double must, double aim) {
    return Goal.atLeast(
        text, standings.sluice(contest, RATE), standings.highest(contest, RATE, FLUSS), must, aim);
  }

  /**
   * Fluss loses most writes with its own batch size where rows are small, as a batch of them
   * overflows a buffer of its server: that lane has a table of its own and only counts them.
   */
  private static List<Lane> smallRows(String lossyTable) {
    Map<String, String> lossy = Map.of("table", lossyTable, "failures", "counted");
    Map<String, String> small =
        Map.of("set.client.writer.batch-size", "1mb", "set.client.writer.batch-timeout", "10ms");
    return List.of(
        SLUICE,
        new Lane(Peers.FLUSS, "as shipped", lossy),
        new Lane(Peers.FLUSS, "1 MiB batches", small));
  }

  private static Comparison partial() {
    return new KeyedComparison(
        "partial",
        "random updates a second of 3 of 6 columns, and writes that fail",
        "upsert",
        WRITE_MS,
        List.of(
            new Contest(PARTIAL, with(CHANGED, "columns", "0,2,3"), smallRows("changed_lossy"))),
        List.of(
            RATE, Metric.CLIENT_CPU, Metric.SERVER_CPU, Metric.WIRE_BYTES, Metric.FAILED_WRITES),
        standings ->
            Stream.of(
                ratio("partial updates: rows/s", PARTIAL, standings, 1.5, 3),
                Goal.bound(
                    "partial updates that fail",
                    standings.sluice(PARTIAL, Metric.FAILED_WRITES),
                    0)));
  }

  private static Comparison aggregate() {
    return new KeyedComparison(
        "aggregate",
        "upserts a second into a sum and a 32-bit bitmap (bitmaps of one number)",
        "upsert",
        WRITE_MS,
        List.of(
            new Contest(
                AGGREGATE,
                Map.of("table", "aggregated", "schema", "aggregate"),
                smallRows("aggregated_lossy"))),
        List.of(
            RATE, Metric.CLIENT_CPU, Metric.SERVER_CPU, Metric.WIRE_BYTES, Metric.FAILED_WRITES),
        standings ->
            Stream.of(
                ratio("aggregation: rows/s", AGGREGATE, standings, 1.3, 2),
                Goal.bound(
                    "aggregated rows that fail",
                    standings.sluice(AGGREGATE, Metric.FAILED_WRITES),
                    0)));
  }

  private static Comparison lookup() {
    return new KeyedComparison(
        "lookup",
        "time of a lookup by key, one thread, one at a time",
        "lookup",
        READ_MS,
        List.of(
            new Contest(
                ALONE,
                with(LOOKED_UP, "inflight", "1"),
                List.of(SLUICE, AS_SHIPPED, SHORT_TIMEOUT))),
        List.of(
            Metric.P50_MS,
            Metric.P99_MS,
            Metric.MAX_MS,
            RATE,
            Metric.CLIENT_CPU,
            Metric.SERVER_CPU),
        standings ->
            Stream.of(
                Goal.bound("lookup p50, ms", standings.sluice(ALONE, Metric.P50_MS), 0.35, 0.15),
                Goal.bound("lookup p99, ms", standings.sluice(ALONE, Metric.P99_MS), 2)));
  }

  private static Comparison lookupAsync() {
    return new KeyedComparison(
        "lookup-async",
        "lookups by key a second, 1,024 in flight",
        "lookup",
        READ_MS,
        List.of(
            new Contest(
                TOGETHER,
                with(LOOKED_UP, "inflight", "1024"),
                List.of(SLUICE, AS_SHIPPED, SHORT_TIMEOUT))),
        List.of(RATE, Metric.CLIENT_CPU, Metric.SERVER_CPU, Metric.WIRE_BYTES),
        standings -> Stream.of(ratio("lookups: lookups/s", TOGETHER, standings, 2, 4)));
  }

  private static Comparison prefix() {
    return new KeyedComparison(
        "prefix",
        "lookups a second of 10 rows each by the bucket key, 1,024 in flight",
        "lookup",
        READ_MS,
        List.of(
            new Contest(
                GROUPS,
                Map.of("table", "groups", "schema", "grouped", "inflight", "1024"),
                List.of(SLUICE, AS_SHIPPED, SHORT_TIMEOUT))),
        List.of(RATE, Metric.CLIENT_CPU, Metric.SERVER_CPU, Metric.WIRE_BYTES),
        standings -> Stream.of(ratio("prefix lookups: lookups/s", GROUPS, standings, 1.5, 3)));
  }
}
