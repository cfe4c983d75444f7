package io.sluice.cli.bench.compare;

import io.sluice.cli.bench.Metric;
import java.util.List;
import java.util.Map;

/** A benchmark that several products run. */
interface Comparison {
  /** Its name on the command line. */
  String name();

  /** What its lanes do, with the lanes of all products. */
  List<Contest> contests(ComparePlan plan);

  /** What is shown of each lane; the first one is what ratios are made of. */
  List<Metric> shown();

  /** Whether more of the first shown metric is better. */
  boolean moreIsBetter();

  /** Puts in place what the windows of a product need, once. */
  void prepare(ClientSession client, List<Contest> contests) throws Exception;

  /** Runs one window and returns what it measured. */
  Map<Metric, Double> window(ClientSession client, Contest contest, Lane lane) throws Exception;

  /** What Sluice has to reach. */
  List<Goal> goals(Standings standings);
}
