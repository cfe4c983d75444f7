package io.sluice.cli.bench;

import java.util.List;
import java.util.function.Consumer;

/** One benchmark. */
interface BenchWorkload {
  /** Its name on the command line. */
  String name();

  /** What it measures, in one line. */
  String summary();

  /** Measured repetitions when a person does not say how many. */
  default int defaultRepeat() {
    return 3;
  }

  /** Which of its bounds the results exceed, a line for each; most workloads have none. */
  default List<String> exceeded(List<Series> results) {
    return List.of();
  }

  /**
   * Runs it and returns one series for each variant.
   *
   * @param clusters makes the clusters it runs on; the workload closes them
   * @param progress receives a line for each repetition
   */
  List<Series> run(BenchPlan plan, BenchClusters clusters, Consumer<String> progress)
      throws Exception;
}
