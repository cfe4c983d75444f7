package io.sluice.cli.bench.compare;

import io.sluice.cli.bench.Metric;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A benchmark that several products run. */
interface Comparison {
  /** Its name on the command line. */
  String name();

  /** What it measures, in one line. */
  String summary();

  /** The products besides Sluice that can do it. */
  default List<String> peers() {
    return Peers.NAMES;
  }

  /** Whether it also runs with no product but Sluice. */
  default boolean runsAlone() {
    return false;
  }

  /**
   * Whether others like it may run before and after it on the same servers; otherwise it has them
   * to itself.
   */
  default boolean sharesServers() {
    return false;
  }

  /** Measured windows of each lane when a person does not say how many. */
  default int defaultRepeat() {
    return 5;
  }

  /**
   * Windows before those: each product compiles for seconds before its rate is its own, and where
   * it has several servers, the compilers of all of them share the processors.
   */
  default int warmUps(ComparePlan plan) {
    return replication(plan).several() ? 10 : 6;
  }

  /**
   * Whether lanes of a product that has few of them run several times in each warm-up, so that its
   * processes have run about as long as those of the others when windows count. What compiles then
   * takes a processor for milliseconds, of which a rate shows nothing and a late row all.
   */
  default boolean evensWarmUps() {
    return false;
  }

  /** How many servers of rows each product has, and how many copies of a row. */
  default Replication replication(ComparePlan plan) {
    return Replication.NONE;
  }

  /** Buckets, or partitions, of its tables. */
  default int buckets() {
    return 4;
  }

  /** What its lanes do, with the lanes of all products. */
  List<Contest> contests(ComparePlan plan);

  /** What is shown of each lane; the first one is what ratios are made of. */
  List<Metric> shown();

  /**
   * Puts in place what the windows of a product need, once.
   *
   * @param contests the lanes that run
   * @param progress receives a line for what took long
   */
  void prepare(ClientSession client, List<Contest> contests, Consumer<String> progress)
      throws Exception;

  /** Runs one window and returns what it measured. */
  Map<Metric, Double> window(ClientSession client, Contest contest, Lane lane) throws Exception;

  /** What Sluice has to reach. */
  List<Goal> goals(Standings standings);
}
