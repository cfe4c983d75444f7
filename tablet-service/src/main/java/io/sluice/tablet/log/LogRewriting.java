package io.sluice.tablet.log;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.LogBatchHeader;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a log does other than grow: it is cut back to what the leader has, begins anew, or leaves
 * offsets out. Of the log's owner; {@link LogForcing} stands still meanwhile.
 *
 * <p>Each of them is safe at every step: first the recovery point is lowered, so that what comes is
 * not taken for damage; then readers are told; then go the files that prove that the old content
 * was on the disk, forced; then the content. Until the last step a start finds the old log or its
 * first part, and the leader is asked again.
 */
final class LogRewriting {
  private static final Logger log = LoggerFactory.getLogger(LogRewriting.class);

  private final LogContext context;
  private final FileOpener opener;
  private final TableBucket bucket;
  private final LogPath path;
  private final WriterStates writers;
  private final LeaderEpochs epochs;
  private final WriterSnapshots snapshots;
  private final LogHoles holes;
  private final LogStart start;
  private final SegmentList segments;
  private final LogForcing forcing;
  private final LogTail tail;
  private final RecoveryPoints points;

  LogRewriting(
      LogContext context,
      TableBucket bucket,
      LogPath path,
      LogState state,
      SegmentList segments,
      LogForcing forcing,
      LogTail tail,
      RecoveryPoints points) {
    this.context = context;
    this.opener = context.platform().files();
    this.bucket = bucket;
    this.path = path;
    this.writers = state.writers();
    this.epochs = state.epochs();
    this.snapshots = state.snapshots();
    this.holes = state.holes();
    this.start = state.start();
    this.segments = segments;
    this.forcing = forcing;
    this.tail = tail;
    this.points = points;
  }

  private interface Change {
    void run() throws IOException;
  }

  /** Makes a change that must not stop half-way; if it does, nothing more may be written. */
  private void wholly(Change change) throws IOException {
    boolean done = false;
    try {
      change.run();
      done = true;
    } finally {
      if (!done) {
        tail.breakDown();
      }
      tail.rewritten();
    }
  }

  /** See {@link BucketLog#cutTo}. */
  long cutTo(long offset) throws IOException {
    synchronized (forcing) {
      LogSegments before = segments.current();
      long wanted = Math.max(offset, before.at(0).baseOffset());
      if (wanted >= tail.endOffset()) {
        return tail.endOffset();
      }
      int at = before.positionOf(wanted);
      LogBoundary end = boundary(before.at(at), wanted);
      if (at > 0 && end.position() == SegmentHeader.SIZE && isBehindHole(before.at(at))) {
        // Nothing is left behind the hole, so there is none.
        at--;
        end = boundary(before.at(at), wanted);
      }
      cut(before, at, end);
      return end.offset();
    }
  }

  private boolean isBehindHole(LogSegment segment) {
    return holes.endBelow(segment.baseOffset()) != segment.baseOffset();
  }

  private LogBoundary boundary(LogSegment segment, long offset) throws IOException {
    return offset >= segment.endOffset()
        ? new LogBoundary(segment.size(), segment.endOffset(), segment.lastTimeMs())
        : LogBoundary.below(opener, segment, LogReads.index(context, segment), offset);
  }

  /** Cuts the log at that place of its segment {@code at}, which becomes the active one. */
  private void cut(LogSegments before, int at, LogBoundary end) throws IOException {
    LogSegment cut = before.at(at);
    LogSegment active =
        cut.successor(end.position(), end.offset(), end.timeMs(), LogReads.index(context, cut));
    WriterSnapshots.Loaded base = snapshots.load(end.offset(), before.at(0).baseOffset());
    long from = tail.endOffset();
    forcing.lowerTo(end.offset(), cut.baseOffset());
    points.lower(end.offset(), forcing::forcedOffset);
    wholly(
        () -> {
          tail.set(end.offset(), tail.lastTimeMs());
          segments.replaceFrom(at, active);
          tellReaders(before, at, new LogSegment.Cut(end.offset(), active));
          forgetProofs(before, at, end.offset());
          holes.cutTo(end.offset());
          removeBehind(before, at, active);
          epochs.cutTo(end.offset());
          resetWriters(base);
          tail.set(end.offset(), lastTimeMs());
        });
    log.debug("Cut the log of {} from offset {} back to {}", bucket, from, end.offset());
  }

  private void tellReaders(LogSegments before, int from, LogSegment.Cut cut) {
    for (int i = from; i < before.size(); i++) {
      before.at(i).cut(cut);
    }
    tail.rewriting();
  }

  /** An index or a writer snapshot says that what it tells of is on the disk. */
  private void forgetProofs(LogSegments before, int at, long end) throws IOException {
    boolean any = snapshots.cutTo(end);
    for (int i = before.size() - 1; i >= at; i--) {
      any |= opener.delete(before.at(i).indexPath());
    }
    if (any) {
      DurableFiles.forceDirectory(opener, path.get());
    }
  }

  /** The newest first: what a stop leaves is the log's first part. */
  private void removeBehind(LogSegments before, int at, LogSegment active) throws IOException {
    for (int i = before.size() - 1; i > at; i--) {
      before.at(i).delete(opener);
    }
    before.at(at).close();
    active.truncate();
    if (at < before.size() - 1) {
      // A power loss must not bring them back beside what is stored in their place.
      DurableFiles.forceDirectory(opener, path.get());
    }
  }

