package io.sluice.client;

/** How a writer spreads rows over the buckets of a table without a bucket key. */
public enum Bucketing {
  /**
   * One bucket until its batch is full, then the next that keeps up: the fewest and largest
   * batches.
   */
  STICKY,
  /** Row by row, and Arrow batch by Arrow batch, each to the next bucket. */
  ROUND_ROBIN
}
