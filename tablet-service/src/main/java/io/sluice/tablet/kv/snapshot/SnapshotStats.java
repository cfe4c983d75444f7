package io.sluice.tablet.kv.snapshot;

import java.util.concurrent.atomic.AtomicLong;

/** What became of snapshots since the start, for metrics. Thread-safe. */
public final class SnapshotStats {
  private final AtomicLong taken = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong restored = new AtomicLong();

  /** Snapshots taken. */
  public long taken() {
    return taken.get();
  }

  /** Attempts to take one that failed. */
  public long failed() {
    return failed.get();
  }

  /** Damaged stores that were put right, from a snapshot or from all of the changelog. */
  public long restored() {
    return restored.get();
  }

  void countTaken() {
    taken.incrementAndGet();
  }

  void countFailed() {
    failed.incrementAndGet();
  }

  /** A damaged store was put right. */
  public void countRestored() {
    restored.incrementAndGet();
  }
}
