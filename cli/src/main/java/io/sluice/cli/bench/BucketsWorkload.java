package io.sluice.cli.bench;

import io.sluice.cli.CliException;
import io.sluice.cli.measure.ProcessResources;
import io.sluice.cli.terminal.Figures;
import io.sluice.client.AppendWriter;
import io.sluice.client.Connection;
import io.sluice.client.LogScanner;
import io.sluice.client.ScanBatch;
import io.sluice.client.TableSpec;
import io.sluice.client.WriterOptions;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.format.row.Row;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Very many buckets on one tablet: how long it takes to create them, to write and read each, and to
 * start again after a kill, and what memory and files the tablet holds then. Those with a primary
 * key stay empty.
 */
final class BucketsWorkload implements BenchWorkload {
  static final String NAME = "buckets";
  static final int BUCKETS = 10_000;
  static final int KEYED_BUCKETS = 1_000;

  private static final int TABLES = 10;
  private static final String KIND = "tables";
  private static final String KEYED = "primary key";
  private static final String DATABASE = "bench";

  /**
   * The tablet keeps {@code sluice.tablet.storage.open-files} = 512 segment files open; the rest is
   * for its jars, sockets and what one append or read holds for a moment.
   */
  private static final double MOST_OPEN_FILES = 1_024;

  /** What the store of each bucket with a primary key may hold open. */
  private static final double MOST_OPEN_FILES_PER_STORE = 8;

  /** Heap 512 MiB, memory for batches 256 MiB and 128 MiB, and the Java machine itself. */
  private static final double MOST_RSS_MB = 1_536;

  /** Rows of one writer of positions before it moves to the next bucket. */
  private static final long POSITIONS_PER_BUCKET = 1_024;

  private static final Duration READY_TIMEOUT = Duration.ofMinutes(3);
  private static final long RETRY_MS = 100;
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final double MB = 1e6;

  /** What has just been done, in this order. */
  private enum Stage {
    CREATED("created, idle"),
    WRITTEN("a row in every bucket"),
    RESTARTED("killed and started, idle"),
    READ("every bucket read");

    private final String label;

    Stage(String label) {
      this.label = label;
    }
  }

  private static final List<Stage> STAGES_OF_EMPTY_BUCKETS =
      List.of(Stage.CREATED, Stage.RESTARTED);

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String summary() {
    return "10,000 buckets on one tablet (1,000 with a primary key): time to start; memory, files";
  }

  @Override
  public int defaultRepeat() {
    return 1;
  }

  @Override
  public List<Series> run(BenchPlan plan, BenchClusters clusters, Consumer<String> progress)
      throws Exception {
    Map<Stage, Series> series = new EnumMap<>(Stage.class);
    for (Stage stage : plan.primaryKey() ? STAGES_OF_EMPTY_BUCKETS : List.of(Stage.values())) {
      Map<String, String> labels = new LinkedHashMap<>();
      labels.put("buckets", Figures.count(plan.buckets()));
      if (plan.primaryKey()) {
        labels.put(KIND, KEYED);
      }
      labels.put("after", stage.label);
      series.put(stage, new Series(labels));
    }
    for (int round = 1; round <= plan.repeat(); round++) {
      try (BenchCluster cluster = clusters.start()) {
        runOnce(plan, cluster, series, progress);
      }
    }
    return List.copyOf(series.values());
  }

  private static void runOnce(
      BenchPlan plan, BenchCluster cluster, Map<Stage, Series> series, Consumer<String> progress)
      throws Exception {
    List<TablePath> tables = new ArrayList<>();
    for (int table = 1; table <= TABLES; table++) {
      tables.add(new TablePath(DATABASE, "buckets_" + table));
    }
    int perTable = plan.buckets() / TABLES;
    try (Connection connection = cluster.connect()) {
      for (var entry : series.entrySet()) {
        Stage stage = entry.getKey();
        if (stage == Stage.RESTARTED) {
          cluster.killTablet();
        }
        long start = System.nanoTime();
        switch (stage) {
          case CREATED -> create(connection, tables, perTable, plan.primaryKey());
          case WRITTEN -> write(connection, tables, perTable);
          case RESTARTED -> {
            cluster.startTablet();
            awaitLeaders(connection, tables, perTable);
          }
          case READ -> read(connection, tables, perTable);
        }
        Map<Metric, Double> figures = figures(cluster, (System.nanoTime() - start) / 1e9);
        entry.getValue().add(figures);
        progress.accept(describe(stage, figures));
      }
    }
  }

