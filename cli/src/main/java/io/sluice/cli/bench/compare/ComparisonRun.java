package io.sluice.cli.bench.compare;

import io.sluice.cli.CliException;
import io.sluice.cli.bench.BenchClusters;
import io.sluice.cli.bench.Metric;
import io.sluice.cli.terminal.Figures;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs one benchmark on Sluice and other products. All servers and clients run from the beginning
 * to the end, idle while another one is measured; lanes take turns, window by window, and who
 * begins changes from repetition to repetition.
 */
public final class ComparisonRun {
  /** Rounds that do not count: each product compiles for seconds before its rate is its own. */
  private static final int WARM_UPS = 3;

  private static final List<Comparison> COMPARISONS =
      List.of(new AppendComparison(), new ScanComparison(), new LatencyComparison());

  private final BenchClusters clusters;
  private final Path repository;
  private final String commit;
  private final Consumer<String> progress;

  /**
   * @param clusters makes Sluice's cluster
   * @param repository root of the source tree
   * @param commit what is measured of Sluice
   * @param progress receives a line for each window
   */
  public ComparisonRun(
      BenchClusters clusters, Path repository, String commit, Consumer<String> progress) {
    this.clusters = clusters;
    this.repository = repository;
    this.commit = commit;
    this.progress = progress;
  }

  /** The benchmarks that can be run with other products. */
  public static List<String> names() {
    return COMPARISONS.stream().map(Comparison::name).toList();
  }

  /** Runs one of {@link #names()}. */
  public ComparisonReport run(String name, ComparePlan plan) throws Exception {
    Comparison comparison =
        COMPARISONS.stream()
            .filter(candidate -> candidate.name().equals(name))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("No comparison " + name));
    List<Contest> contests =
        comparison.contests(plan).stream().map(c -> c.with(plan.peers())).toList();
    try (Products products = new Products()) {
      start(products, plan);
      Map<String, String> titles = new LinkedHashMap<>();
      for (ClientSession client : products.clients()) {
        titles.put(client.name(), client.servers().title());
        comparison.prepare(client, contests);
      }
      List<LaneResult> results = new ArrayList<>();
      for (Contest contest : contests) {
        contest.lanes().forEach(lane -> results.add(new LaneResult(contest, lane)));
      }
      for (int round = 1 - WARM_UPS; round <= plan.repeat(); round++) {
        for (Contest contest : contests) {
          runRound(comparison, products, of(results, contest), round, plan.repeat());
        }
      }
      return new ComparisonReport(comparison, plan, titles, new Standings(results));
    }
  }

  private static List<LaneResult> of(List<LaneResult> results, Contest contest) {
    return results.stream().filter(result -> result.contest().equals(contest)).toList();
  }

  private void start(Products products, ComparePlan plan) throws InterruptedException {
    for (String peer : plan.peers()) {
      progress.accept("starting " + peer);
      products.startPeer(peer, repository);
    }
    progress.accept("starting " + Lane.SLUICE);
    products.startSluice(clusters, commit);
  }

  private void runRound(
      Comparison comparison, Products products, List<LaneResult> lanes, int round, int rounds)
      throws Exception {
    List<LaneResult> order = new ArrayList<>(lanes);
    Collections.rotate(order, -(round + WARM_UPS));
    for (LaneResult result : order) {
      Contest contest = result.contest();
      Lane lane = result.lane();
      Map<Metric, Double> window =
          window(comparison, products.client(lane.product()), contest, lane);
      Metric first = comparison.shown().get(0);
      progress.accept(
          "%s  %-26s %-7s %-28s %s %s%s"
              .formatted(
                  round < 1 ? "warm-up " : "run " + round + "/" + rounds,
                  contest.name(),
                  lane.product(),
                  lane.settings(),
                  ComparisonReport.figure(window.getOrDefault(first, 0.0)),
                  first.title(),
                  LaneResult.isQuiet(window) ? "" : "  ~ " + othersText(window)));
      if (round > 0) {
        result.add(window);
      }
    }
  }

  private static String othersText(Map<Metric, Double> window) {
    return Figures.threeDigits(window.getOrDefault(Metric.OTHER_CORES, 0.0))
        + " cores used by other programs";
  }

  /** A window that fails is tried once more: a hiccup must not cost the whole run. */
  private Map<Metric, Double> window(
      Comparison comparison, ClientSession client, Contest contest, Lane lane) throws Exception {
    try {
      return comparison.window(client, contest, lane);
    } catch (CliException e) {
      progress.accept(e.getMessage() + "; once more");
      TimeUnit.SECONDS.sleep(1);
      return comparison.window(client, contest, lane);
    }
  }
}