  private void resetWriters(WriterSnapshots.Loaded base) throws IOException {
    LogSegments current = segments.current();
    for (int i = 0; i < current.size(); i++) {
      WriterReplay.replay(opener, current.at(i), base.offset(), base.states());
    }
    writers.become(base.states());
    long end = tail.endOffset();
    for (int i = 0; i < current.size() - 1; i++) {
      LogSegment.Seal seal = current.at(i).pendingSeal();
      if (seal != null && seal.writersOffset() > end) {
        current.at(i).seal(new LogSegment.Seal(end, writers.snapshot(end)));
      }
    }
  }

  private long lastTimeMs() {
    return Math.max(segments.current().lastTimeMs(), start.point().lastTimeMs());
  }

  /** See {@link BucketLog#startAnew}. */
  void startAnew(LogBeginning beginning) throws IOException {
    WriterStates states = WriterStates.received(beginning.writers());
    long offset = beginning.offset();
    synchronized (forcing) {
      LogSegments before = segments.current();
      long end = tail.endOffset();
      forcing.lowerTo(offset, offset);
      points.lower(offset, forcing::forcedOffset);
      StartAnew anew = new StartAnew(opener, path);
      save(anew, beginning);
      LogSegment fresh = LogSegment.empty(context.files(), path, offset);
      wholly(
          () -> {
            tail.set(offset, beginning.lastTimeMs());
            tail.begunAnew();
            tellReaders(before, 0, new LogSegment.Cut(-1, fresh));
            before.close();
            SegmentHeader header = new SegmentHeader(context.clusterId(), bucket, offset);
            anew.finish(beginning, fresh, header, start, epochs, snapshots);
            // Not before its file is there: a reader would find the old one of the same name.
            segments.replaceFrom(0, fresh);
            holes.clear();
            writers.become(states);
            forcing.startAnew(offset);
          });
      log.debug("The log of {} that ended at {} begins anew at offset {}", bucket, end, offset);
    }
  }

  /** Once the file has its name the next start drops the old log: nothing more may go into it. */
  private void save(StartAnew anew, LogBeginning beginning) throws IOException {
    boolean saved = false;
    try {
      anew.save(beginning);
      saved = true;
    } finally {
      if (!saved && anew.exists()) {
        tail.breakDown();
      }
    }
  }

  /**
   * Leaves out the offsets before a batch of the leader that begins behind the log end. The hole is
   * one that a new leader has made: it belongs to the batch's epoch.
   *
   * @throws SluiceException CORRUPT_BATCH when the batch's epoch is not a new one
   */
  void passHole(LogBatchHeader first) throws IOException {
    long end = tail.endOffset();
    if (first.baseOffset() <= end) {
      return;
    }
    if (first.leaderEpoch() <= epochs.history().epochBefore(end)) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BATCH,
          "What lies before offset "
              + first.baseOffset()
              + " of "
              + bucket
              + " is missing: the log ends at "
              + end
              + ", and both are of epoch "
              + first.leaderEpoch());
    }
    epochs.storing(first.leaderEpoch(), end);
    jumpTo(first.baseOffset());
  }

  /** See {@link BucketLog#jumpTo}. */
  void jumpTo(long offset) throws IOException {
    synchronized (forcing) {
      if (offset <= tail.endOffset()) {
        return;
      }
      forceBelowHole();
      LogSegments before = segments.current();
      LogSegment last = before.active();
      long from = before.storedEnd();
      boolean replaced = last.isEmpty() && before.size() > 1;
      LogSegment fresh = createBehindHole(from, offset);
      wholly(
          () -> {
            if (replaced) {
              replace(before, last, fresh);
            } else {
              last.seal(new LogSegment.Seal(offset, writers.snapshot(offset)));
              segments.add(fresh);
            }
            tail.set(offset, tail.lastTimeMs());
          });
      log.debug("The log of {} has no records from offset {} to {}", bucket, from, offset);
    }
  }

  /** What lies below a hole is on the disk, so that a lost part of it is never part of the hole. */
  private void forceBelowHole() throws IOException {
    boolean done = false;
    try {
      forcing.force();
      done = true;
    } finally {
      if (!done) {
        // What the kernel dropped cannot be known.
        tail.breakDown();
      }
    }
  }

  /**
   * Records a hole and makes the segment behind it. When there is no space for one of them the log
   * is as it was, and both can be done again: a hole that no segment is behind says nothing.
   */
  private LogSegment createBehindHole(long from, long offset) throws IOException {
    boolean usable = false;
    try {
      holes.add(from, offset);
      SegmentHeader header = new SegmentHeader(context.clusterId(), bucket, offset);
      LogSegment fresh = LogSegment.create(context.files(), opener, path, header);
      usable = true;
      return fresh;
    } catch (IOException e) {
      usable = DurableFiles.isOutOfSpace(e);
      throw e;
    } finally {
      if (!usable) {
        tail.breakDown();
      }
    }
  }

  /** An empty segment is no longer needed; it would be in the way of the hole. */
  private void replace(LogSegments before, LogSegment empty, LogSegment fresh) throws IOException {
    segments.replaceFrom(before.size() - 1, fresh);
    tellReaders(before, before.size() - 1, new LogSegment.Cut(empty.baseOffset(), fresh));
    empty.delete(opener);
    DurableFiles.forceDirectory(opener, path.get());
  }
}
