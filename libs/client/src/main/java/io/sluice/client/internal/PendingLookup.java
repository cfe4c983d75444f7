package io.sluice.client.internal;

import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A lookup until it has its answer. Guarded by the lookuper's lock but for its final fields. */
final class PendingLookup {
  private final int bucket;
  private final byte[] key;
  private final long deadlineNanos;
  private final CompletableFuture<Optional<Row>> future = new CompletableFuture<>();
  private int failures;
  private @Nullable SluiceException lastFailure;

  PendingLookup(int bucket, byte[] key, long deadlineNanos) {
    this.bucket = bucket;
    this.key = key;
    this.deadlineNanos = deadlineNanos;
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
