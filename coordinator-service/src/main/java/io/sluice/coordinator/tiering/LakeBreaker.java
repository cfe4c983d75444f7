package io.sluice.coordinator.tiering;

import org.jspecify.annotations.Nullable;

/**
 * Stops all rounds while the lake itself is out of order, but for one now and then that tries. The
 * first comes soon, because most often a service was only restarted, the next at twice the
 * distance, up to the probe interval. Opened by a failure of scope LAKE, closed by any success.
 * Owned by the queue.
 */
final class LakeBreaker {
  /** The first probe comes after this part of the interval. */
  private static final int FIRST_PROBE_PART = 12;

  private final long firstProbeMs;
  private final long probeEveryMs;
  private @Nullable String cause;
  private long nextProbeMs;
  private long pauseMs;

  /**
   * @param probeEveryMs how often a round may try while it stays open
   */
  LakeBreaker(long probeEveryMs) {
    this.probeEveryMs = probeEveryMs;
    this.firstProbeMs = probeEveryMs / FIRST_PROBE_PART;
  }

  /** Opens it; tells whether it was closed. */
  boolean open(String failure, long nowMs) {
    boolean wasClosed = cause == null;
    cause = failure;
    if (wasClosed) {
      pauseMs = firstProbeMs;
      nextProbeMs = nowMs + pauseMs;
    }
    return wasClosed;
  }

  /** Closes it; tells whether it was open. */
  boolean close() {
    boolean wasOpen = cause != null;
    cause = null;
    return wasOpen;
  }

  boolean isOpen() {
    return cause != null;
  }

  /** What the lake failed with last, null while it is closed. */
  @Nullable String cause() {
    return cause;
  }

  /** Whether a round may start now. */
  boolean allows(long nowMs) {
    return cause == null || nowMs >= nextProbeMs;
  }

  /** A round was started. */
  void started(long nowMs) {
    if (cause != null) {
      pauseMs = Math.min(probeEveryMs, pauseMs * 2);
      nextProbeMs = nowMs + pauseMs;
    }
  }
}
