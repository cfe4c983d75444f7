package io.sluice.tablet.log;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.LogBatchHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The log of one bucket. One thread, its owner, appends, starts epochs and asks for writers;
 * another one forces; any thread reads offsets and opens cursors. No lock is held across I/O.
 */
public final class BucketLog {
  private final LogContext context;
  private final TableBucket bucket;
  private final LogPath path;
  private final WriterStates writers;
  private final LeaderEpochs epochs;
  private final SegmentList segments;
  private final LogForcing forcing;
  private final AtomicInteger cursors = new AtomicInteger();
  // Of the owner: one put at a time is written.
  private ByteBuffer[] gather = new ByteBuffer[16];
  private final ByteBuffer padding = ByteBuffer.allocate(LogBatchHeader.ALIGNMENT);

  private volatile long rollAgeMs;
  private volatile long endOffset;
  private volatile long lastTimeMs;
  private volatile boolean broken;

  private BucketLog(LogContext context, TableBucket bucket, LogPath path, LogState state) {
    this.context = context;
    this.bucket = bucket;
    this.path = path;
    this.writers = state.writers();
    this.epochs = state.epochs();
    this.rollAgeMs = context.config().segmentAgeMs();
    this.segments = new SegmentList(state.segments(), state.start(), state.snapshots());
    this.forcing = new LogForcing(context.platform().files(), segments, state);
    this.endOffset = segments().active().endOffset();
    this.lastTimeMs = state.lastTimeMs();
  }

  /**
   * Opens the log in a directory that exists, recovering what a crash left; a new one is empty.
   *
   * @param recoveryPoint offset below which everything was forced to disk
   * @throws SluiceException CORRUPT_STORAGE when something below the recovery point is damaged,
   *     STORAGE_ERROR when files cannot be read or written
   */
  public static BucketLog open(
      LogContext context, Path directory, TableBucket bucket, long recoveryPoint) {
    LogPath path = new LogPath(directory);
    try {
      LogState state = new LogRecovery(context, path, bucket, recoveryPoint).recover();
      return new BucketLog(context, bucket, path, state);
    } catch (IOException e) {
      throw storageError("Cannot open the log of " + bucket + " in " + directory, e);
    }
  }

  /** What the sequence of a put means here; see {@link WriterStates#decide}. Owner only. */
  public SequenceDecision decide(LogBatchHeader header, long ackedThrough, int newestEpoch) {
    return header.writerId() < 0
        ? SequenceDecision.ACCEPT
        : writers.decide(header, ackedThrough, newestEpoch);
  }

  /** The last sequence stored for a writer, -1 when none. Owner only. */
  public long lastSequence(long writerId) {
    return writers.lastSequence(writerId);
  }

  /** The newest epoch under which the writer stored anything, 0 when none. Owner only. */
  public int writerEpoch(long writerId) {
    return writers.epoch(writerId);
  }

  /**
   * Appends one batch: stamps the leader's fields and writes header and sections with one gathering
   * write, without a copy. The content is not looked at: who calls has checked it. Owner only.
   *
   * @param sections in order, without padding; their positions move
   * @return the batch's base offset
   * @throws SluiceException STORAGE_ERROR or DISK_FULL when nothing was stored; then {@link
   *     #broken()} says whether the log can go on
   */
  public long append(LogBatchHeader header, List<ByteBuffer> sections, int leaderEpoch) {
    int count = gather(header, sections);
    long base = endOffset;
    long now = context.platform().time().epochMs();
    try {
      epochs.saveStarted();
      LogSegment active = segments().active();
      if (!active.hasIndex()) {
        index(active);
      }
      if (mustRoll(active, header, now)) {
        active = roll(now);
      }
      header.stamp(base, leaderEpoch, Math.max(now, lastTimeMs));
      active.append(gather, count, header, context.config().indexIntervalBytes());
    } catch (BrokenSegmentException e) {
      broken = true;
      throw writeFailed(e);
    } catch (IOException e) {
      throw writeFailed(e);
    } finally {
      Arrays.fill(gather, 0, count, null);
    }
    writers.stored(header);
    lastTimeMs = header.appendTimeMs();
    endOffset = header.nextOffset();
    return base;
  }

