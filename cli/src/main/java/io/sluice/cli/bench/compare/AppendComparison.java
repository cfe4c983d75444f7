package io.sluice.cli.bench.compare;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.bench.Metric;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Appends: wide rows without and with zstd, narrow rows, and Arrow batches passed through. A window
 * is a number of rows, the same for all products: in equal times the fastest one would write the
 * most, and pay for the file cache's new pages, which are dear on a virtual machine, what the
 * others do not.
 */
final class AppendComparison implements Comparison {
  private static final long WIDE_ROWS = 1_000_000;

  private static final long NARROW_ROWS = 4_000_000;

  /** Rows that are compressed take longer: windows have so many times as many. */
  private static final double OF_COMPRESSED = 0.4;

  /** So do rows on several servers. */
  private static final double ON_SEVERAL_SERVERS = 1.0 / 3;

  private static final String BUCKETS = "4";
  private static final String BATCHES = "wide, none, Arrow batches";
  private static final String ON_SEVERAL = ", RF %d";
  private static final String THREE_REPLICAS = ON_SEVERAL.formatted(3);

  private static final List<Lane> ROW_LANES =
      List.of(
          Lane.of(Lane.SLUICE, "defaults"),
          Lane.of(Peers.FLUSS, "defaults"),
          Lane.of(Peers.KAFKA, "defaults"),
          new Lane(Peers.KAFKA, "1 MiB batches", kafkaBatches()));

  private int tables;

  /** The batching with which Kafka does best here. */
  static Map<String, String> kafkaBatches() {
    return Map.of(
        "set.producer.batch.size", "1048576",
        "set.producer.linger.ms", "10",
        "set.producer.buffer.memory", "67108864",
        "set.producer.max.request.size", "10485760");
  }

  @Override
  public String name() {
    return "log-append";
  }

  @Override
  public String summary() {
    return "rows appended a second: wide rows without and with zstd, narrow rows, Arrow batches";
  }

  @Override
  public Replication replication(ComparePlan plan) {
    return plan.replication();
  }

  @Override
  public List<Contest> contests(ComparePlan plan) {
    List<Contest> contests = new ArrayList<>();
    for (String schema : plan.schemas().isEmpty() ? List.of("wide", "narrow") : plan.schemas()) {
      for (String codec : plan.codecs().isEmpty() ? List.of("none", "zstd") : plan.codecs()) {
        // Narrow rows have a goal without a codec only; asked for, the others run too.
        if (schema.equals("wide") || codec.equals("none") || !plan.codecs().isEmpty()) {
          contests.add(
              new Contest(
                  schema + ", " + codec + suffix(plan.replication()),
                  words(plan, schema, codec),
                  ROW_LANES));
        }
      }
    }
    if (contests.stream().anyMatch(contest -> contest.name().equals("wide, none"))) {
      contests.add(
          new Contest(
              BATCHES,
              words(plan, "wide", "none"),
              List.of(new Lane(Lane.SLUICE, "defaults", Map.of("set.form", "arrow")))));
    }
    return contests;
  }

  /** Contests on several servers have goals of their own. */
  private static String suffix(Replication replication) {
    return replication.several() ? ON_SEVERAL.formatted(replication.replicas()) : "";
  }

  private static Map<String, String> words(ComparePlan plan, String schema, String codec) {
    Map<String, String> words = new LinkedHashMap<>();
    words.put("schema", schema);
    words.put("codec", codec);
    words.put("buckets", BUCKETS);
    words.put("replicas", Integer.toString(plan.replication().replicas()));
    if (plan.rows() == 0 && plan.windowMillis() > 0) {
      words.put("millis", Long.toString(plan.windowMillis()));
    } else {
      words.put("rows", Long.toString(plan.rowsOr(rows(plan, schema, codec))));
    }
    return words;
  }

  private static long rows(ComparePlan plan, String schema, String codec) {
    long rows = schema.equals("narrow") ? NARROW_ROWS : WIDE_ROWS;
    double codecs = codec.equals("none") ? 1 : OF_COMPRESSED;
    double servers = plan.replication().several() ? ON_SEVERAL_SERVERS : 1;
    return (long) (rows * codecs * servers);
  }

  @Override
  public List<Metric> shown() {
    return List.of(
        Metric.ROWS_PER_SECOND,
        Metric.CLIENT_CPU,
        Metric.SERVER_CPU,
        Metric.DISK_BYTES,
        Metric.WIRE_BYTES);
  }

  @Override
  public void prepare(ClientSession client, List<Contest> contests, Consumer<String> progress) {
    // Each window makes its own table.
  }

  @Override
  public Map<Metric, Double> window(ClientSession client, Contest contest, Lane lane)
      throws Exception {
    Map<String, String> words = contest.words(lane);
    String table = "append_" + ++tables;
    words.put("table", table);
    Map<Metric, Double> metrics =
        client.orderAndDrop("append", words, answer -> metrics(client, table, answer));
    DiskRest.await();
    return metrics;
  }

  private static Map<Metric, Double> metrics(ClientSession client, String table, JsonNode answer)
      throws IOException {
    Map<Metric, Double> metrics = Answers.metrics(answer);
    OptionalLong bytes = client.servers().storedBytes(table);
    double stored = bytes.isPresent() ? bytes.getAsLong() : answer.path("stored_bytes").asDouble();
    metrics.put(Metric.DISK_BYTES, stored / answer.path("stored_rows").asDouble());
    return metrics;
  }

  @Override
  public List<Goal> goals(Standings standings) {
    return Stream.concat(goalsOfOneServer(standings), goalsOfReplicas(standings))
        .flatMap(Optional::stream)
        .toList();
  }

  private static Stream<Optional<Goal>> goalsOfReplicas(Standings standings) {
    return Stream.of("wide, none", "wide, zstd", "narrow, none")
        .map(
            contest ->
                Goal.atLeast(
                    contest.replace(",", " rows,") + ", RF 3: rows/s",
                    standings.sluice(contest + THREE_REPLICAS, Metric.ROWS_PER_SECOND),
                    standings.highest(
                        contest + THREE_REPLICAS, Metric.ROWS_PER_SECOND, Peers.NAMES),
                    1));
  }

  private static Stream<Optional<Goal>> goalsOfOneServer(Standings standings) {
    Metric rate = Metric.ROWS_PER_SECOND;
    List<String> fluss = List.of(Peers.FLUSS);
    return Stream.of(
        Goal.atLeast(
            "wide rows, none: rows/s",
            standings.sluice("wide, none", rate),
            standings.highest("wide, none", rate, Peers.NAMES),
            1.5,
            2),
        Goal.atMost(
            "wide rows, none: server CPU",
            standings.sluice("wide, none", Metric.SERVER_CPU),
            standings.lowest("wide, none", Metric.SERVER_CPU, fluss),
            1),
        Goal.atLeast(
            "wide rows, zstd: rows/s",
            standings.sluice("wide, zstd", rate),
            standings.highest("wide, zstd", rate, fluss),
            1.5,
            2.5),
        Goal.atMost(
            "wide rows, zstd: bytes on disk",
            standings.sluice("wide, zstd", Metric.DISK_BYTES),
            standings.lowest("wide, zstd", Metric.DISK_BYTES, fluss),
            1.05),
        Goal.atLeast(
            "narrow rows, none: rows/s",
            standings.sluice("narrow, none", rate),
            standings.highest("narrow, none", rate, Peers.NAMES),
            1.4,
            2),
        Goal.atLeast(
            "Arrow batches: rows/s against rows",
            standings.sluice(BATCHES, rate),
            standings.highest("wide, none", rate, Peers.NAMES),
            4));
  }
}
