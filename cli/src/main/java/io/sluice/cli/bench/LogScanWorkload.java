package io.sluice.cli.bench;

import io.sluice.bench.harness.BenchSchema;
import io.sluice.bench.harness.BenchSchema.BenchColumn;
import io.sluice.bench.harness.RowRing;
import io.sluice.cli.CliException;
import io.sluice.cli.terminal.Figures;
import io.sluice.client.Connection;
import io.sluice.client.LogScanner;
import io.sluice.client.ScanBatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;

/** Reads a stored table of wide rows with 20, 10, 4 and 2 of its 20 columns. */
final class LogScanWorkload implements BenchWorkload {
  private static final long ROWS = 300_000;
  private static final Duration POLL = Duration.ofSeconds(1);

  /** Half of the columns, among them one of the long texts. */
  private static final List<String> TEN =
      List.of("id", "ts", "user_id", "country", "amount", "url", "status", "device", "a", "b");

  private static final List<String> FOUR = List.of("id", "ts", "country", "amount");
  private static final List<String> TWO = List.of("country", "amount");

  @Override
  public String name() {
    return "log-scan";
  }

  @Override
  public String summary() {
    return "rows read a second with 20, 10, 4 and 2 of 20 columns, every value read";
  }

  private record Variant(List<String> columns, double bytesPerRow, Series series) {}

  @Override
  public List<Series> run(BenchPlan plan, BenchClusters clusters, Consumer<String> progress)
      throws Exception {
    long rows = plan.rowsOr(ROWS);
    RowRing ring = RowRing.of(BenchSchema.of("wide"));
    List<Series> results = new ArrayList<>();
    try (BenchCluster cluster = clusters.start();
        Connection connection = cluster.connect()) {
      for (String codec : plan.codecs()) {
        BenchTable table = BenchTable.create(connection, "log_scan_" + codec, ring);
        table.load(rows, BenchTable.codec(codec));
        progress.accept("loaded " + Figures.count(rows) + " wide rows with codec " + codec);
        List<Variant> variants = variants(ring, codec, rows);
        for (int round = 0; round <= plan.repeat(); round++) {
          for (Variant variant : variants) {
            Map<Metric, Double> figures = runOnce(variant, cluster, table, rows);
            progress.accept(describe(variant, codec, round, plan, figures));
            if (round > 0) {
              variant.series().add(figures);
            }
          }
        }
        table.drop();
        variants.forEach(variant -> results.add(variant.series()));
      }
    }
    return results;
  }

  private static List<Variant> variants(RowRing ring, String codec, long rows) {
    List<String> all = ring.schema().columns().stream().map(BenchColumn::name).toList();
    List<Variant> variants = new ArrayList<>();
    for (List<String> columns : List.of(all, TEN, FOUR, TWO)) {
      Map<String, String> labels = new LinkedHashMap<>();
      labels.put("codec", codec);
      labels.put("columns", columns.size() + " of " + all.size());
      labels.put("rows", Figures.count(rows));
      variants.add(new Variant(columns, ring.averageBytes(columns), new Series(labels)));
    }
    return variants;
  }

  private static Map<Metric, Double> runOnce(
      Variant variant, BenchCluster cluster, BenchTable table, long rows) throws Exception {
    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
    CpuWatch watch = new CpuWatch(cluster.tabletCpu());
    long read = 0;
    long touched = 0;
    long received;
    String[] columns = variant.columns().toArray(String[]::new);
    try (LogScanner scanner =
        table.table().scan().columns(columns).fromEarliest().bounded().open()) {
      while (!scanner.finished()) {
        for (ScanBatch batch : scanner.poll(POLL)) {
          try (batch) {
            read += batch.rowCount();
            for (FieldVector vector : batch.vectors().getFieldVectors()) {
              touched += touch(vector);
            }
          }
        }
      }
      received = scanner.bytesReceived();
    }
    watch.stop(figures, rows, variant.bytesPerRow());
    if (read != rows || touched == 0) {
      throw new CliException(
          "A scan returned " + Figures.count(read) + " rows of " + Figures.count(rows));
    }
    figures.put(Metric.RECEIVED_BYTES, (double) received / rows);
    return figures;
  }

  /** Reads every value: numbers whole, texts by length and first byte. */
  private static long touch(FieldVector vector) {
    long sum = 0;
    int rows = vector.getValueCount();
    if (vector instanceof IntVector integers) {
      for (int i = 0; i < rows; i++) {
        sum += integers.get(i);
      }
    } else if (vector instanceof BigIntVector bigints) {
      for (int i = 0; i < rows; i++) {
        sum += bigints.get(i);
      }
    } else if (vector instanceof VarCharVector texts) {
      for (int i = 0; i < rows; i++) {
        int length = texts.getValueLength(i);
        sum += length + (length == 0 ? 0 : texts.getDataBuffer().getByte(texts.getStartOffset(i)));
      }
    } else {
      throw new IllegalStateException("Unexpected vector " + vector.getField());
    }
    return sum;
  }

  private static String describe(
      Variant variant, String codec, int round, BenchPlan plan, Map<Metric, Double> figures) {
    return (round == 0 ? "warm-up" : "run " + round + " of " + plan.repeat())
        + "  "
        + codec
        + ", "
        + variant.columns().size()
        + " columns  "
        + Figures.count(Math.round(figures.getOrDefault(Metric.ROWS_PER_SECOND, 0.0)))
        + " rows/s";
  }
}
