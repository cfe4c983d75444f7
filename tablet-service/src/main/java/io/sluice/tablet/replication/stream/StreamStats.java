package io.sluice.tablet.replication.stream;

import java.util.concurrent.atomic.LongAdder;

/** What the streams of this server count, as leader and as follower. Thread-safe. */
public final class StreamStats {
  private final LongAdder fetches = new LongAdder();
  private final LongAdder bytesOut = new LongAdder();
  private final LongAdder bytesIn = new LongAdder();
  private final LongAdder throttled = new LongAdder();
  private final LongAdder reconnects = new LongAdder();
  private final LongAdder refusals = new LongAdder();

  void answered(int bytes) {
    fetches.increment();
    bytesOut.add(bytes);
  }

  void received(int bytes) {
    bytesIn.add(bytes);
  }

  void throttled(long bytes) {
    throttled.add(bytes);
  }

  void reconnected() {
    reconnects.increment();
  }

  void refused() {
    refusals.increment();
  }

  /** Fetches of followers that were answered. */
  public long fetches() {
    return fetches.sum();
  }

  /** Bytes of those answers. */
  public long bytesOut() {
    return bytesOut.sum();
  }

  /** Bytes of answers that leaders gave. */
  public long bytesIn() {
    return bytesIn.sum();
  }

  /** Bytes received for which catching up had to pause. */
  public long throttledBytes() {
    return throttled.sum();
  }

  /** Streams to leaders that broke. */
  public long reconnects() {
    return reconnects.sum();
  }

  /** Buckets that leaders refused to this server. */
  public long refusals() {
    return refusals.sum();
  }
}
