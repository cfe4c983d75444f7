package io.sluice.client.internal;

import java.util.concurrent.ConcurrentSkipListSet;

/**
 * How far a named writer's source is stored: up to just before the first row without success. Rows
 * that failed stay in the way. Thread-safe; positions come in growing order.
 */
final class CommittedPosition {
  private final long initial;
  private final ConcurrentSkipListSet<Long> firstOpen = new ConcurrentSkipListSet<>();
  private volatile long lastAppended;

  CommittedPosition(long initial) {
    this.initial = initial;
    this.lastAppended = initial;
  }

  /** A batch begins with this position. */
  void opened(long firstSequence) {
    firstOpen.add(firstSequence);
  }

  /** A row is on its way or was stored before. */
  void appended(long sequence) {
    lastAppended = Math.max(lastAppended, sequence);
  }

  /** The rows from the first position of a batch up to {@code nextFirst} are stored. */
  void stored(long firstSequence) {
    firstOpen.remove(firstSequence);
  }

  long value() {
    // Read before the set: a batch that opens in between begins after it.
    long last = lastAppended;
    Long first = firstOpen.ceiling(Long.MIN_VALUE);
    return Math.max(initial, first == null ? last : Math.min(last, first - 1));
  }
}
