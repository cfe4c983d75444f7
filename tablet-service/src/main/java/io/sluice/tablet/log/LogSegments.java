package io.sluice.tablet.log;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The segments of a log at one moment, by offset; the last one is appended to. Immutable list. */
final class LogSegments {
  private final LogSegment[] all;

  LogSegments(List<LogSegment> segments) {
    this.all = segments.toArray(LogSegment[]::new);
  }

  private LogSegments(LogSegment[] all) {
    this.all = all;
  }

  LogSegments with(LogSegment fresh) {
    return with(all.length, fresh);
  }

  /** Without so many of the oldest ones. */
  LogSegments without(int oldest) {
    return new LogSegments(Arrays.copyOfRange(all, oldest, all.length));
  }

  /** So many of the oldest ones and another active one. */
  LogSegments with(int oldest, LogSegment active) {
    LogSegment[] changed = Arrays.copyOf(all, oldest + 1);
    changed[oldest] = active;
    return new LogSegments(changed);
  }

  /**
   * How many of the oldest segments may go: sealed, all of it saved, stored before the time, and
   * the next one begins at or below the offset. The active one never does.
   */
  int expired(long beforeMs, long belowOffset) {
    int count = 0;
    while (count < all.length - 1
        && all[count].pendingSeal() == null
        && all[count + 1].baseOffset() <= belowOffset
        && (all[count].isEmpty() || all[count].lastTimeMs() < beforeMs)) {
      count++;
    }
    return count;
  }

  LogSegment active() {
    return all[all.length - 1];
  }

  LogSegment at(int position) {
    return all[position];
  }

  int size() {
    return all.length;
  }

  /** The segment that holds an offset at or behind the log start. */
  LogSegment holding(long offset) {
    int low = 0;
    int high = all.length - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (all[middle].baseOffset() <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return all[low];
  }

  /** Whether a segment begins at an offset. */
  boolean begins(long offset) {
    return holding(offset).baseOffset() == offset;
  }

  /** Position of the segment that holds an offset at or behind the log start. */
  int positionOf(long offset) {
    LogSegment segment = holding(offset);
    int position = 0;
    while (all[position] != segment) {
      position++;
    }
    return position;
  }

  /**
   * Offset after the last record: the log end, but while nothing is stored behind a hole; the log
   * start when there is none.
   */
  long storedEnd() {
    int last = all.length - 1;
    while (last > 0 && all[last].isEmpty()) {
      last--;
    }
    return all[last].endOffset();
  }

  /**
   * The segment after one, null when it is the active one.
   *
   * @throws SluiceException OFFSET_OUT_OF_RANGE when it was deleted meanwhile
   */
  @Nullable LogSegment after(LogSegment segment) {
    if (segment.endOffset() < all[0].baseOffset()) {
      throw deleted(segment.endOffset(), all[0].baseOffset());
    }
    LogSegment next = holding(segment.endOffset());
    if (next.baseOffset() > segment.baseOffset()) {
      return next;
    }
    // A recorded hole: the next segment begins behind the end of this one.
    for (LogSegment candidate : all) {
      if (candidate.baseOffset() > segment.baseOffset()) {
        return candidate;
      }
    }
    return null;
  }

  /** The failure of a read below the start of a log. */
  static SluiceException deleted(long offset, long start) {
    return new SluiceException(
        ErrorCode.OFFSET_OUT_OF_RANGE,
        "Offset " + offset + " was deleted: the log begins at offset " + start);
  }

  /** The failure of a read of what was taken back. */
  static SluiceException cut(long offset, long end) {
    return new SluiceException(
        ErrorCode.OFFSET_OUT_OF_RANGE,
        "Offset " + offset + " is not there any more: the log was cut and ends at offset " + end);
  }

  /** The first segment with a batch stored at or after the time, null when there is none. */
  @Nullable LogSegment firstNotBefore(long timeMs) {
    for (LogSegment segment : all) {
      if (!segment.isEmpty() && segment.lastTimeMs() >= timeMs) {
        return segment;
      }
    }
    return null;
  }

  long lastTimeMs() {
    for (int i = all.length - 1; i >= 0; i--) {
      if (!all[i].isEmpty()) {
        return all[i].lastTimeMs();
      }
    }
    return 0;
  }

  boolean hasPendingSeal() {
    for (LogSegment segment : all) {
      if (segment.pendingSeal() != null) {
        return true;
      }
    }
    return false;
  }

  long sizeBytes() {
    long total = 0;
    for (LogSegment segment : all) {
      total += segment.size();
    }
    return total;
  }

  void close() {
    for (LogSegment segment : all) {
      segment.close();
    }
  }
}
