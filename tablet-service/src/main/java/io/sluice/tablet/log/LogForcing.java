package io.sluice.tablet.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings a log to the disk and saves what makes the next start short: index and writer state of
 * sealed segments, and of the active one up to a checkpoint. One thread at a time works on the
 * disk: the housekeeper, and one that must have the log there before it writes rows. The log's
 * owner hands over checkpoints and does not wait, but for taking back a part of the log, which must
 * not happen while it is forced: see {@link LogRewriting}, which holds this object's monitor.
 */
final class LogForcing {
  private static final int CHECKPOINT_BYTES = 32 << 20;

  private final FileOpener files;
  private final SegmentList segments;
  private final WriterSnapshots snapshots;
  private volatile long forcedOffset;
  private volatile @Nullable Checkpoint checkpoint;
  // End of what index files and writer snapshots tell, and where in its segment that is.
  private long savedEnd;
  private long savedBytes;
  private long lastSeenEnd = -1;

  /** What is to be saved of an active segment once it is forced so far. */
  private record Checkpoint(LogSegment segment, SegmentIndexFile.Part part, ByteBuffer writers) {}

  LogForcing(FileOpener files, SegmentList segments, LogState state) {
    this.files = files;
    this.segments = segments;
    this.snapshots = state.snapshots();
    this.forcedOffset = state.forcedOffset();
    this.savedEnd = state.savedEnd();
  }

  /** End of what is forced to disk. For anybody. */
  long forcedOffset() {
    return forcedOffset;
  }

  /** Whether {@link #force} has something to do. */
  boolean isNeeded() {
    LogSegments current = segments.current();
    return forcedOffset < current.storedEnd() || checkpoint != null || current.hasPendingSeal();
  }

  /**
   * Forces all that is stored now.
   *
   * @return whether a segment was sealed
   */
  synchronized boolean force() throws IOException {
    Checkpoint taken = checkpoint;
    LogSegments current = segments.current();
    long end = current.storedEnd();
    boolean sealed = false;
    for (int i = 0; i < current.size() - 1; i++) {
      LogSegment segment = current.at(i);
      LogSegment.Seal seal = segment.pendingSeal();
      if (seal != null) {
        segment.force(files);
        sealed |= save(segment, seal);
      }
    }
    if (forcedOffset < end) {
      current.active().force(files);
      forcedOffset = end;
    }
    if (taken != null) {
      checkpoint = null;
      save(taken, current.active());
    }
    return sealed;
  }

  /**
   * Saves what belongs to a sealed segment, writers first: a segment with an index file is done.
   * Without space that waits, as what is in the segment itself is on the disk.
   */
  private boolean save(LogSegment segment, LogSegment.Seal seal) throws IOException {
    try {
      snapshots.save(seal.writersOffset(), seal.writers(), segments.current()::begins);
      segment.saveIndex(files);
    } catch (IOException e) {
      if (DurableFiles.isOutOfSpace(e)) {
        return false;
      }
      throw e;
    }
    segment.sealed();
    segment.unloadIndex();
    return true;
  }

  /** Without space, or when the log is beyond it already, the next checkpoint has to do. */
  private void save(Checkpoint taken, LogSegment active) throws IOException {
    SegmentIndexFile.Head head = taken.part().head();
    if (taken.segment() != active || head.endOffset() > forcedOffset) {
      return;
    }
    try {
      snapshots.save(head.endOffset(), taken.writers(), segments.current()::begins);
      SegmentIndexFile.write(files, active.indexPath(), taken.part());
    } catch (IOException e) {
      if (DurableFiles.isOutOfSpace(e)) {
        return;
      }
      throw e;
    }
    savedEnd = head.endOffset();
    savedBytes = head.logBytes();
  }

  /** See {@link BucketLog#trim}. */
  synchronized @Nullable Trimmed trim(long beforeMs, long belowOffset) throws IOException {
    return segments.trim(beforeMs, Math.min(belowOffset, forcedOffset));
  }

  /** See {@link BucketLog#wantsCheckpoint}. */
  synchronized boolean wantsCheckpoint(long end) {
    LogSegment active = segments.current().active();
    long known = savedEnd > active.baseOffset() ? savedBytes : 0;
    boolean idle = end == lastSeenEnd;
    lastSeenEnd = end;
    return !active.isEmpty()
        && savedEnd < end
        && (idle || active.size() - known > CHECKPOINT_BYTES);
  }

  /** See {@link BucketLog#takeCheckpoint}. By the log's owner. */
  void takeCheckpoint(ByteBuffer writers) {
    LogSegment active = segments.current().active();
    if (active.hasIndex() && !active.isEmpty()) {
      checkpoint = new Checkpoint(active, active.part(), writers);
    }
  }

  /** Saves index and writer state as of the end of a log that is forced and stands still. */
  synchronized void saveAll(long end, WriterStates writers) throws IOException {
    LogSegment active = segments.current().active();
    if (!active.isEmpty() && savedEnd < end) {
      snapshots.save(end, writers.snapshot(end), segments.current()::begins);
      active.saveIndex(files);
    }
  }

  /**
   * Says that nothing at and above an offset is on the disk for sure, nor told by index files and
   * writer snapshots; before that is made true. Checkpoints that were handed over are dropped.
   *
   * @param activeBase base of what will be the active segment
   */
  synchronized void lowerTo(long offset, long activeBase) {
    checkpoint = null;
    forcedOffset = Math.min(forcedOffset, offset);
    savedEnd = Math.min(savedEnd, Math.min(offset, activeBase));
    savedBytes = 0;
    lastSeenEnd = -1;
  }

  /** The same for a log that begins anew at an offset: all below it counts as forced. */
  synchronized void startAnew(long offset) {
    lowerTo(offset, offset);
    forcedOffset = offset;
  }

  /** See {@link BucketLog#beginning}: the writers and the times; the epochs are the log's. */
  synchronized LogBeginning beginning(EpochHistory epochs) throws IOException {
    long start = segments.current().at(0).baseOffset();
    List<EpochHistory.Start> below =
        epochs.starts().stream().filter(each -> each.startOffset() < start).toList();
    ByteBuffer writers = snapshots.loadFirst(start).snapshot(start);
    return new LogBeginning(start, writers, segments.start().lastTimeMs(), below);
  }
}
