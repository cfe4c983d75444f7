package io.sluice.cli.bench;

/**
 * How many servers the cluster of a benchmark has.
 *
 * @param coordinators 1, 3 or 5
 * @param tablets at least 1
 */
public record ClusterSize(int coordinators, int tablets) {
  /** One of each, as most benchmarks have it. */
  public static final ClusterSize SMALLEST = new ClusterSize(1, 1);

  /** So many tablets, with as many coordinators as survive the loss of one where tablets can. */
  public static ClusterSize ofTablets(int tablets) {
    return new ClusterSize(tablets < 3 ? 1 : 3, tablets);
  }
}
