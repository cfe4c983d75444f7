package io.sluice.client.internal;

/**
 * Says whether waiting pays: how fast rows come, and so whether open batches would be full within
 * the linger time. Batches that would not are sent at once when nothing is unanswered, so that
 * their rows have the latency of one round trip. With one batch unanswered the next follows it at a
 * short distance, in which rows collect: what a row costs on its way is nearly all the cost of its
 * batch. Guarded by the accumulator's lock, but for {@link #waitLeft}.
 */
final class AppendPace {
  /** Batches without an answer below which one that would not fill up is sent early. */
  static final int UNANSWERED_WHEN_SLOW = 2;

  /** How long the rate is measured before it is believed, and looked at again while it is high. */
  static final long WINDOW_NANOS = 1_000_000;

  /** From one batch that does not fill up to the next while the first is unanswered. */
  static final long DISTANCE_NANOS = 400_000;

  private final long lingerNanos;
  private final long distanceNanos;
  private final int batchBytes;
  private volatile long sentNanos;
  private long rows;
  private double bytesPerRow;
  private long windowRows;
  private long windowNanos;
  private double newest;
  private double smoothed;

  AppendPace(long lingerNanos, int batchBytes, long nowNanos) {
    this.lingerNanos = lingerNanos;
    this.distanceNanos = Math.min(DISTANCE_NANOS, lingerNanos);
    this.batchBytes = batchBytes;
    this.windowNanos = nowNanos;
    this.sentNanos = nowNanos - distanceNanos;
  }

  void rowAdded() {
    rows++;
  }

  /** Learns from a batch how large rows are. */
  void sealed(int rowCount, long bytes) {
    bytesPerRow = (double) bytes / rowCount;
  }

  /**
   * Whether open batches are to be sent although they are neither full nor have lingered.
   *
   * @param unanswered batches on their way
   * @param open how many share the rows that come
   */
  boolean isSlow(long now, int unanswered, int open) {
    if (waitLeft(now, unanswered) > 0) {
      return false;
    }
    measure(now);
    double enough = batchBytes * (double) Math.max(open, 1) / Math.max(lingerNanos, 1);
    if (smoothed * bytesPerRow < enough) {
      return true;
    }
    // A fast source that has paused, or the machine is busy: what is unanswered keeps it busy.
    return unanswered == 0 && newest * bytesPerRow < enough;
  }

  /** Open batches were sent although they are neither full nor have lingered. */
  void sent(long now) {
    sentNanos = now;
  }

  /**
   * Nanoseconds until a batch that is not full may be sent early with so many on their way, from
   * any thread: none is left when all are answered, {@link Long#MAX_VALUE} when an answer has to
   * come first, else what is left of the distance to the last one.
   */
  long waitLeft(long now, int unanswered) {
    if (unanswered == 0) {
      return 0;
    }
    return unanswered < UNANSWERED_WHEN_SLOW
        ? Math.max(distanceNanos - (now - sentNanos), 0)
        : Long.MAX_VALUE;
  }

  private void measure(long now) {
    long elapsed = now - windowNanos;
    if (elapsed >= WINDOW_NANOS) {
      newest = (double) (rows - windowRows) / elapsed;
      smoothed = newest == 0 ? smoothed / 2 : (smoothed + newest) / 2;
      windowRows = rows;
      windowNanos = now;
    }
  }
}
