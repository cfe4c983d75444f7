package io.sluice.cli.bench.compare;

/**
 * How many servers of rows each product has, and on how many of them a row is.
 *
 * @param servers tablets, brokers
 * @param replicas copies of each bucket, at most one on each server
 */
public record Replication(int servers, int replicas) {
  /** One server, one copy. */
  public static final Replication NONE = new Replication(1, 1);

  public Replication {
    if (servers < 1 || replicas < 1 || replicas > servers) {
      throw new IllegalArgumentException(replicas + " replicas on " + servers + " servers");
    }
  }

  /** Whether more than one server takes part. */
  boolean several() {
    return servers > 1;
  }

  /** Heap of each server of rows: several share the memory of one machine. */
  String heap() {
    return several() ? JavaProcesses.HEAP_OF_SEVERAL : JavaProcesses.HEAP;
  }
}
