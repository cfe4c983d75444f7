package io.sluice.tablet.log;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a log as they change: the log's owner adds one or takes the newest back, the
 * housekeeper deletes the oldest, anybody reads. The lock guards the replacement of the list only,
 * never I/O.
 */
final class SegmentList {
  private final FileOpener files;
  private final LogStart start;
  private final WriterSnapshots snapshots;
  private volatile LogSegments current;

  SegmentList(
      FileOpener files, List<LogSegment> segments, LogStart start, WriterSnapshots snapshots) {
    this.files = files;
    this.current = new LogSegments(segments);
    this.start = start;
    this.snapshots = snapshots;
  }

  /** The segments now. */
  LogSegments current() {
    return current;
  }

  /** Where the log begins, as saved. */
  LogStart.Point start() {
    return start.point();
  }

  /** Adds the new active segment. */
  synchronized void add(LogSegment fresh) {
    current = current.with(fresh);
  }

  private synchronized void removeOldest(int count) {
    current = current.without(count);
  }

  /** Replaces the newest segments, from that position on, by one active segment. */
  synchronized void replaceFrom(int position, LogSegment active) {
    current = current.with(position, active);
  }

  /** See {@link BucketLog#trim}. */
  @Nullable Trimmed trim(long beforeMs, long belowOffset) throws IOException {
    LogSegments before = current;
    int count = before.expired(beforeMs, belowOffset);
    if (count == 0) {
      return null;
    }
    long newStart = before.at(count).baseOffset();
    keepWriters(before, count, newStart);
    long lastTimeMs = start.point().lastTimeMs();
    for (int i = 0; i < count; i++) {
      lastTimeMs = Math.max(lastTimeMs, before.at(i).lastTimeMs());
    }
    start.save(new LogStart.Point(newStart, lastTimeMs));
    removeOldest(count);
    long bytes = 0;
    for (int i = 0; i < count; i++) {
      bytes += before.at(i).size();
      before.at(i).delete(files);
    }
    snapshots.trimTo(newStart);
    return new Trimmed(count, bytes, newStart);
  }

  /** The segments that go are read once more when nobody has saved the writers at their end. */
  private void keepWriters(LogSegments before, int count, long newStart) throws IOException {
    if (snapshots.has(newStart)) {
      return;
    }
    WriterSnapshots.Loaded loaded = snapshots.load(newStart, before.at(0).baseOffset());
    for (int i = 0; i < count; i++) {
      WriterReplay.replay(files, before.at(i), loaded.offset(), loaded.states());
    }
    snapshots.save(newStart, loaded.states().snapshot(newStart), before::begins);
  }
}