  private static void create(
      Connection connection, List<TablePath> tables, int perTable, boolean primaryKey)
      throws InterruptedException {
    connection.admin().createDatabase(DATABASE, true);
    for (TablePath table : tables) {
      TableSpec.Builder spec = TableSpec.of(table.toString()).buckets(perTable);
      if (primaryKey) {
        spec.requiredColumn("id", "BIGINT").primaryKey("id");
      } else {
        spec.column("id", "BIGINT");
      }
      connection.admin().createTable(spec.column("note", "STRING").build());
    }
    awaitLeaders(connection, tables, perTable);
  }

  /** Until the tablet answers for every bucket. */
  private static void awaitLeaders(Connection connection, List<TablePath> tables, int perTable)
      throws InterruptedException {
    long deadline = System.nanoTime() + READY_TIMEOUT.toNanos();
    for (TablePath table : tables) {
      while (!answers(connection, table, perTable, deadline)) {
        TimeUnit.MILLISECONDS.sleep(RETRY_MS);
      }
    }
  }

  private static boolean answers(
      Connection connection, TablePath table, int perTable, long deadline) {
    try {
      return connection.admin().listOffsets(table).size() == perTable;
    } catch (SluiceException e) {
      if (System.nanoTime() > deadline) {
        throw new CliException(
            "Not every bucket of "
                + table
                + " has a leader after "
                + READY_TIMEOUT.toMinutes()
                + " minutes",
            e.getMessage() == null ? "" : e.getMessage(),
            e);
      }
      return false;
    }
  }

  /** The positions of a named writer decide the bucket, so every one is met. */
  private static void write(Connection connection, List<TablePath> tables, int perTable) {
    for (TablePath table : tables) {
      try (AppendWriter writer =
          connection.table(table.toString()).appendWriter(WriterOptions.named("touch"))) {
        for (long bucket = 0; bucket < perTable; bucket++) {
          var unused = writer.append(bucket * POSITIONS_PER_BUCKET, Row.of(bucket, "touched"));
        }
        writer.flush();
      }
    }
  }

  private static void read(Connection connection, List<TablePath> tables, int perTable) {
    for (TablePath table : tables) {
      long rows = 0;
      try (LogScanner scanner =
          connection.table(table.toString()).scan().fromEarliest().bounded().open()) {
        while (!scanner.finished()) {
          for (ScanBatch batch : scanner.poll(POLL)) {
            try (batch) {
              rows += batch.rowCount();
            }
          }
        }
      }
      if (rows != perTable) {
        throw new CliException(
            table + " has " + rows + " rows; one in each of " + perTable + " buckets was written");
      }
    }
  }

  private static Map<Metric, Double> figures(BenchCluster cluster, double seconds)
      throws IOException {
    ProcessResources tablet = ProcessResources.of(cluster.tabletPid());
    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
    figures.put(Metric.SECONDS, seconds);
    figures.put(Metric.RSS_MB, tablet.residentBytes() / MB);
    figures.put(Metric.OPEN_FILES, (double) tablet.openFiles());
    return figures;
  }

  private static String describe(Stage stage, Map<Metric, Double> figures) {
    return "%s: %s s, RSS %s MB, %s open files"
        .formatted(
            stage.label,
            Figures.threeDigits(figures.getOrDefault(Metric.SECONDS, 0.0)),
            Figures.threeDigits(figures.getOrDefault(Metric.RSS_MB, 0.0)),
            Figures.threeDigits(figures.getOrDefault(Metric.OPEN_FILES, 0.0)));
  }

  @Override
  public List<String> exceeded(List<Series> results) {
    List<String> lines = new ArrayList<>();
    for (Series series : results) {
      double files = series.spread(Metric.OPEN_FILES).most();
      double memory = series.spread(Metric.RSS_MB).most();
      double mostFiles = mostOpenFiles(series);
      if (files > mostFiles) {
        lines.add(over(series, "open files", files, mostFiles));
      }
      if (memory > MOST_RSS_MB) {
        lines.add(over(series, "MB of memory", memory, MOST_RSS_MB));
      }
    }
    return lines;
  }

  private static double mostOpenFiles(Series series) {
    if (!series.labels().containsKey(KIND)) {
      return MOST_OPEN_FILES;
    }
    String buckets = series.labels().getOrDefault("buckets", "0").replace(",", "");
    return MOST_OPEN_FILES + MOST_OPEN_FILES_PER_STORE * Long.parseLong(buckets);
  }

  private static String over(Series series, String what, double value, double bound) {
    return "%s: %s %s, more than the bound of %s"
        .formatted(
            series.labels().get("after"),
            Figures.threeDigits(value),
            what,
            Figures.threeDigits(bound));
  }
}
