package io.sluice.client.internal;

import io.sluice.common.TableBucket;
import org.jspecify.annotations.Nullable;

/** One bucket that a writer writes into, with what each of the writer's threads keeps for it. */
final class WriterBucket {
  private final WriterPartition partition;
  private final TableBucket id;
  private final long storedBefore;
  private final BucketQueue queue;

  // Guarded by the accumulator's lock.
  private @Nullable RowBatch open;

  /**
   * @param storedBefore the last sequence that an earlier writer of the same name has stored there,
   *     -1 for none
   */
  WriterBucket(WriterPartition partition, TableBucket id, long storedBefore) {
    this.partition = partition;
    this.id = id;
    this.storedBefore = storedBefore;
    this.queue = new BucketQueue(this, storedBefore);
  }

  WriterPartition partition() {
    return partition;
  }

  TableBucket id() {
    return id;
  }

  /** Its number in its partition. */
  int number() {
    return id.bucket();
  }

  /** The last sequence stored by an earlier writer of the same name, -1 for none. */
  long storedBefore() {
    return storedBefore;
  }

  /** What waits for its outcome; the delivery loop's. */
  BucketQueue queue() {
    return queue;
  }

  /** The batch that rows are added to, null when none is open. The accumulator's lock is held. */
  @Nullable RowBatch open() {
    return open;
  }

  /** Sets the batch that rows are added to. The accumulator's lock is held. */
  void open(@Nullable RowBatch batch) {
    open = batch;
  }

  /** For messages. */
  @Override
  public String toString() {
    return "bucket " + id.bucket() + partition.suffix();
  }
}
