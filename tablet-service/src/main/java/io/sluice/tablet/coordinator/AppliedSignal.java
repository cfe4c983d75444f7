package io.sluice.tablet.coordinator;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** Wakes those who wait for state of the coordinator to arrive here. Thread-safe. */
public final class AppliedSignal {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition applied = lock.newCondition();

  /** Says that the assigned state has changed. */
  public void raise() {
    lock.lock();
    try {
      applied.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until the condition holds, which is asked again whenever state was applied.
   *
   * @return false when it does not hold after the time, or the thread was interrupted
   */
  public boolean await(BooleanSupplier condition, Duration timeout) {
    long left = timeout.toNanos();
    lock.lock();
    try {
      while (!condition.getAsBoolean()) {
        if (left <= 0) {
          return false;
        }
        // Roles may change on other threads a moment after the state was applied.
        long slice = Math.min(left, TimeUnit.MILLISECONDS.toNanos(50));
        left -= slice - Math.max(0, applied.awaitNanos(slice));
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }
}
