package io.sluice.cli.bench;

import io.sluice.cli.terminal.Figures;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Time of {@code sluice up} on a fresh home, everything built, until all services are ready. */
final class StartUpWorkload implements BenchWorkload {
  @Override
  public String name() {
    return "start-up";
  }

  @Override
  public String summary() {
    return "time of ./sluice up on a fresh home, everything built, until all services are ready";
  }

  @Override
  public List<Series> run(BenchPlan plan, BenchClusters clusters, Consumer<String> progress) {
    Map<String, String> labels = new LinkedHashMap<>();
    labels.put("services", "1 coordinator, 1 tablet");
    Series series = new Series(labels);
    for (int round = 0; round <= plan.repeat(); round++) {
      try (BenchCluster cluster = clusters.create()) {
        long start = System.nanoTime();
        cluster.up();
        double seconds = (System.nanoTime() - start) / 1e9;
        progress.accept(
            (round == 0 ? "warm-up" : "run " + round + " of " + plan.repeat())
                + "  "
                + Figures.threeDigits(seconds)
                + " s");
        if (round > 0) {
          series.add(Map.of(Metric.SECONDS, seconds));
        }
      }
    }
    return List.of(series);
  }
}
