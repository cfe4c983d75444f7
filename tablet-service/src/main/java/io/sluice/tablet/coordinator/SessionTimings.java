package io.sluice.tablet.coordinator;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.concurrent.TimeUnit;

/**
 * The session's clockwork.
 *
 * @param heartbeatMs time between heartbeats
 * @param minBackOffMs pause after a session that had been registered, and after the first failure
 * @param maxBackOffMs longest pause between two attempts
 */
public record SessionTimings(long heartbeatMs, long minBackOffMs, long maxBackOffMs) {
  /** One heartbeat a second, pauses from 100 ms to 3 s. */
  public static final SessionTimings DEFAULT = new SessionTimings(1_000, 100, 3_000);

  public SessionTimings {
    if (heartbeatMs < 1 || minBackOffMs < 1 || maxBackOffMs < minBackOffMs) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Session timings must be positive and the largest pause not below the smallest");
    }
  }

  long heartbeatNanos() {
    return TimeUnit.MILLISECONDS.toNanos(heartbeatMs);
  }

  long nextBackOffMs(long before) {
    return Math.min(maxBackOffMs, before * 2);
  }
}
