package io.sluice.tablet.log;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.LogBatchHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Writes batches to the active segment of a log and starts a new one when that is due. Of the log's
 * owner.
 */
final class LogAppender {
  private final LogContext context;
  private final TableBucket bucket;
  private final LogPath path;
  private final WriterStates writers;
  private final LeaderEpochs epochs;
  private final SegmentList segments;
  private final LogTail tail;
  // One put at a time is written.
  private ByteBuffer[] gather = new ByteBuffer[16];
  private final ByteBuffer padding = ByteBuffer.allocate(LogBatchHeader.ALIGNMENT);
  private volatile long rollAgeMs;

  LogAppender(
      LogContext context,
      TableBucket bucket,
      LogPath path,
      LogState state,
      SegmentList segments,
      LogTail tail) {
    this.context = context;
    this.bucket = bucket;
    this.path = path;
    this.writers = state.writers();
    this.epochs = state.epochs();
    this.segments = segments;
    this.tail = tail;
    this.rollAgeMs = context.config().segmentAgeMs();
  }

  void rollAfter(long ageMs) {
    rollAgeMs = Math.min(ageMs, context.config().segmentAgeMs());
  }

  /** See {@link BucketLog#append}. */
  long append(LogBatchHeader header, List<ByteBuffer> sections, int leaderEpoch)
      throws IOException {
    int count = gather(header, sections);
    long base = tail.endOffset();
    long now = context.platform().time().epochMs();
    try {
      epochs.saveStarted();
      LogSegment active = active();
      if (mustRoll(active, 0, active.firstTimeMs(), header, base, now)) {
        active = roll(now);
      }
      header.stamp(base, leaderEpoch, Math.max(now, tail.lastTimeMs()));
      active.append(gather, count, header, context.config().indexIntervalBytes());
    } finally {
      Arrays.fill(gather, 0, count, null);
    }
    writers.stored(header);
    tail.set(header.nextOffset(), header.appendTimeMs());
    return base;
  }

  private LogSegment active() throws IOException {
    LogSegment active = segments.current().active();
    if (!active.hasIndex()) {
      LogReads.index(context, active);
    }
    return active;
  }

  private int gather(LogBatchHeader header, List<ByteBuffer> sections) {
    if (gather.length < sections.size() + 2) {
      gather = new ByteBuffer[sections.size() + 2];
    }
    int count = 0;
    long bytes = LogBatchHeader.SIZE;
    gather[count++] = header.bytes();
    for (int i = 0; i < sections.size(); i++) {
      ByteBuffer section = sections.get(i);
      if (section.hasRemaining()) {
        bytes += section.remaining();
        gather[count++] = section;
      }
    }
    long pad = header.length() - bytes;
    if (pad < 0 || pad >= LogBatchHeader.ALIGNMENT) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BATCH,
          "Batch for "
              + bucket
              + " has "
              + bytes
              + " bytes with its header, which says "
              + header.length());
    }
    if (pad > 0) {
      gather[count++] = padding.position(0).limit((int) pad);
    }
    return count;
  }

  /**
   * Stores the first of these batches and as many behind it as go into the same segment, with one
   * write. The rules are those of the leader with its times, so that segments are the same where
   * the logs are.
   *
   * @param batches the first begins at the log end; its position moves behind what was stored
   */
  void appendStored(ByteBuffer batches) throws IOException {
    LogSegment active = active();
    LogBatchHeader first = LogBatchHeader.wrap(batches);
    long end = tail.endOffset();
    if (mustRoll(active, 0, active.firstTimeMs(), first, end, first.appendTimeMs())) {
      active = roll(first.appendTimeMs());
    }
    ByteBuffer run = run(active, batches);
    epochs.saveStarted();
    active.appendStored(run.duplicate(), context.config().indexIntervalBytes());
    batches.position(run.limit());
    long time = tail.lastTimeMs();
    while (run.hasRemaining()) {
      LogBatchHeader header = LogBatchHeader.wrap(run);
      writers.stored(header);
      end = header.nextOffset();
      time = header.appendTimeMs();
      run.position(run.position() + header.length());
    }
    tail.set(end, time);
  }

  /** The batches that go into the active segment; their epochs are started in memory. */
  private ByteBuffer run(LogSegment active, ByteBuffer batches) {
    ByteBuffer rest = batches.duplicate();
    long offset = tail.endOffset();
    long firstTimeMs = active.firstTimeMs();
    int indexed = active.indexEntries();
    int bytes = 0;
    while (rest.hasRemaining()) {
      LogBatchHeader header = ReplicatedBatches.header(rest);
      // Each may become an index entry: whether it does is seen when it is stored.
      boolean ends =
          bytes > 0
              && (++indexed >= context.config().indexEntries()
                  || header.baseOffset() > offset
                  || mustRoll(active, bytes, firstTimeMs, header, offset, header.appendTimeMs()));
      if (ends) {
        break;
      }
      if (header.baseOffset() != offset || header.length() > rest.remaining()) {
        throw new SluiceException(
            ErrorCode.CORRUPT_BATCH,
            "Batch of "
                + header.length()
                + " bytes at offset "
                + header.baseOffset()
                + " does not follow offset "
                + offset
                + " of "
                + bucket);
      }
      epochs.storing(header.leaderEpoch(), offset);
      firstTimeMs = bytes == 0 && active.isEmpty() ? header.appendTimeMs() : firstTimeMs;
      bytes += header.length();
      offset = header.nextOffset();
      rest.position(rest.position() + header.length());
    }
    return batches.duplicate().limit(rest.position());
  }

  /**
   * @param more bytes that are in the segment before this batch, beside those it has
   * @param offset where the batch begins
   */
  private boolean mustRoll(
      LogSegment active,
      long more,
      long firstTimeMs,
      LogBatchHeader header,
      long offset,
      long nowMs) {
    LogConfig config = context.config();
    return (more > 0 || !active.isEmpty())
        && (active.size() + more + header.length() > config.segmentBytes()
            || nowMs - firstTimeMs > rollAgeMs
            || active.indexEntries() >= config.indexEntries()
            || offset + header.offsetCount() - active.baseOffset() > Integer.MAX_VALUE);
  }

  /** Starts a new segment; the old one is forced and its index saved by {@link LogForcing}. */
  LogSegment roll(long nowMs) throws IOException {
    LogSegment old = segments.current().active();
    long end = tail.endOffset();
    LogSegment fresh =
        LogSegment.create(
            context.files(),
            context.platform().files(),
            path,
            new SegmentHeader(context.clusterId(), bucket, end));
    writers.expire(nowMs - context.config().writerExpiryMs(), context.namedWriters());
    epochs.trimTo(segments.current().at(0).baseOffset());
    old.seal(new LogSegment.Seal(end, writers.snapshot(end)));
    segments.add(fresh);
    return fresh;
  }
}
