package io.sluice.tablet.flight;

import io.sluice.format.batch.LogBatchHeader;
import io.sluice.tablet.replica.BatchCursor;
import io.sluice.tablet.replica.Replica;
import org.jspecify.annotations.Nullable;

/**
 * One bucket of a scan: where it stands and what of the current batch is wanted. Owned by the
 * scan's thread of the moment.
 */
final class BucketReader implements AutoCloseable {
  private final Replica replica;
  private final long end;
  private @Nullable BatchCursor cursor;
  private long position;
  private boolean finished;
  // Whether rows of the cursor's batch were delivered and others are still wanted.
  private boolean within;
  private boolean skipped;
  private long reportedPosition = -1;
  private long reportedVisible = -1;

  BucketReader(ScanPlan.Range range) {
    this.replica = range.replica();
    this.position = range.start();
    this.end = range.end();
    this.finished = position >= end;
  }

  Replica replica() {
    return replica;
  }

  /** The offset after the last row delivered or skipped. */
  long position() {
    return position;
  }

  boolean finished() {
    return finished;
  }

  /**
   * Moves to the next batch with a wanted row, which may be the one it stands on; reads files.
   *
   * @return false when there is none now: the range is finished, or what follows is not visible yet
   */
  boolean next() {
    if (finished) {
      return false;
    }
    if (within) {
      within = false;
      return true;
    }
    BatchCursor open = cursor;
    if (open == null) {
      open = replica.openCursor(position);
      cursor = open;
    }
    while (true) {
      long visible = replica.offsets().visible();
      if (!open.next(visible)) {
        // A hole may reach up to the visible end: then there is nothing left below it.
        if (visible >= end) {
          finish();
        }
        return false;
      }
      LogBatchHeader header = open.header();
      if (header.baseOffset() >= end) {
        finish();
        return false;
      }
      if (header.recordCount() > 0 && header.nextOffset() > position) {
        return true;
      }
      position = Math.max(position, header.nextOffset());
    }
  }

  /** The cursor, standing on the batch that {@link #next} found. */
  BatchCursor cursor() {
    if (cursor == null) {
      throw new IllegalStateException("There is no current batch");
    }
    return cursor;
  }

  /** First wanted row of the current batch. */
  int fromRow() {
    return (int) Math.max(0, position - cursor().header().baseOffset());
  }

  /** Row after the last one of the current batch that lies in the range. */
  int toRow() {
    LogBatchHeader header = cursor().header();
    return (int) Math.min(header.recordCount(), end - header.baseOffset());
  }

  /** Says that the rows before that offset were delivered, as far as they are wanted. */
  void delivered(long nextOffset) {
    moveTo(nextOffset);
    reported(replica.offsets().visible());
  }

  /** Says that no row before that offset is wanted. */
  void skipped(long nextOffset) {
    moveTo(nextOffset);
    skipped = true;
  }

  private void moveTo(long nextOffset) {
    position = nextOffset;
    if (position >= end) {
      finish();
    } else {
      within = position < cursor().header().nextOffset();
    }
  }

  /** Whether rows were skipped that the reader has not been told of. */
  boolean hasSkipped() {
    return skipped;
  }

  /** Whether a reader that wants progress has not been told of this position and visible end. */
  boolean progressed(long visible) {
    return position != reportedPosition || visible != reportedVisible;
  }

  /** Says that the reader has been told. */
  void reported(long visible) {
    reportedPosition = position;
    reportedVisible = visible;
    skipped = false;
  }

  private void finish() {
    finished = true;
    close();
  }

  @Override
  public void close() {
    if (cursor != null) {
      cursor.close();
      cursor = null;
    }
  }
}
