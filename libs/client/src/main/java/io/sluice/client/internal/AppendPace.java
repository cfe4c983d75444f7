package io.sluice.client.internal;

/**
 * Says whether waiting pays: how fast rows come, and so whether open batches would be full within
 * the linger time. A batch that would not is sent as soon as little is unanswered, so that a slow
 * source has the latency of one round trip, and the batches of a faster one grow by what comes in
 * during it. Guarded by the accumulator's lock.
 */
final class AppendPace {
  /** Batches without an answer below which one that would not fill up is sent at once. */
  static final int UNANSWERED_WHEN_SLOW = 2;

  /** How long the rate is measured before it is believed, and looked at again while it is high. */
  static final long WINDOW_NANOS = 1_000_000;

  private final long lingerNanos;
  private final int batchBytes;
  private long rows;
  private double bytesPerRow;
  private long windowRows;
  private long windowNanos;
  private double newest;
  private double smoothed;

  AppendPace(long lingerNanos, int batchBytes, long nowNanos) {
    this.lingerNanos = lingerNanos;
    this.batchBytes = batchBytes;
    this.windowNanos = nowNanos;
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
    if (unanswered >= UNANSWERED_WHEN_SLOW) {
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
