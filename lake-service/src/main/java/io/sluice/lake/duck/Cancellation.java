package io.sluice.lake.duck;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import org.jspecify.annotations.Nullable;

/**
 * Whether a query has to end before it is done, and why. The thread of the query asks; a watchdog
 * or the stopping service tells. Thread-safe.
 */
public final class Cancellation {
  private @Nullable SluiceException reason;
  private @Nullable Runnable interrupt;

  /** Ends the query for the first reason given; telling again only interrupts again. */
  public void cancel(ErrorCode code, String message) {
    Runnable hook;
    synchronized (this) {
      if (reason == null) {
        reason = new SluiceException(code, message);
      }
      hook = interrupt;
    }
    if (hook != null) {
      hook.run();
    }
  }

  /** Throws the reason when there is one. */
  public synchronized void check() {
    if (reason != null) {
      throw new SluiceException(reason.code(), String.valueOf(reason.getMessage()), reason);
    }
  }

  /** Whether the query has to end. */
  public synchronized boolean cancelled() {
    return reason != null;
  }

  /** What interrupts the engine; null when it is gone. */
  synchronized void interruptWith(@Nullable Runnable hook) {
    interrupt = hook;
  }
}