  private int gather(LogBatchHeader header, List<ByteBuffer> sections) {
    if (broken) {
      throw new SluiceException(
          ErrorCode.STORAGE_ERROR, "The log of " + bucket + " takes no writes after a failed one");
    }
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

  private boolean mustRoll(LogSegment active, LogBatchHeader header, long nowMs) {
    LogConfig config = context.config();
    return !active.isEmpty()
        && ((long) active.size() + header.length() > config.segmentBytes()
            || nowMs - active.firstTimeMs() > rollAgeMs
            || active.indexEntries() >= config.indexEntries()
            || endOffset + header.offsetCount() - active.baseOffset() > Integer.MAX_VALUE);
  }

  /** Starts a new segment; the old one is forced and its index saved by {@link #force}. */
  private LogSegment roll(long nowMs) throws IOException {
    LogSegment old = segments().active();
    LogSegment fresh =
        LogSegment.create(
            context.files(),
            context.platform().files(),
            path,
            new SegmentHeader(context.clusterId(), bucket, endOffset));
    writers.expire(nowMs - context.config().writerExpiryMs(), context.namedWriters());
    epochs.trimTo(startOffset());
    old.seal(new LogSegment.Seal(endOffset, writers.snapshot(endOffset)));
    segments.add(fresh);
    return fresh;
  }

  /** Seals segments at the next append once their first batch is older than this. */
  public void rollAfter(long ageMs) {
    rollAgeMs = Math.min(ageMs, context.config().segmentAgeMs());
  }

  /** Whether the oldest segment is sealed and was stored before the time. */
  public boolean hasExpired(long timeMs) {
    return segments().expired(timeMs, Long.MAX_VALUE) > 0;
  }

  /** Whether the active segment holds something, all of it stored before the time. */
  public boolean isIdleSince(long timeMs) {
    LogSegment active = segments().active();
    return !active.isEmpty() && active.lastTimeMs() < timeMs;
  }

  /**
   * Seals the active segment when all in it was stored before the time, so that {@link #trim} can
   * delete it. Owner only.
   */
  public void rollIdle(long beforeMs) {
    if (broken || !isIdleSince(beforeMs)) {
      return;
    }
    try {
      roll(context.platform().time().epochMs());
    } catch (BrokenSegmentException e) {
      broken = true;
      throw writeFailed(e);
    } catch (IOException e) {
      throw writeFailed(e);
    }
  }

  /**
   * Deletes the sealed segments stored wholly before a time and below an offset, the oldest first.
   * The new log start is forced before the first file goes. Cursors that stand in a deleted segment
   * read on to its end. The housekeeper only.
   *
   * @return what was deleted, null when there was nothing to delete
   * @throws SluiceException STORAGE_ERROR or DISK_FULL when the new start cannot be saved: nothing
   *     was deleted then; or when a file cannot be deleted: the next start tries again
   */
  public @Nullable Trimmed trim(long beforeMs, long belowOffset) {
    try {
      return forcing.trim(beforeMs, belowOffset);
    } catch (IOException e) {
      throw failure("Cannot delete the oldest segments of " + bucket, e);
    }
  }

  private SluiceException writeFailed(IOException e) {
    return failure("Cannot append to the log of " + bucket, e);
  }

  /**
   * Records that a leader of this epoch takes over at the log end; forced before the first batch of
   * the epoch is written, so that a start of thousands of logs that nobody writes to forces
   * nothing. Owner only.
   *
   * @return the epoch's first offset
   * @throws SluiceException FENCED_LEADER_EPOCH when the log has seen a newer epoch
   */
  public long startEpoch(int epoch) {
    LeaderEpochs.Entry last = epochs.last();
    if (last != null && last.epoch() == epoch) {
      return last.startOffset();
    }
    if (last != null && last.epoch() > epoch) {
      throw new SluiceException(
          ErrorCode.FENCED_LEADER_EPOCH,
          "Epoch "
              + epoch
              + " of "
              + bucket
              + " is older than epoch "
              + lastEpoch()
              + " in its log");
    }
    epochs.start(epoch, endOffset);
    return endOffset;
  }

  /** The newest leader epoch, 0 when there was none. Owner only. */
  public int lastEpoch() {
    LeaderEpochs.Entry last = epochs.last();
    return last == null ? 0 : last.epoch();
  }

  /**
   * Forces what is written to disk, then saves index and writer state of sealed segments. On any
   * thread; appends go on meanwhile.
   *
   * @return whether a segment was sealed, so that its recovery point is worth saving
   * @throws SluiceException STORAGE_ERROR; what was written since the last call may be lost, so the
   *     replica must not go on
   */
  public boolean force() {
    try {
      return forcing.force(endOffset);
    } catch (IOException e) {
      throw storageError("Cannot force the log of " + bucket + " to disk", e);
    }
  }

  /** Whether {@link #force} has something to do. */
  public boolean needsForce() {
    return forcing.isNeeded(endOffset);
  }

  /**
   * Whether a checkpoint is worth its writes: the active segment has grown much since the last one,
   * or has not grown since the last call. The housekeeper only.
   */
  public boolean wantsCheckpoint() {
    return forcing.wantsCheckpoint(endOffset);
  }

  /**
   * Notes how far the log is. The next {@link #force} saves that as index and writer state of the
   * active segment, so that a start after a crash reads only what came later. Owner only.
   */
  public void takeCheckpoint() {
    forcing.takeCheckpoint(writers.snapshot(endOffset));
  }

  /**
   * Forces everything and saves index and writer state, so that the next start needs no scan. After
   * the owner and the forcing thread have stopped.
   */
  public void closeCleanly() {
    force();
    try {
      forcing.saveAll(endOffset, writers);
    } catch (IOException e) {
      throw storageError("Cannot close the log of " + bucket, e);
    }
    close();
  }

  /** Closes the files as they are; cursors keep what they read. */
  public void close() {
    segments().close();
  }

  /** Lets go of the indexes of sealed segments that nobody has read by since the last call. */
  public void unloadUnused() {
    LogSegments current = segments();
    for (int i = 0; i < current.size() - 1; i++) {
      if (current.at(i).pendingSeal() == null) {
        current.at(i).unloadUnused();
      }
    }
  }

  /** Renames the directory; cursors and the forcing thread go on. */
  public void moveTo(Path target) {
    try {
      Files.move(path.get(), target, StandardCopyOption.ATOMIC_MOVE);
      path.set(target);
      DurableFiles.forceDirectory(context.platform().files(), target.resolveSibling(""));
    } catch (IOException e) {
      throw storageError("Cannot rename " + path.get() + " to " + target, e);
    }
  }

  /** A cursor from the batch that holds an offset in [start, end] on. */
  public LogCursor openCursor(long offset) {
    return LogReads.openCursor(this, offset);
  }

  /** The first offset stored at or after the time, the log end when there is none. */
  public long offsetForTime(long epochMs) {
    return LogReads.offsetForTime(this, epochMs);
  }

  /** A failed write: DISK_FULL when there was no space, else STORAGE_ERROR. */
  private static SluiceException failure(String what, IOException e) {
    return DurableFiles.isOutOfSpace(e)
        ? new SluiceException(ErrorCode.DISK_FULL, what + ": " + e.getMessage(), e)
        : storageError(what, e);
  }

  static SluiceException storageError(String what, IOException e) {
    return new SluiceException(ErrorCode.STORAGE_ERROR, what + ": " + e, e);
  }

  /** Which bucket this is. */
  public TableBucket bucket() {
    return bucket;
  }

  /** Where it lives now. */
  public Path directory() {
    return path.get();
  }

  /** The first offset on this disk. */
  public long startOffset() {
    return segments().at(0).baseOffset();
  }

  /** Offset after the last record. */
  public long endOffset() {
    return endOffset;
  }

  /** End of what is forced to disk. */
  public long forcedOffset() {
    return forcing.forcedOffset();
  }

  /** Append time of the last batch, 0 when there is none. */
  public long lastTimeMs() {
    return lastTimeMs;
  }

  /** Bytes of all segments. */
  public long sizeBytes() {
    return segments().sizeBytes();
  }

  /** Number of segments. */
  public int segmentCount() {
    return segments().size();
  }

  /** Whether a failed write left the log unable to take others. */
  public boolean broken() {
    return broken;
  }

  /** Open cursors. */
  public int cursorCount() {
    return cursors.get();
  }

  AtomicInteger cursors() {
    return cursors;
  }

  LogSegments segments() {
    return segments.current();
  }

  LogContext context() {
    return context;
  }

  /** Leader epochs and their first offsets; for tests and replication. */
  List<LeaderEpochs.Entry> epochs() {
    return epochs.entries();
  }

  /** The index of a segment, rebuilt from the segment when its file is missing or damaged. */
  SegmentIndex index(LogSegment segment) throws IOException {
    return LogReads.index(context, segment);
  }
}
