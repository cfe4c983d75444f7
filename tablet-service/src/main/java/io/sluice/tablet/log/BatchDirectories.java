package io.sluice.tablet.log;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The directories of one tablet's sealed segments, bounded in bytes: those that were not used for
 * the longest time go first. Thread-safe.
 */
public final class BatchDirectories {
  /** Scans that learn at the same time, each up to {@link SegmentDirectory#LARGEST_BYTES}. */
  private static final int MAX_LEARNERS = 16;

  private final long capacityBytes;
  // Guarded by this. Access order: the first is the longest unused.
  private final Map<LogSegment, SegmentDirectory> directories =
      new LinkedHashMap<>(64, 0.75f, true);
  private long usedBytes;
  private int learners;
  private long hits;
  private long misses;

  BatchDirectories(long capacityBytes) {
    this.capacityBytes = capacityBytes;
  }

  /** The segment's directory, null when there is none. */
  synchronized @Nullable SegmentDirectory of(LogSegment segment) {
    SegmentDirectory found = directories.get(segment);
    if (found == null) {
      misses++;
    } else {
      hits++;
    }
    return found;
  }

  /** Whether a scan may begin to learn; to be followed by {@link #learnt}. */
  synchronized boolean mayLearn() {
    if (learners == MAX_LEARNERS) {
      return false;
    }
    learners++;
    return true;
  }

  /** Takes what a scan has learnt of a sealed segment. */
  synchronized void learnt(LogSegment segment, SegmentDirectory directory) {
    learners--;
    if (!segment.deleted()) {
      offer(segment, directory);
    }
  }

  /** Keeps a directory that covers more of its segment than the one that is kept. */
  synchronized void offer(LogSegment segment, SegmentDirectory directory) {
    SegmentDirectory before = directories.get(segment);
    if (before != null && before.count() >= directory.count()) {
      return;
    }
    SegmentDirectory small = directory.trimmed();
    if (small.memoryBytes() > capacityBytes / 4) {
      return;
    }
    directories.put(segment, small);
    usedBytes += small.memoryBytes() - (before == null ? 0 : before.memoryBytes());
    Iterator<SegmentDirectory> oldest = directories.values().iterator();
    while (usedBytes > capacityBytes && oldest.hasNext()) {
      usedBytes -= oldest.next().memoryBytes();
      oldest.remove();
    }
  }

  /** Forgets a segment that is no more. */
  synchronized void forget(LogSegment segment) {
    SegmentDirectory gone = directories.remove(segment);
    usedBytes -= gone == null ? 0 : gone.memoryBytes();
  }

  /** Bytes of memory in use. */
  public synchronized long usedBytes() {
    return usedBytes;
  }

  /** Segments that were entered and had a directory. */
  public synchronized long hits() {
    return hits;
  }

  /** Segments that were entered and had none. */
  public synchronized long misses() {
    return misses;
  }
}
