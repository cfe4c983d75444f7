package io.sluice.cli.bench.compare;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.bench.harness.BenchSchema;
import io.sluice.bench.harness.BenchSchema.BenchColumn;
import io.sluice.cli.CliException;
import io.sluice.cli.bench.Metric;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Scans of one stored table of wide rows, with 20, 10, 4 and 2 of its 20 columns. All products have
 * the same rows; the sums of what they read must be the same.
 */
final class ScanComparison implements Comparison {
  private static final long ROWS = 300_000;
  private static final long WINDOW_MS = 2_000;
  private static final String ALL = "20 of 20";
  private static final String ALL_ROWS = "20 of 20, as rows";
  private static final String TWO = "2 of 20";

  /** Half of the columns, among them one of the long texts. */
  private static final List<String> TEN =
      List.of("id", "ts", "user_id", "country", "amount", "url", "status", "device", "a", "b");

  private static final List<String> FOUR = List.of("id", "ts", "country", "amount");
  private static final List<String> TWO_COLUMNS = List.of("country", "amount");

  private static final Map<String, String> SHORT_WAIT =
      Map.of("set.client.scanner.log.fetch.wait-max-time", "5ms");
  private static final Map<String, String> LARGE_FETCHES =
      Map.of(
          "set.consumer.max.poll.records", "10000",
          "set.consumer.max.partition.fetch.bytes", "8388608");
  private static final Map<String, String> IN_TURN =
      Map.of("set.client.writer.bucket.no-key-assigner", "ROUND_ROBIN");

  private static final Lane SLUICE = Lane.of(Lane.SLUICE, "defaults");
  private static final Lane FLUSS_AS_SHIPPED = Lane.of(Peers.FLUSS, "as shipped");
  private static final Lane FLUSS_TUNED = new Lane(Peers.FLUSS, "fetch wait 5 ms", SHORT_WAIT);
  private static final Lane KAFKA = Lane.of(Peers.KAFKA, "defaults");
  private static final Lane KAFKA_TUNED = new Lane(Peers.KAFKA, "large fetches", LARGE_FETCHES);

  private final BenchSchema schema = BenchSchema.of("wide");
  private final Map<String, Long> checksums = new HashMap<>();

  @Override
  public String name() {
    return "log-scan";
  }

  @Override
  public String summary() {
    return "rows read a second with 20, 10, 4 and 2 of 20 columns, as vectors and as rows";
  }

  @Override
  public List<Contest> contests(ComparePlan plan) {
    List<String> codecs = plan.codecs().isEmpty() ? List.of("none") : plan.codecs();
    List<String> all = schema.columns().stream().map(BenchColumn::name).toList();
    List<Contest> contests = new ArrayList<>();
    for (String codec : codecs) {
      String more = codecs.size() == 1 && codec.equals("none") ? "" : ", " + codec;
      Map<String, String> words = words(plan, codec);
      List<Lane> everyone = List.of(SLUICE, FLUSS_AS_SHIPPED, FLUSS_TUNED, KAFKA, KAFKA_TUNED);
      List<Lane> tuned = List.of(SLUICE, FLUSS_TUNED, KAFKA_TUNED);
      List<Lane> fluss = List.of(SLUICE, FLUSS_AS_SHIPPED, FLUSS_TUNED, KAFKA_TUNED);
      contests.add(contest(ALL + more, words, all, "RAW", everyone));
      contests.add(contest(ALL_ROWS + more, words, all, "ROWS", tuned));
      contests.add(contest("10 of 20" + more, words, TEN, "RAW", tuned));
      contests.add(contest("4 of 20" + more, words, FOUR, "RAW", tuned));
      contests.add(contest(TWO + more, words, TWO_COLUMNS, "RAW", fluss));
      contests.add(contest(TWO + ", as rows" + more, words, TWO_COLUMNS, "ROWS", tuned));
    }
    return contests;
  }

  private Contest contest(
      String name,
      Map<String, String> common,
      List<String> columns,
      String form,
      List<Lane> lanes) {
    Map<String, String> words = new LinkedHashMap<>(common);
    words.put("form", form);
    words.put(
        "columns",
        IntStream.range(0, schema.size())
            .filter(column -> columns.contains(schema.columns().get(column).name()))
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(",")));
    return new Contest(name, words, lanes);
  }

  private static Map<String, String> words(ComparePlan plan, String codec) {
    Map<String, String> words = new LinkedHashMap<>();
    words.put("schema", "wide");
    words.put("codec", codec);
    words.put("buckets", "4");
    words.put("table", "scan_" + codec);
    words.put("rows", Long.toString(plan.rowsOr(ROWS)));
    words.put("millis", Long.toString(plan.windowMillisOr(WINDOW_MS)));
    return words;
  }

  @Override
  public List<Metric> shown() {
    return List.of(Metric.ROWS_PER_SECOND, Metric.CLIENT_CPU, Metric.SERVER_CPU, Metric.WIRE_BYTES);
  }

  /**
   * Loads the tables. Peers deal rows to their buckets in turn, so that all buckets end together: a
   * scan of theirs waits at the end of the first one that is read to its end.
   */
  @Override
  public void prepare(ClientSession client, List<Contest> contests, Consumer<String> progress)
      throws Exception {
    Map<String, Map<String, String>> tables = new LinkedHashMap<>();
    for (Contest contest : contests) {
      Map<String, String> words = new LinkedHashMap<>(contest.words());
      words.keySet().removeAll(List.of("form", "columns", "millis"));
      if (client.name().equals(Peers.FLUSS)) {
        words.putAll(IN_TURN);
      } else if (client.name().equals(Peers.KAFKA)) {
        words.putAll(AppendComparison.kafkaBatches());
        words.put("set.spread", "rows");
      }
      tables.put(words.getOrDefault("table", ""), words);
    }
    for (Map<String, String> words : tables.values()) {
      client.order("load", words);
    }
  }

  @Override
  public Map<Metric, Double> window(ClientSession client, Contest contest, Lane lane)
      throws Exception {
    JsonNode answer = client.order("scan", contest.words(lane));
    long checksum = answer.path("checksum").asLong();
    long expected = checksums.computeIfAbsent(contest.words().get("columns"), c -> checksum);
    if (checksum != expected) {
      throw new CliException(
          "%s read other values than the products before: %s, sum %d instead of %d"
              .formatted(client.name(), contest.name(), checksum, expected));
    }
    return Answers.metrics(answer);
  }

  @Override
  public List<Goal> goals(Standings standings) {
    Metric rate = Metric.ROWS_PER_SECOND;
    List<String> fluss = List.of(Peers.FLUSS);
    return Stream.of(
            Goal.atLeast(
                "20 of 20 columns, vectors: rows/s",
                standings.sluice(ALL, rate),
                standings.highest(ALL, rate, Peers.NAMES),
                1.5,
                2),
            Goal.atLeast(
                "20 of 20 columns, rows: rows/s",
                standings.sluice(ALL_ROWS, rate),
                standings.highest(ALL_ROWS, rate, Peers.NAMES),
                1.5,
                2),
            Goal.atLeast(
                "2 of 20 columns: rows/s",
                standings.sluice(TWO, rate),
                standings.highest(TWO, rate, fluss),
                1.5,
                3),
            Goal.bound(
                "2 of 20 columns: server CPU s/M", standings.sluice(TWO, Metric.SERVER_CPU), 0.13))
        .flatMap(Optional::stream)
        .toList();
  }
}
