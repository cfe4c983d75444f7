package io.sluice.tablet.log;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Finds places in a log for readers, whose segments may be deleted at any moment. */
final class LogReads {
  private LogReads() {}

  /** See {@link BucketLog#openCursor}. */
  static LogCursor openCursor(BucketLog log, long offset) {
    LogCursor cursor;
    try {
      cursor = LogCursor.at(log, offset);
    } catch (IOException e) {
      if (offset < log.startOffset()) {
        throw LogSegments.deleted(offset, log.startOffset());
      }
      throw BucketLog.storageError(
          "Cannot read the log of " + log.bucket() + " at offset " + offset, e);
    }
    if (cursor.nextOffset() > offset && offset < log.startOffset()) {
      // Deleted between the caller's check and the opening.
      cursor.close();
      throw LogSegments.deleted(offset, log.startOffset());
    }
    return cursor;
  }

  /** See {@link BucketLog#offsetForTime}. */
  static long offsetForTime(BucketLog log, long epochMs) {
    while (true) {
      LogSegment segment = log.segments().firstNotBefore(epochMs);
      if (segment == null) {
        return log.endOffset();
      }
      try (LogCursor cursor = LogCursor.atTime(log, segment, epochMs)) {
        return cursor.nextOffset();
      } catch (IOException e) {
        // Deleted meanwhile: the answer is in a later one.
        if (segment.baseOffset() >= log.startOffset()) {
          throw BucketLog.storageError("Cannot read the log of " + log.bucket() + " by time", e);
        }
      }
    }
  }

  /** See {@link BucketLog#index}. */
  static SegmentIndex index(LogContext context, LogSegment segment) throws IOException {
    @Nullable SegmentIndex index = segment.loadIndex(context.platform().files());
    if (index != null) {
      return index;
    }
    // Rare, and of one segment: two readers must not write the same file.
    synchronized (segment) {
      index = segment.loadIndex(context.platform().files());
      return index != null ? index : IndexRebuild.of(context, segment);
    }
  }
}
