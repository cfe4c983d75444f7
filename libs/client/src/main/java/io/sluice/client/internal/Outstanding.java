package io.sluice.client.internal;

import io.sluice.common.SluiceException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The batches of a writer that have no final outcome yet, and the first failure since it was last
 * asked for. Thread-safe.
 */
final class Outstanding {
  private final Set<CompletableFuture<Void>> batches = new LinkedHashSet<>();
  private @Nullable SluiceException firstFailure;

  /** Counts a batch until it is done. */
  void add(CompletableFuture<Void> done) {
    synchronized (this) {
      batches.add(done);
    }
    done.whenComplete((nothing, failure) -> remove(done));
  }

  private synchronized void remove(CompletableFuture<Void> done) {
    batches.remove(done);
  }

  /** Completes when all batches that are outstanding now are done. */
  synchronized CompletableFuture<Void> allDone() {
    return CompletableFuture.allOf(batches.toArray(new CompletableFuture<?>[0]));
  }

  /** Keeps the failure if it is the first. */
  synchronized void failed(SluiceException failure) {
    if (firstFailure == null) {
      firstFailure = failure;
    }
  }

  /** The first failure since the last call, null when all went well. */
  synchronized @Nullable SluiceException takeFailure() {
    SluiceException failure = firstFailure;
    firstFailure = null;
    return failure;
  }
}
