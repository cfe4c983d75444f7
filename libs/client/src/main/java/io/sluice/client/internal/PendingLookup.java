package io.sluice.client.internal;

import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A lookup until it has its answer. Guarded by the lookuper's lock but for its final fields. */
final class PendingLookup {
  private final List<String> partition;
  private final int bucket;
  private final byte[] key;
  private final long deadlineNanos;
  private final CompletableFuture<Optional<Row>> future = new CompletableFuture<>();
  private int failures;
  private @Nullable SluiceException lastFailure;

  /**
   * @param partition canonical texts of the key's partition, empty when there are no partitions
   * @param bucket bucket of the key in its partition
   */
  PendingLookup(List<String> partition, int bucket, byte[] key, long deadlineNanos) {
    this.partition = partition;
    this.bucket = bucket;
    this.key = key;
    this.deadlineNanos = deadlineNanos;
  }

  List<String> partition() {
    return partition;
  }

  int bucket() {
    return bucket;
  }

  byte[] key() {
    return key;
  }

  /** Completed without the lock. */
  CompletableFuture<Optional<Row>> future() {
    return future;
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
