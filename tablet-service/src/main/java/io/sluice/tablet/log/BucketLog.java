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
  private static final int MAX_BUFFERS = 16;

  private final LogContext context;
  private final TableBucket bucket;
  private final LogPath path;
  private final WriterStates writers;
  private final LeaderEpochs epochs;
  private final WriterSnapshots snapshots;
  private final AtomicInteger cursors = new AtomicInteger();
  // Of the owner: one put at a time is written.
  private final ByteBuffer[] gather = new ByteBuffer[MAX_BUFFERS];
  private final ByteBuffer padding = ByteBuffer.allocate(LogBatchHeader.ALIGNMENT);

  private volatile LogSegments segments;
  private volatile long endOffset;
  private volatile long forcedOffset;
  private volatile long lastTimeMs;
  private volatile boolean broken;

  private BucketLog(LogContext context, TableBucket bucket, LogPath path, LogState state) {
    this.context = context;
    this.bucket = bucket;
    this.path = path;
    this.writers = state.writers();
    this.epochs = state.epochs();
    this.snapshots = state.snapshots();
    this.segments = new LogSegments(state.segments());
    this.endOffset = segments.active().endOffset();
    this.forcedOffset = state.forcedOffset();
    this.lastTimeMs = segments.lastTimeMs();
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
      LogSegment active = segments.active();
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
            || nowMs - active.firstTimeMs() > config.segmentAgeMs()
            || active.indexEntries() >= config.indexEntries()
            || endOffset + header.offsetCount() - active.baseOffset() > Integer.MAX_VALUE);
  }

  /** Starts a new segment; the old one is forced and its index saved by {@link #force}. */
  private LogSegment roll(long nowMs) throws IOException {
    LogSegment old = segments.active();
    LogSegment fresh =
        LogSegment.create(
            context.files(),
            context.platform().files(),
            path,
            new SegmentHeader(context.clusterId(), bucket, endOffset));
    writers.expire(nowMs - context.config().writerExpiryMs());
    old.seal(new LogSegment.Seal(writers.snapshot(endOffset)));
    segments = segments.with(fresh);
    return fresh;
  }

  private SluiceException writeFailed(IOException e) {
    String text = String.valueOf(e.getMessage());
    ErrorCode code =
        text.contains("No space left on device") ? ErrorCode.DISK_FULL : ErrorCode.STORAGE_ERROR;
    return new SluiceException(code, "Cannot append to the log of " + bucket + ": " + text, e);
  }

  /**
   * Records that a leader of this epoch takes over at the log end, forced before this returns.
   * Owner only.
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
    try {
      epochs.start(epoch, endOffset);
    } catch (IOException e) {
      throw storageError("Cannot save the leader epochs of " + bucket, e);
    }
    return endOffset;
  }

  /** The newest leader epoch, 0 when there was none. Owner only. */
  public int lastEpoch() {
    LeaderEpochs.Entry last = epochs.last();
    return last == null ? 0 : last.epoch();
  }

  /**
   * Forces what is written to disk, then saves index and writer state of sealed segments. One
   * thread at a time; appends go on meanwhile.
   *
   * @return whether a segment was sealed, so that its recovery point is worth saving
   * @throws SluiceException STORAGE_ERROR; what was written since the last call may be lost, so the
   *     replica must not go on
   */
  public boolean force() {
    // Everything below this end is in the segments read after it.
    long end = endOffset;
    LogSegments current = segments;
    FileOpener opener = context.platform().files();
    boolean sealed = false;
    try {
      for (int i = 0; i < current.size() - 1; i++) {
        LogSegment segment = current.at(i);
        LogSegment.Seal seal = segment.pendingSeal();
        if (seal != null) {
          segment.force(opener);
          segment.saveIndex(opener);
          ByteBuffer snapshot = seal.writers();
          if (snapshot != null) {
            snapshots.save(segment.endOffset(), snapshot);
          }
          segment.sealed();
          segment.unloadIndex();
          sealed = true;
        }
      }
      if (forcedOffset < end) {
        current.active().force(opener);
        forcedOffset = end;
      }
    } catch (IOException e) {
      throw storageError("Cannot force the log of " + bucket + " to disk", e);
    }
    return sealed;
  }

  /** Whether {@link #force} has something to do. */
  public boolean needsForce() {
    return forcedOffset < endOffset || segments.hasPendingSeal();
  }

  /**
   * Forces everything and saves index and writer state, so that the next start needs no scan. After
   * the owner and the forcing thread have stopped.
   */
  public void closeCleanly() {
    force();
    FileOpener opener = context.platform().files();
    try {
      LogSegment active = segments.active();
      active.force(opener);
      snapshots.save(endOffset, writers.snapshot(endOffset));
      active.saveIndex(opener);
    } catch (IOException e) {
      throw storageError("Cannot close the log of " + bucket, e);
    }
    close();
  }

  /** Closes the files as they are; cursors keep what they read. */
  public void close() {
    segments.close();
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
    try {
      return LogCursor.at(this, offset);
    } catch (IOException e) {
      throw storageError("Cannot read the log of " + bucket + " at offset " + offset, e);
    }
  }

  /** The first offset stored at or after the time, the log end when there is none. */
  public long offsetForTime(long epochMs) {
    LogSegment segment = segments.firstNotBefore(epochMs);
    if (segment == null) {
      return endOffset;
    }
    try (LogCursor cursor = LogCursor.atTime(this, segment, epochMs)) {
      return cursor.nextOffset();
    } catch (IOException e) {
      throw storageError("Cannot read the log of " + bucket + " by time", e);
    }
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
    return segments.at(0).baseOffset();
  }

  /** Offset after the last record. */
  public long endOffset() {
    return endOffset;
  }

  /** End of what is forced to disk. */
  public long forcedOffset() {
    return forcedOffset;
  }

  /** Append time of the last batch, 0 when there is none. */
  public long lastTimeMs() {
    return lastTimeMs;
  }

  /** Bytes of all segments. */
  public long sizeBytes() {
    return segments.sizeBytes();
  }

  /** Number of segments. */
  public int segmentCount() {
    return segments.size();
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
    return segments;
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
