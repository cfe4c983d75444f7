package io.sluice.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Waits for conditions instead of sleeping. */
public final class Await {
  private Await() {}

  /** A condition that may throw; an exception counts as not yet. */
  public interface Condition {
    boolean holds() throws Exception;
  }

  /** Returns when the condition holds; fails naming it when the time has passed. */
  public static void until(String what, Duration timeout, Condition condition) {
    long deadline = System.nanoTime() + timeout.toNanos();
    Exception last = null;
    while (System.nanoTime() < deadline) {
      try {
        if (condition.holds()) {
          return;
        }
        last = null;
      } catch (Exception e) {
        last = e;
      }
      LockSupport.parkNanos(5_000_000);
    }
    throw new AssertionError("Not within " + timeout + ": " + what, last);
  }
}
