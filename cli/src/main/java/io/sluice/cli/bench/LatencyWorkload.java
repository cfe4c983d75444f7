package io.sluice.cli.bench;

import io.sluice.bench.harness.BenchSchema;
import io.sluice.bench.harness.RowRing;
import io.sluice.cli.CliException;
import io.sluice.cli.measure.Percentiles;
import io.sluice.cli.terminal.Figures;
import io.sluice.client.AppendWriter;
import io.sluice.client.Connection;
import io.sluice.client.LogScanner;
import io.sluice.client.ScanBatch;
import io.sluice.client.WriterOptions;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.arrow.vector.BigIntVector;

/**
 * End-to-end latency at 5,000 rows/s, open loop: each row has a due time that does not depend on
 * the rows before it, and its latency runs from there to the poll that returns it, so a stall is
 * charged to every row that had to wait for it.
 */
final class LatencyWorkload implements BenchWorkload {
  private static final long ROWS = 100_000;
  private static final int ROWS_PER_SECOND = 5_000;
  private static final long PACE_NANOS = 1_000_000_000L / ROWS_PER_SECOND;

  /** The first second of each repetition is not measured. */
  private static final int SKIPPED_ROWS = ROWS_PER_SECOND;

  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration GRACE = Duration.ofSeconds(60);

  @Override
  public String name() {
    return "latency";
  }

  @Override
  public String summary() {
    return "time from a row's due time to the poll that returns it, 5,000 rows/s, open loop";
  }

  @Override
  public List<Series> run(BenchPlan plan, BenchClusters clusters, Consumer<String> progress)
      throws Exception {
    long rows = plan.rowsOr(ROWS) + SKIPPED_ROWS;
    RowRing ring = RowRing.of(BenchSchema.of("narrow"));
    Map<String, String> labels = new LinkedHashMap<>();
    labels.put("schema", "narrow");
    labels.put("rows/s", Figures.count(ROWS_PER_SECOND));
    labels.put("rows", Figures.count(rows - SKIPPED_ROWS));
    Series series = new Series(labels);
    try (BenchCluster cluster = clusters.start();
        Connection readerConnection = cluster.connect();
        Connection writerConnection = cluster.connect()) {
      for (int round = 0; round <= plan.repeat(); round++) {
        BenchTable table = BenchTable.create(writerConnection, "latency", ring);
        Map<Metric, Double> figures = runOnce(table, readerConnection, (int) rows);
        table.drop();
        progress.accept(
            (round == 0 ? "warm-up" : "run " + round + " of " + plan.repeat())
                + "  p50 "
                + Figures.threeDigits(figures.getOrDefault(Metric.P50_MS, 0.0))
                + " ms, p99 "
                + Figures.threeDigits(figures.getOrDefault(Metric.P99_MS, 0.0))
                + " ms");
        if (round > 0) {
          series.add(figures);
        }
      }
    }
    return List.of(series);
  }

  private static Map<Metric, Double> runOnce(
      BenchTable table, Connection readerConnection, int rows) throws Exception {
    ExecutorService reader = Executors.newSingleThreadExecutor();
    try (LogScanner scanner =
        readerConnection.table(table.path()).scan().columns("id").fromEarliest().follow().open()) {
      Future<long[]> arrivals = reader.submit(() -> follow(scanner, rows));
      long start = append(table, rows);
      long[] arrivedAt = arrivals.get(GRACE.toSeconds(), TimeUnit.SECONDS);
      return figures(start, arrivedAt);
    } catch (TimeoutException e) {
      throw new CliException(
          "The follower did not receive every row within " + GRACE.toSeconds() + " s", "", e);
    } finally {
      reader.shutdownNow();
    }
  }

  /** Arrival time of each row by its number. */
  private static long[] follow(LogScanner scanner, int rows) {
    long[] arrivedAt = new long[rows];
    int received = 0;
    while (received < rows && !Thread.currentThread().isInterrupted()) {
      for (ScanBatch batch : scanner.poll(POLL)) {
        try (batch) {
          long now = System.nanoTime();
          BigIntVector id = (BigIntVector) batch.vectors().getVector("id");
          for (int i = 0; i < batch.rowCount(); i++) {
            arrivedAt[(int) id.get(i)] = now;
          }
          received += batch.rowCount();
        }
      }
    }
    return arrivedAt;
  }

  /** Appends at the pace and returns when the first row was due. */
  private static long append(BenchTable table, int rows) {
    WriterOptions options = WriterOptions.defaults().linger(Duration.ZERO);
    try (AppendWriter writer = table.table().appendWriter(options)) {
      long start = System.nanoTime();
      for (int number = 0; number < rows; number++) {
        long due = start + number * PACE_NANOS;
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
        table.append(writer, number);
      }
      writer.flush();
      return start;
    }
  }

  private static Map<Metric, Double> figures(long start, long[] arrivedAt) {
    long[] latencies = new long[arrivedAt.length];
    for (int number = 0; number < arrivedAt.length; number++) {
      latencies[number] = arrivedAt[number] - (start + number * PACE_NANOS);
    }
    Percentiles measured =
        Percentiles.of(Arrays.copyOfRange(latencies, SKIPPED_ROWS, latencies.length));
    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
    figures.put(Metric.P50_MS, measured.at(50) / 1e6);
    figures.put(Metric.P99_MS, measured.at(99) / 1e6);
    figures.put(Metric.MAX_MS, measured.most() / 1e6);
    return figures;
  }
}
