package io.sluice.client.internal;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes of rows that a writer holds. Appends wait while it is full; what a row takes is known only
 * after it is written, so the limit may be passed by one row. Thread-safe.
 */
final class MemoryBudget {
  private final long limit;
  private final String what;
  private final TimeSource time;
  private final AtomicLong used = new AtomicLong();
  private volatile Runnable onFull = () -> {};
  private int waiting;

  /**
   * @param what for messages
   */
  MemoryBudget(long limit, String what, TimeSource time) {
    this.limit = limit;
    this.what = what;
    this.time = time;
  }

  /** Sets what a thread runs before it waits: it makes held rows move. */
  void whenFull(Runnable action) {
    onFull = action;
  }

  /** Returns at once when there is room; TIMEOUT when there is none for so long. */
  void awaitRoom(long timeoutNanos) {
    if (used.get() >= limit) {
      awaitSlowly(timeoutNanos);
    }
  }

  private void awaitSlowly(long timeoutNanos) {
    onFull.run();
    long deadline = time.nanoTime() + timeoutNanos;
    synchronized (this) {
      waiting++;
      try {
        while (used.get() >= limit) {
          long left = deadline - time.nanoTime();
          if (left <= 0) {
            throw new SluiceException(
                ErrorCode.TIMEOUT,
                what
                    + " is full: "
                    + used.get()
                    + " bytes of at most "
                    + limit
                    + " are not stored yet after "
                    + timeoutNanos / 1_000_000
                    + " ms");
          }
          TimeUnit.NANOSECONDS.timedWait(this, left);
        }
      } catch (InterruptedException e) {
        throw Waits.interrupted("Waiting for room in " + what);
      } finally {
        waiting--;
      }
    }
  }

  /** Counts bytes that are held already. */
  void add(long bytes) {
    used.addAndGet(bytes);
  }

  /** Gives bytes back. */
  void release(long bytes) {
    if (used.addAndGet(-bytes) < limit) {
      synchronized (this) {
        if (waiting > 0) {
          notifyAll();
        }
      }
    }
  }

  /** Bytes held now. */
  long used() {
    return used.get();
  }
}
