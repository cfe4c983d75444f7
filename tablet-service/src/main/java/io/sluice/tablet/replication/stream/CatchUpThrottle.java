package io.sluice.tablet.replication.stream;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import java.util.concurrent.TimeUnit;

/**
 * The pace at which this server catches up, over all that it catches up with: what was received is
 * paid for by a pause before more is asked for. Thread-safe.
 */
public final class CatchUpThrottle {
  /** What may be received at once after a pause. */
  private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final int SMALLEST_ANSWER = 256 << 10;
  private static final int ANSWERS_PER_SECOND = 8;

  private final long bytesPerSecond;
  private final TimeSource clock;
  private final StreamStats stats;
  private long paidUntil;

  /**
   * @param bytesPerSecond at least 1
   */
  public CatchUpThrottle(long bytesPerSecond, TimeSource clock, StreamStats stats) {
    if (bytesPerSecond < 1) {
      throw new SluiceException(
          ErrorCode.INVALID_OPTION,
          "sluice.replication.catch-up-bytes-per-second is "
              + bytesPerSecond
              + "; it must be at least 1");
    }
    this.bytesPerSecond = bytesPerSecond;
    this.clock = clock;
    this.stats = stats;
    this.paidUntil = clock.nanoTime();
  }

  /** Bytes to ask for at once, so that pauses stay short. */
  int answerBytes(int most) {
    long wanted = Math.max(SMALLEST_ANSWER, bytesPerSecond / ANSWERS_PER_SECOND);
    return (int) Math.min(most, wanted);
  }

  /** Takes note of bytes that were received; how many nanoseconds to pause, 0 for none. */
  synchronized long take(long bytes) {
    long now = clock.nanoTime();
    long price = (long) (bytes * (1e9 / bytesPerSecond));
    long from = paidUntil - now < -BURST_NANOS ? now - BURST_NANOS : paidUntil;
    paidUntil = from + price;
    long pause = Math.max(0, paidUntil - now);
    if (pause > 0) {
      stats.throttled(bytes);
    }
    return pause;
  }

  /** As {@link #take}, and pauses the calling thread; CANCELLED when it is interrupted. */
  public void pace(long bytes) {
    try {
      TimeUnit.NANOSECONDS.sleep(take(bytes));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException(ErrorCode.CANCELLED, "Interrupted while catching up", e);
    }
  }
}
