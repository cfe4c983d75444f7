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
 * @param silenceMs a coordinator that answers heartbeats and was not heard of for so long is given
 *     up; shorter than a session, which the next one has to take over
 */
public record SessionTimings(
    long heartbeatMs, long minBackOffMs, long maxBackOffMs, long silenceMs) {
  /** One heartbeat a second, pauses from 100 ms to 1 s, patience of 3 s. */
  public static final SessionTimings DEFAULT = new SessionTimings(1_000, 100, 1_000, 3_000);

  public SessionTimings {
    if (heartbeatMs < 1
        || minBackOffMs < 1
        || maxBackOffMs < minBackOffMs
        || silenceMs <= heartbeatMs) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Session timings must be positive, the largest pause not below the smallest, and the"
              + " patience longer than a heartbeat");
    }
  }

  long heartbeatNanos() {
    return TimeUnit.MILLISECONDS.toNanos(heartbeatMs);
  }

  long silenceNanos() {
    return TimeUnit.MILLISECONDS.toNanos(silenceMs);
  }

  long nextBackOffMs(long before) {
    return Math.min(maxBackOffMs, before * 2);
  }
}
