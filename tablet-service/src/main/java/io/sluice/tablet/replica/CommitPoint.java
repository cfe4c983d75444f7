package io.sluice.tablet.replica;

import org.jspecify.annotations.Nullable;

/**
 * How far a replica's log is committed, and how far readers see it: {@code visible ≤ committed ≤
 * log end}. For primary-key tables readers see what is in the rows too. Changed by the shard's
 * thread, read by any.
 */
final class CommitPoint {
  private final LocalReplica replica;
  private final @Nullable RowsProgress rows;
  private volatile long committed;
  private volatile long visible;

  /**
   * @param rows brings the rows of a primary-key bucket up to what is committed
   * @param committed as far as this server knows at its start
   */
  CommitPoint(LocalReplica replica, @Nullable RowsProgress rows, long committed, long visible) {
    this.replica = replica;
    this.rows = rows;
    this.committed = committed;
    this.visible = visible;
  }

  long committed() {
    return committed;
  }

  long visible() {
    return visible;
  }

  /** Everything below the offset is committed; shows it to readers, and answers who waited. */
  void advanceTo(long offset) {
    if (offset > committed) {
      committed = offset;
    }
    show();
  }

  /** Shows readers what the rows have by now. */
  void show() {
    long reached = committed;
    long seen = rows == null ? reached : Math.min(reached, rows.apply(reached));
    // Rows that are being restored are behind what was visible already.
    if (seen <= visible) {
      return;
    }
    visible = seen;
    replica.puts().succeedBelow(seen);
    replica.news().forReaders();
  }

  /** The log was cut: nothing behind its new end is there any more. */
  void cutTo(long end) {
    visible = Math.min(visible, end);
    committed = Math.min(committed, end);
  }

  /** The log begins anew at an offset, below which all is committed. */
  void restartAt(long start) {
    committed = start;
    visible = start;
  }
}
