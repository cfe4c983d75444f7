package io.sluice.tiering.job;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.concurrent.TimeUnit;

/**
 * The session's clockwork.
 *
 * @param reportMs time between reports when nothing happens
 * @param minBackOffMs pause after a session that was joined, and after the first failure
 * @param maxBackOffMs longest pause between two attempts
 */
public record SessionTimings(long reportMs, long minBackOffMs, long maxBackOffMs) {
  public SessionTimings {
    if (reportMs < 1 || minBackOffMs < 1 || maxBackOffMs < minBackOffMs) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Session timings must be positive and the largest pause not below the smallest");
    }
  }

  /** Reports every so often, pauses from 100 ms to 3 s. */
  public static SessionTimings reportingEvery(long reportMs) {
    return new SessionTimings(reportMs, 100, 3_000);
  }

  long reportNanos() {
    return TimeUnit.MILLISECONDS.toNanos(reportMs);
  }

  long nextBackOffMs(long before) {
    return Math.min(maxBackOffMs, before * 2);
  }
}
