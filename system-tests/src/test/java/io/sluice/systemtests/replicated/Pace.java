package io.sluice.systemtests.replicated;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Holds a thread back to so many steps a second; what was missed is not made up for. */
final class Pace {
  private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final long nanosPerStep;
  private long next = System.nanoTime();

  Pace(int stepsPerSecond) {
    nanosPerStep = TimeUnit.SECONDS.toNanos(1) / stepsPerSecond;
  }

  void await() {
    long now = System.nanoTime();
    next = Math.max(next + nanosPerStep, now - BURST_NANOS);
    if (next > now + BURST_NANOS) {
      LockSupport.parkNanos(next - now);
    }
  }
}
