package io.sluice.tablet.log;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a log as they change: the log's owner adds one, the housekeeper deletes the
 * oldest, anybody reads. The lock guards the replacement of the list only, never I/O.
 */
final class SegmentList {
  private final LogStart start;
  private final WriterSnapshots snapshots;
  private volatile LogSegments current;

  SegmentList(List<LogSegment> segments, LogStart start, WriterSnapshots snapshots) {
    this.current = new LogSegments(segments);
    this.start = start;
    this.snapshots = snapshots;
  }

  /** The segments now. */
  LogSegments current() {
    return current;
  }

  /** Adds the new active segment. */
  synchronized void add(LogSegment fresh) {
    current = current.with(fresh);
  }

  private synchronized void removeOldest(int count) {
    current = current.without(count);
  }

  /** See {@link BucketLog#trim}. */
  @Nullable Trimmed trim(long beforeMs, long belowOffset) throws IOException {
    LogSegments before = current;
    int count = before.expired(beforeMs, belowOffset);
    if (count == 0) {
      return null;
    }
    long newStart = before.at(count).baseOffset();
    start.save(new LogStart.Point(newStart, before.at(count - 1).lastTimeMs()));
    removeOldest(count);
    long bytes = 0;
    for (int i = 0; i < count; i++) {
      bytes += before.at(i).size();
      before.at(i).delete();
    }
    snapshots.trimTo(newStart);
    return new Trimmed(count, bytes, newStart);
  }
}
