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
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The log of one bucket. One thread, its owner, appends, starts epochs, asks for writers, cuts and
 * begins anew; another one forces; any thread reads offsets, opens cursors and reads batches. No
 * lock is held across I/O, but that the log is not cut while it is forced.
 */
public final class BucketLog {
  private final LogContext context;
  private final TableBucket bucket;
  private final LogPath path;
  private final WriterStates writers;
  private final LeaderEpochs epochs;
  private final SegmentList segments;
  private final LogTail tail;
  private final LogForcing forcing;
  private final LogAppender appender;
  private final LogRewriting rewriting;
  private final AtomicInteger cursors = new AtomicInteger();

  private BucketLog(
      LogContext context, TableBucket bucket, LogPath path, LogState state, RecoveryPoints points) {
    FileOpener files = context.platform().files();
    this.context = context;
    this.bucket = bucket;
    this.path = path;
    this.writers = state.writers();
    this.epochs = state.epochs();
    this.segments = new SegmentList(files, state.segments(), state.start(), state.snapshots());
    this.tail = new LogTail(segments().active().endOffset(), state.lastTimeMs());
    this.forcing = new LogForcing(files, segments, state);
    this.appender = new LogAppender(context, bucket, path, state, segments, tail);
    this.rewriting =
        new LogRewriting(context, bucket, path, state, segments, forcing, tail, points);
  }

