package io.sluice.cli.bench;

import io.sluice.bench.harness.BenchSchema;
import io.sluice.bench.harness.RowRing;
import io.sluice.cli.terminal.Figures;
import io.sluice.client.Connection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Appends rows through the row API of the client, one variant for each schema and codec. */
final class LogAppendWorkload implements BenchWorkload {
  private static final long NARROW_ROWS = 1_000_000;
  private static final long WIDE_ROWS = 200_000;

  @Override
  public String name() {
    return "log-append";
  }

  @Override
  public String summary() {
    return "rows appended a second, row API, one writer, 4 buckets, acks all";
  }

  private record Variant(RowRing ring, String codec, long rows, Series series) {}

  @Override
  public List<Series> run(BenchPlan plan, BenchClusters clusters, Consumer<String> progress)
      throws Exception {
    List<Variant> variants = variants(plan);
    try (BenchCluster cluster = clusters.start();
        Connection connection = cluster.connect()) {
      for (int round = 0; round <= plan.repeat(); round++) {
        for (Variant variant : variants) {
          Map<Metric, Double> figures = runOnce(variant, cluster, connection);
          boolean warmUp = round == 0;
          progress.accept(describe(variant, warmUp, round, plan, figures));
          if (!warmUp) {
            variant.series().add(figures);
          }
        }
      }
    }
    return variants.stream().map(Variant::series).toList();
  }

  private static List<Variant> variants(BenchPlan plan) {
    List<Variant> variants = new ArrayList<>();
    for (String schema : plan.schemas()) {
      RowRing ring = RowRing.of(BenchSchema.of(schema));
      long rows = plan.rowsOr(schema.equals("wide") ? WIDE_ROWS : NARROW_ROWS);
      for (String codec : plan.codecs()) {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("schema", schema);
        labels.put("codec", codec);
        labels.put("rows", Figures.count(rows));
        variants.add(new Variant(ring, codec, rows, new Series(labels)));
      }
    }
    return variants;
  }

  private static Map<Metric, Double> runOnce(
      Variant variant, BenchCluster cluster, Connection connection) throws IOException {
    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
    BenchTable table = BenchTable.create(connection, "log_append", variant.ring());
    try {
      CpuWatch watch = new CpuWatch(cluster.tabletCpu());
      table.load(variant.rows(), BenchTable.codec(variant.codec()));
      watch.stop(figures, variant.rows(), variant.ring().averageBytes());
      figures.put(Metric.DISK_BYTES, (double) table.bytesOnDisk() / variant.rows());
    } finally {
      table.drop();
    }
    return figures;
  }

  private static String describe(
      Variant variant, boolean warmUp, int round, BenchPlan plan, Map<Metric, Double> figures) {
    return (warmUp ? "warm-up" : "run " + round + " of " + plan.repeat())
        + "  "
        + variant.ring().schema().name()
        + " "
        + variant.codec()
        + "  "
        + Figures.count(Math.round(figures.getOrDefault(Metric.ROWS_PER_SECOND, 0.0)))
        + " rows/s";
  }
}
