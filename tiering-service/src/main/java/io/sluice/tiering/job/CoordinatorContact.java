package io.sluice.tiering.job;

import io.sluice.common.TimeSource;
import java.time.Duration;

/**
 * When the coordinator was last reached. After the time-out it has given this worker's tables to
 * others, so rounds that are not in their commit are dropped. Thread-safe.
 */
public final class CoordinatorContact {
  private final TimeSource clock;
  private final Duration timeout;
  private volatile long lastNanos;

  /** Counts as reached just now. */
  public CoordinatorContact(TimeSource clock, Duration timeout) {
    this.clock = clock;
    this.timeout = timeout;
    this.lastNanos = clock.nanoTime();
  }

  /** The coordinator was reached. */
  void reached() {
    lastNanos = clock.nanoTime();
  }

  /** Whether it has not been reached for longer than the time-out. */
  boolean lost() {
    return clock.nanoTime() - lastNanos > timeout.toNanos();
  }

  /** Why rounds are dropped then. */
  String reason() {
    return "The coordinator was not reached for " + timeout.toSeconds() + " s";
  }
}