  /**
   * Opens the log in a directory that exists, recovering what a crash left; a new one is empty.
   *
   * @param recoveryPoint offset below which everything was forced to disk
   * @throws SluiceException CORRUPT_STORAGE when something below the recovery point is damaged,
   *     STORAGE_ERROR when files cannot be read or written
   */
  static BucketLog open(
      LogContext context,
      Path directory,
      TableBucket bucket,
      long recoveryPoint,
      RecoveryPoints points) {
    LogPath path = new LogPath(directory);
    try {
      LogState state = new LogRecovery(context, path, bucket, recoveryPoint).recover();
      return new BucketLog(context, bucket, path, state, points);
    } catch (IOException e) {
      throw failure("Cannot open the log of " + bucket + " in " + directory, e);
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
    return write("append to", () -> appender.append(header, sections, leaderEpoch));
  }

  /**
   * What is wrong with stored batches that a leader has sent: header checksum and shape, content
   * checksum, the checksum of each body buffer, padding, offsets that do not follow one another,
   * epochs that fall.
   *
   * @param batches whole batches back to back; left as it is
   * @param firstOffset where the first one must begin: the log end, or behind a hole
   * @param lastEpoch epoch that none may be older than: that of the record before
   * @throws SluiceException CORRUPT_BATCH naming the offset and what is wrong
   */
  public static void check(ByteBuffer batches, long firstOffset, int lastEpoch) {
    ReplicatedBatches.check(batches, firstOffset, lastEpoch);
  }

  /**
   * Stores batches of the leader as they are; {@link #check} has found them good. A batch of an
   * epoch that is new here starts it; epochs that were started here and stored nothing give way.
   * When the first batch begins behind the log end, and in a newer epoch than the last record's,
   * the offsets between are a hole, see {@link #jumpTo}: the epoch starts below it. Owner only.
   *
   * @param batches whole batches back to back; its position moves behind what was stored
   * @return the log end
   * @throws SluiceException STORAGE_ERROR or DISK_FULL when not all were stored; the log end says
   *     how many, {@link #broken()} whether the log can go on. CORRUPT_BATCH when the batches do
   *     not follow the log end
   */
  public long appendReplicated(ByteBuffer batches) {
    return write(
        "append to",
        () -> {
          while (batches.hasRemaining()) {
            rewriting.passHole(ReplicatedBatches.header(batches));
            appender.appendStored(batches);
          }
          return endOffset();
        });
  }

  /**
   * Takes back what lies at and above an offset, and the batch that holds it: the leader has
   * something else there, or nothing. Cursors behind the cut fail with OFFSET_OUT_OF_RANGE, others
   * go on. Waits while the log is being forced. Owner only.
   *
   * @return the log end, which is not changed when it is at or below the offset; the log start at
   *     least
   * @throws SluiceException STORAGE_ERROR or CORRUPT_STORAGE; {@link #broken()} says whether the
   *     log can go on
   */
  public long cutTo(long offset) {
    return write("cut", () -> rewriting.cutTo(offset));
  }

  /**
   * Gives up everything and begins as the leader's log does, or with nothing at all. Cursors fail
   * with OFFSET_OUT_OF_RANGE. Waits while the log is being forced. Owner only.
   *
   * @throws SluiceException CORRUPT_BATCH when the writer states are no snapshot, nothing was
   *     changed then; STORAGE_ERROR or DISK_FULL, {@link #broken()} says whether the log can go on
   */
  public void startAnew(LogBeginning beginning) {
    write(
        "begin anew",
        () -> {
          rewriting.startAnew(beginning);
          return endOffset();
        });
  }

  /**
   * Has the next record at an offset above the log end: those between belong to records that are
   * lost here and may have been seen elsewhere. Everything below is forced first. The hole belongs
   * to the epoch that was started before, and is kept by the first batch behind it: a start finds
   * the old log end as long as there is none. Waits while the log is being forced. Owner only.
   *
   * @throws SluiceException STORAGE_ERROR or DISK_FULL; {@link #broken()} says whether the log can
   *     go on
   */
  public void jumpTo(long offset) {
    write(
        "leave out offsets of",
        () -> {
          rewriting.jumpTo(offset);
          return endOffset();
        });
  }

  private interface Writing {
    long run() throws IOException;
  }

  private long write(String what, Writing writing) {
    if (broken()) {
      throw tail.refusal(bucket);
    }
    try {
      return writing.run();
    } catch (BrokenSegmentException e) {
      tail.breakDown();
      throw tail.failed(failure("Cannot " + what + " the log of " + bucket, e));
    } catch (IOException e) {
      throw tail.failed(failure("Cannot " + what + " the log of " + bucket, e));
    }
  }

  /** Seals segments at the next append once their first batch is older than this. */
  public void rollAfter(long ageMs) {
    appender.rollAfter(ageMs);
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
    if (!broken() && isIdleSince(beforeMs)) {
      write("append to", () -> appender.roll(context.platform().time().epochMs()).baseOffset());
    }
  }

  /** Whether the active segment holds something, all of it below the offset. */
  public boolean isActiveBelow(long offset) {
    return !segments().active().isEmpty() && endOffset() <= offset;
  }

  /**
   * Seals the active segment when all in it lies below an offset, so that {@link #trimTo} can
   * delete it. Goes by the times of the log, as those who follow do. Owner only.
   */
  public void rollBelow(long offset) {
    if (!broken() && isActiveBelow(offset)) {
      write("append to", () -> appender.roll(lastTimeMs()).baseOffset());
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

  /**
   * Deletes the sealed segments that lie wholly below an offset and are forced: those who follow do
   * not decide by themselves what is too old. Like {@link #trim}; the housekeeper only.
   */
  public @Nullable Trimmed trimTo(long offset) {
    return trim(Long.MAX_VALUE, offset);
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
    return epochs.lead(bucket, epoch, endOffset());
  }

  /** The newest leader epoch, 0 when there was none. */
  public int lastEpoch() {
    return epochs().lastEpoch();
  }

  /** The leader epochs and where they begin. */
  public EpochHistory epochs() {
    return epochs.history();
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
      return forcing.force();
    } catch (IOException e) {
      throw storageError("Cannot force the log of " + bucket + " to disk", e);
    }
  }

  /** Whether {@link #force} has something to do. */
  public boolean needsForce() {
    return forcing.isNeeded();
  }

  /**
   * Whether a checkpoint is worth its writes: the active segment has grown much since the last one,
   * or has not grown since the last call. The housekeeper only.
   */
  public boolean wantsCheckpoint() {
    return forcing.wantsCheckpoint(endOffset());
  }

  /**
   * Notes how far the log is. The next {@link #force} saves that as index and writer state of the
   * active segment, so that a start after a crash reads only what came later. Owner only.
   */
  public void takeCheckpoint() {
    forcing.takeCheckpoint(writers.snapshot(endOffset()));
  }

  /**
   * Forces everything and saves index and writer state, so that the next start needs no scan. After
   * the owner and the forcing thread have stopped.
   */
  public void closeCleanly() {
    force();
    try {
      forcing.saveAll(endOffset(), writers);
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

  /**
   * Whole stored batches, for those who follow this log: from the one that begins at an offset on,
   * or the first one behind a hole that the offset lies in. They are read with one read of the file
   * and not checked, but for the headers that lead there. On any thread.
   *
   * @param maxBytes of all; one batch is read however large it is
   * @param memory asked for a buffer of so many bytes, and again when the first batch alone is
   *     larger or the log is cut meanwhile; then the buffer before is not used any more
   * @return the buffer with the batches from its position to its limit; at the log end an empty
   *     one, for which nobody is asked
   * @throws SluiceException OFFSET_OUT_OF_RANGE when the offset was deleted, cut or lies behind the
   *     log end, or no batch begins there; CORRUPT_STORAGE or STORAGE_ERROR
   */
  public ByteBuffer read(long offset, int maxBytes, IntFunction<ByteBuffer> memory) {
    return LogReads.batches(this, offset, maxBytes, memory);
  }

  /** As {@link #read(long, int, IntFunction)}, into memory of its own. */
  public ByteBuffer read(long offset, int maxBytes) {
    return read(offset, maxBytes, ByteBuffer::allocate);
  }

  /** How this log begins, for one that is to begin as it does. Reads a file; on any thread. */
  public LogBeginning beginning() {
    try {
      return forcing.beginning(epochs());
    } catch (IOException e) {
      throw storageError("Cannot read how the log of " + bucket + " begins", e);
    }
  }

  /** A failed write: DISK_FULL when there was no space, else STORAGE_ERROR. */
  static SluiceException failure(String what, IOException e) {
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
    return tail.endOffset();
  }

  /** End of what is forced to disk. */
  public long forcedOffset() {
    return forcing.forcedOffset();
  }

  /** Append time of the last batch, 0 when there is none. */
  public long lastTimeMs() {
    return tail.lastTimeMs();
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
    return tail.broken();
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

  /** Changes when segments that readers hold are taken back; see {@link LogTail#rewriting}. */
  int rewrites() {
    return tail.rewrites();
  }

  /** Changes when the log begins anew. */
  int beginnings() {
    return tail.beginnings();
  }

  /** The index of a segment, rebuilt from the segment when its file is missing or damaged. */
  SegmentIndex index(LogSegment segment) throws IOException {
    return LogReads.index(context, segment);
  }
}
