package io.sluice.testkit;

import io.sluice.common.TimeSource;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until a test moves it. Both clocks move together. */
public final class MovedClock implements TimeSource {
  private final AtomicLong epochMs;
  private final AtomicLong nanos = new AtomicLong();

  /** Starts at the given wall clock time. */
  public MovedClock(long startEpochMs) {
    this.epochMs = new AtomicLong(startEpochMs);
  }

  /** Moves both clocks forward. */
  public void advanceMs(long millis) {
    if (millis < 0) {
      throw new IllegalArgumentException("A clock is advanced by " + millis + " ms; use jumpTo");
    }
    epochMs.addAndGet(millis);
    nanos.addAndGet(millis * 1_000_000);
  }

  /** Sets the wall clock alone, as an operator or NTP may do. */
  public void jumpTo(long newEpochMs) {
    epochMs.set(newEpochMs);
  }

  @Override
  public long epochMs() {
    return epochMs.get();
  }

  @Override
  public long nanoTime() {
    return nanos.get();
  }
}
