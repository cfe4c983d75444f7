package io.sluice.cli.bench.compare;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.bench.harness.TargetTable;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The tables with a primary key that the windows of a benchmark work on. */
final class KeyedTables {
  static final long KEYS = 1_000_000;

  private static final Duration FILL_TIMEOUT = Duration.ofMinutes(20);
  private static final String SETTING = "set.";

  /** Words of windows, which say nothing about the table. */
  private static final List<String> OF_WINDOWS =
      List.of("rows", "millis", "columns", "consumer", "failures", "inflight");

  private KeyedTables() {}

  /** The words about a table that all of these benchmarks have. */
  static Map<String, String> words(String table, String schema, long keys) {
    Map<String, String> words = new LinkedHashMap<>();
    words.put("table", table);
    words.put("schema", schema);
    words.put("keys", Long.toString(keys));
    words.put("codec", TargetTable.DEFAULT_CODEC);
    words.put("buckets", "4");
    return words;
  }

  /** Creates the tables of a product's lanes with a row for each key, unless they are there. */
  static void fill(ClientSession client, List<Contest> contests, Consumer<String> progress)
      throws InterruptedException {
    for (Contest contest : contests) {
      for (Lane lane : contest.lanes()) {
        Map<String, String> words = contest.words(lane);
        String table = words.getOrDefault("table", "");
        if (lane.product().equals(client.name()) && client.isNew(table)) {
          words.keySet().removeIf(word -> OF_WINDOWS.contains(word) || word.startsWith(SETTING));
          JsonNode answer = client.order("fill", words, FILL_TIMEOUT);
          progress.accept(
              "%s: table %s filled with %s keys, %s rows/s"
                  .formatted(
                      client.name(),
                      table,
                      ComparisonReport.figure(answer.path("rows").asDouble()),
                      ComparisonReport.figure(answer.path("rows_per_s").asDouble())));
        }
      }
    }
  }
}
