package io.sluice.tablet.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Brings a log to the disk and saves what makes the next start short: index and writer state of
 * sealed segments, and of the active one up to a checkpoint. One thread at a time works on the
 * disk: the housekeeper, and one that must have the log there before it writes rows. The log's
 * owner hands over checkpoints and never waits.
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

  /** Whether {@link #force} has something to do for a log of that end. */
  boolean isNeeded(long end) {
    return forcedOffset < end || checkpoint != null || segments.current().hasPendingSeal();
  }

  /**
   * Forces all below the end.
   *
   * @param end an end of the log, read before this call
   * @return whether a segment was sealed
   */
  synchronized boolean force(long end) throws IOException {
    Checkpoint taken = checkpoint;
    // Everything below the end is in the segments read after it.
    LogSegments current = segments.current();
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
      snapshots.save(seal.writersOffset(), seal.writers());
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
      snapshots.save(head.endOffset(), taken.writers());
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
      snapshots.save(end, writers.snapshot(end));
      active.saveIndex(files);
    }
  }
}
