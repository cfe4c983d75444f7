package io.sluice.client.internal;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.StatusMapping;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Blocking waits of the calling thread; each has a limit and reports interruption as CANCELLED. */
final class Waits {
  private Waits() {}

  /** The result; TIMEOUT naming {@code what} when it does not come in time. */
  static <T> T await(CompletableFuture<T> future, long nanos, String what) {
    try {
      return future.get(Math.max(nanos, 0), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      throw interrupted(what);
    } catch (ExecutionException e) {
      throw rethrown(StatusMapping.fromStatus(e));
    } catch (TimeoutException e) {
      throw new SluiceException(
          ErrorCode.TIMEOUT, what + " took longer than " + nanos / 1_000_000 + " ms", e);
    }
  }

  /** Pauses the calling thread between two tries. */
  static void pause(long nanos, String what) {
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
    } catch (InterruptedException e) {
      throw interrupted(what);
    }
  }

  static SluiceException interrupted(String what) {
    Thread.currentThread().interrupt();
    return new SluiceException(ErrorCode.CANCELLED, what + " was interrupted");
  }

  /** The same failure with the stack of the caller, who is on another thread than its origin. */
  static SluiceException rethrown(SluiceException failure) {
    return new SluiceException(
        failure.code(), String.valueOf(failure.getMessage()), failure.details(), failure);
  }
}
