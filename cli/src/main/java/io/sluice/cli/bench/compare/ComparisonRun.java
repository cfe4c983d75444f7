package io.sluice.cli.bench.compare;

import io.sluice.cli.CliException;
import io.sluice.cli.bench.BenchClusters;
import io.sluice.cli.bench.Metric;
import io.sluice.cli.terminal.Figures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs benchmarks on Sluice and other products. All servers and clients run from the beginning to
 * the end, idle while another one is measured; lanes take turns, window by window, and who begins
 * changes from repetition to repetition.
 */
public final class ComparisonRun {
  private static final List<Comparison> COMPARISONS =
      Stream.of(
              List.of(new AppendComparison(), new ScanComparison(), new LatencyComparison()),
              KeyedComparisons.all(),
              List.of(new RestartComparison(), new FailoverComparison()))
          .<Comparison>flatMap(List::stream)
          .toList();

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

  /** What each of those measures that also runs with no other product, by name. */
  public static Map<String, String> alone() {
    Map<String, String> summaries = new LinkedHashMap<>();
    COMPARISONS.stream()
        .filter(Comparison::runsAlone)
        .forEach(comparison -> summaries.put(comparison.name(), comparison.summary()));
    return summaries;
  }

  /** The products that can do one of {@link #names()} besides Sluice. */
  public static List<String> peers(String name) {
    return find(name).peers();
  }

  /** Those of {@link #names()} that let one choose how many servers of rows there are. */
  public static List<String> replicated() {
    Replication some = new Replication(2, 2);
    ComparePlan asked = new ComparePlan(0, 0, 0, 0, List.of(), List.of(), List.of(), some);
    return COMPARISONS.stream()
        .filter(comparison -> comparison.replication(asked).equals(some))
        .map(Comparison::name)
        .toList();
  }

  /** Those of {@link #names()} that run on the same servers together, others by themselves. */
  public static List<List<String>> groups(List<String> names) {
    List<List<String>> groups = new ArrayList<>();
    List<String> sharing = new ArrayList<>();
    for (String name : names) {
      if (!find(name).sharesServers()) {
        groups.add(List.of(name));
      } else if (sharing.isEmpty()) {
        groups.add(sharing);
        sharing.add(name);
      } else {
        sharing.add(name);
      }
    }
    return groups;
  }

  private static Comparison find(String name) {
    return COMPARISONS.stream()
        .filter(candidate -> candidate.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("No comparison " + name));
  }

  /**
   * Runs some of {@link #names()} on the same servers, one after the other.
   *
   * @param reports receives the report of each when it has ended
   */
  public void run(List<String> names, ComparePlan plan, Reports reports) throws Exception {
    Replication replication = find(names.get(0)).replication(plan);
    try (Products products = new Products(replication)) {
      start(products, plan);
      for (String name : names) {
        Comparison comparison = find(name);
        reports.accept(run(comparison, plan.withRepeat(comparison.defaultRepeat()), products));
      }
    }
  }

  /** Takes reports. */
  @FunctionalInterface
  public interface Reports {
    void accept(ComparisonReport report) throws IOException;
  }

  private ComparisonReport run(Comparison comparison, ComparePlan plan, Products products)
      throws Exception {
    List<Contest> contests =
        comparison.contests(plan).stream().map(c -> c.with(plan.peers())).toList();
    Map<String, String> titles = new LinkedHashMap<>();
    for (ClientSession client : products.clients()) {
      titles.put(client.name(), client.servers().title());
      comparison.prepare(client, contests, progress);
    }
    List<LaneResult> results = new ArrayList<>();
    for (Contest contest : contests) {
      contest.lanes().forEach(lane -> results.add(new LaneResult(contest, lane)));
    }
    int warmUps = comparison.warmUps(plan);
    for (int round = 1 - warmUps; round <= plan.repeat(); round++) {
      for (Contest contest : contests) {
        List<LaneResult> order = of(results, contest);
        Collections.rotate(order, -(round + warmUps));
        if (round < 1 && comparison.evensWarmUps()) {
          order = evened(order);
        }
        runRound(comparison, products, order, round, plan.repeat());
      }
    }
    return new ComparisonReport(comparison, plan, titles, new Standings(results));
  }

  /** The lanes, each as often as makes its product's windows at least as many as any other's. */
  static List<LaneResult> evened(List<LaneResult> lanes) {
    Map<String, Long> ofProduct =
        lanes.stream()
            .collect(Collectors.groupingBy(ComparisonRun::product, Collectors.counting()));
    long most = Collections.max(ofProduct.values());
    List<LaneResult> evened = new ArrayList<>();
    for (LaneResult lane : lanes) {
      long own = ofProduct.getOrDefault(product(lane), 1L);
      evened.addAll(Collections.nCopies((int) ((most + own - 1) / own), lane));
    }
    return evened;
  }

  private static String product(LaneResult lane) {
    return lane.lane().product();
  }

  private static List<LaneResult> of(List<LaneResult> results, Contest contest) {
    return new ArrayList<>(
        results.stream().filter(result -> result.contest().equals(contest)).toList());
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
    for (LaneResult result : lanes) {
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
