package io.sluice.tablet.log;

import io.sluice.common.SluiceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Finds places in a log for readers, whose segments may be deleted at any moment. */
final class LogReads {
  private LogReads() {}

  /** See {@link BucketLog#openCursor}. */
  static LogCursor openCursor(BucketLog log, long offset) {
    while (true) {
      int rewrites = log.rewrites();
      LogCursor cursor;
      try {
        cursor = LogCursor.at(log, offset, rewrites);
      } catch (IOException | SluiceException e) {
        if (log.rewrites() != rewrites) {
          // The segment was taken back meanwhile.
          continue;
        }
        throw failure(log, offset, rewrites, e);
      }
      if (cursor.nextOffset() > offset && offset < log.startOffset()) {
        // Deleted between the caller's check and the opening.
        cursor.close();
        throw LogSegments.deleted(offset, log.startOffset());
      }
      return cursor;
    }
  }

  /** A failure while the log had been rewritten so often. */
  private static SluiceException failure(
      BucketLog log, long offset, int rewrites, Exception cause) {
    if (LogTail.isRewriting(rewrites)) {
      return LogSegments.cut(offset, log.endOffset());
    }
    if (cause instanceof SluiceException failure) {
      return failure;
    }
    return offset < log.startOffset()
        ? LogSegments.deleted(offset, log.startOffset())
        : BucketLog.storageError(
            "Cannot read the log of " + log.bucket() + " at offset " + offset, (IOException) cause);
  }

  /** See {@link BucketLog#offsetForTime}. */
  static long offsetForTime(BucketLog log, long epochMs) {
    while (true) {
      int rewrites = log.rewrites();
      LogSegment segment = log.segments().firstNotBefore(epochMs);
      if (segment == null) {
        return log.endOffset();
      }
      try (LogCursor cursor = LogCursor.atTime(log, segment, rewrites, epochMs)) {
        return cursor.nextOffset();
      } catch (IOException e) {
        // Deleted meanwhile: the answer is in a later one.
        if (segment.baseOffset() >= log.startOffset() && log.rewrites() == rewrites) {
          throw failure(log, segment.baseOffset(), rewrites, e);
        }
      } catch (SluiceException e) {
        if (log.rewrites() == rewrites) {
          throw failure(log, segment.baseOffset(), rewrites, e);
        }
      }
    }
  }

  /** See {@link BucketLog#read}. */
  static ByteBuffer batches(
      BucketLog log, long offset, int maxBytes, IntFunction<ByteBuffer> memory) {
    while (true) {
      int rewrites = log.rewrites();
      try {
        ByteBuffer found = new BatchRead(log, offset, maxBytes, memory).read();
        if (log.rewrites() == rewrites) {
          return found;
        }
      } catch (IOException | SluiceException e) {
        if (log.rewrites() == rewrites) {
          throw failure(log, offset, rewrites, e);
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
