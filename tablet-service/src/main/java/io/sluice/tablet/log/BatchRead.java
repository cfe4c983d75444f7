package io.sluice.tablet.log;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** One read of whole batches from a log, as they are stored; see {@link BucketLog#read}. */
final class BatchRead {
  private static final int WINDOW = 4 << 10;

  private final BucketLog log;
  private final long offset;
  private final int maxBytes;
  private final IntFunction<ByteBuffer> memory;

  BatchRead(BucketLog log, long offset, int maxBytes, IntFunction<ByteBuffer> memory) {
    this.log = log;
    this.offset = offset;
    this.maxBytes = maxBytes;
    this.memory = memory;
  }

  ByteBuffer read() throws IOException {
    long end = log.endOffset();
    if (offset > end) {
      throw new SluiceException(
          ErrorCode.OFFSET_OUT_OF_RANGE,
          "Offset " + offset + " of " + log.bucket() + " is behind the log end " + end);
    }
    LogSegments segments = log.segments();
    if (offset < segments.at(0).baseOffset()) {
      throw LogSegments.deleted(offset, segments.at(0).baseOffset());
    }
    LogSegment segment = withBatches(segments);
    if (segment == null) {
      return ByteBuffer.allocate(0);
    }
    try (SegmentReader reader = new SegmentReader(log.context().files(), segment)) {
      return whole(reader, position(reader), segment.size(), end);
    }
  }

  /** The segment whose next batch is wanted; null when that is not stored yet. */
  private @Nullable LogSegment withBatches(LogSegments segments) {
    LogSegment segment = segments.holding(offset);
    while (segment != null && offset >= segment.endOffset()) {
      segment = segments.after(segment);
    }
    return segment;
  }

  /** Where the batch begins: behind the last one that the index knows of. */
  private int position(SegmentReader reader) throws IOException {
    LogSegment segment = reader.segment();
    if (offset <= segment.baseOffset()) {
      return SegmentHeader.SIZE;
    }
    SegmentIndex index = log.index(segment);
    int entry = index.floorOffset(offset - segment.baseOffset());
    long at = segment.baseOffset() + (entry < 0 ? 0 : index.relativeOffset(entry));
    int position = entry < 0 ? SegmentHeader.SIZE : index.position(entry);
    ByteBuffer window = ByteBuffer.allocate(at == offset ? 0 : WINDOW).limit(0);
    int windowStart = position;
    while (at < offset) {
      int inWindow = position - windowStart;
      if (inWindow + LogBatchHeader.SIZE > window.limit()) {
        window.clear().limit(Math.min(WINDOW, segment.size() - position));
        reader.read(window, position);
        window.flip();
        windowStart = position;
        inWindow = 0;
      }
      LogBatchHeader header = header(segment, window.position(inWindow), position, at);
      position += header.length();
      at = header.nextOffset();
    }
    if (at != offset) {
      throw new SluiceException(
          ErrorCode.OFFSET_OUT_OF_RANGE,
          "No batch of "
              + log.bucket()
              + " begins at offset "
              + offset
              + ", but one that ends at "
              + at);
    }
    return position;
  }

  private static LogBatchHeader header(
      LogSegment segment, ByteBuffer bytes, long position, long expectedOffset) {
    if (bytes.remaining() < LogBatchHeader.SIZE) {
      throw Corruption.at(
          segment.path(),
          position,
          LogBatchHeader.SIZE + " bytes of batch header",
          "the end of the file after " + bytes.remaining());
    }
    LogBatchHeader header = LogBatchHeader.wrap(bytes);
    Damage damage =
        BatchWalk.checkHeader(header, position, segment.size(), expectedOffset, Integer.MIN_VALUE);
    if (damage != null) {
      throw Corruption.at(segment.path(), damage);
    }
    return header;
  }

  /** Reads the batches from a position on that are whole within the limit and below the log end. */
  private ByteBuffer whole(SegmentReader reader, int position, int size, long end)
      throws IOException {
    int there = size - position;
    int wanted = Math.min(there, Math.max(maxBytes, LogBatchHeader.SIZE));
    ByteBuffer found = fill(reader, position, wanted);
    long base = Math.max(offset, reader.segment().baseOffset());
    int first = header(reader.segment(), found.duplicate(), position, base).length();
    if (first > wanted) {
      found = fill(reader, position, Math.min(there, first));
    }
    int start = found.position();
    int at = start;
    while (found.limit() - at >= LogBatchHeader.SIZE) {
      LogBatchHeader header = LogBatchHeader.wrap(found.duplicate().position(at));
      boolean sane = header.length() >= LogBatchHeader.SIZE;
      if (!sane || header.length() > found.limit() - at || header.nextOffset() > end) {
        break;
      }
      at += header.length();
    }
    return found.limit(at).position(start);
  }

  private ByteBuffer fill(SegmentReader reader, int position, int wanted) throws IOException {
    ByteBuffer target = memory.apply(wanted);
    int start = target.position();
    int read = reader.read(target.limit(start + wanted), position);
    if (read < wanted) {
      throw Corruption.at(
          reader.segment().path(),
          position,
          wanted + " bytes",
          "the end of the file after " + read);
    }
    return target.position(start);
  }
}
