package io.sluice.client.internal;

import io.sluice.common.SluiceException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A lookup until it has its answer. Guarded by the pipeline's lock but for its final fields and the
 * methods that end it, one of which is called once, without the lock.
 */
abstract class PendingLookup {
  private final List<String> partition;
  private final int bucket;
  private final byte[] key;
  private final int limit;
  private final long deadlineNanos;
  private int failures;
  private @Nullable SluiceException lastFailure;

  /**
   * @param partition canonical texts of the key's partition, empty when there are no partitions
   * @param bucket bucket of the key in its partition
   * @param key encoded key or prefix
   * @param limit at most so many rows, 0 = all
   */
  PendingLookup(List<String> partition, int bucket, byte[] key, int limit, long deadlineNanos) {
    this.partition = partition;
    this.bucket = bucket;
    this.key = key;
    this.limit = limit;
    this.deadlineNanos = deadlineNanos;
  }

  /**
   * Ends it with encoded rows, those of the list from {@code from} up to {@code to}.
   *
   * @param rows of lookups by whole keys one each, null for no row
   */
  abstract void found(List<byte @Nullable []> rows, int from, int to);

  /** Ends it with a failure. */
  abstract void failed(SluiceException why);

  List<String> partition() {
    return partition;
  }

  int bucket() {
    return bucket;
  }

  byte[] key() {
    return key;
  }

  int limit() {
    return limit;
  }

  boolean isOverdue(long now) {
    return now - deadlineNanos >= 0;
  }

  /** Notes a failure that another try may not meet. */
  void attemptFailed(SluiceException why) {
    failures++;
    lastFailure = why;
  }

  int failures() {
    return failures;
  }

  @Nullable SluiceException lastFailure() {
    return lastFailure;
  }
}
