package io.sluice.cli.bench;

import java.util.List;
import java.util.function.Consumer;

/** One benchmark. */
interface BenchWorkload {
  /** Its name on the command line. */
  String name();

  /** What it measures, in one line. */
  String summary();

  /**
   * Runs it and returns one series for each variant.
   *
   * @param clusters makes the clusters it runs on; the workload closes them
   * @param progress receives a line for each repetition
   */
  List<Series> run(BenchPlan plan, BenchClusters clusters, Consumer<String> progress)
      throws Exception;
}
