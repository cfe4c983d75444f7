package io.sluice.tablet.replica;

import io.sluice.common.SluiceException;
import io.sluice.common.TableOptions;
import io.sluice.tablet.log.BucketLog;
import io.sluice.tablet.log.Trimmed;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How long the log of one replica is kept. Segments go when their newest batch was stored longer
 * ago than the table's {@code table.log.ttl}, by this server's clock and the append times it gave
 * out, whatever the rows say of themselves. A table that is copied to the lake keeps everything: no
 * tablet knows yet how far its copy is.
 *
 * <p>{@link #table} is called by who follows the coordinator, {@link #trim} by the housekeeper.
 */
final class Retention {
  private static final Logger log = LoggerFactory.getLogger(Retention.class);

  /** Segments are at most this part of the time-to-live, so that rows do not live twice as long. */
  private static final int SEGMENTS_PER_TTL = 4;

  private static final long MIN_ROLL_MS = 1000;
  private static final long FOR_EVER = 0;

  private final LocalReplica replica;
  private final BucketLog bucketLog;
  private final @Nullable KvReplica rows;
  private final Following following;
  private volatile long ttlMs;
  private @Nullable HostedTable known;

  /**
   * @param rows the rows of a primary-key bucket, null for a log table
   */
  Retention(
      LocalReplica replica, BucketLog bucketLog, @Nullable KvReplica rows, Following following) {
    this.replica = replica;
    this.bucketLog = bucketLog;
    this.rows = rows;
    this.following = following;
  }

  /** Takes over a newer description of the table; its time-to-live counts from the next round. */
  void table(HostedTable table) {
    HostedTable before = known;
    known = table;
    if (before != null && before.options().equals(table.options())) {
      return;
    }
    long newTtlMs = ttlMs(table);
    ttlMs = newTtlMs;
    bucketLog.rollAfter(
        newTtlMs == FOR_EVER ? Long.MAX_VALUE : Math.max(MIN_ROLL_MS, newTtlMs / SEGMENTS_PER_TTL));
  }

  private static long ttlMs(HostedTable table) {
    try {
      TableOptions options = TableOptions.of(table.options());
      return options.lakeEnabled() ? FOR_EVER : options.logTtl().toMillis();
    } catch (SluiceException e) {
      log.warn("The log of {} is kept for ever: {}", table.path(), e.getMessage());
      return FOR_EVER;
    }
  }

  /**
   * Deletes what is too old now. An active segment that is too old as a whole is sealed first, and
   * goes in a later round. A follower deletes what its leader has deleted.
   *
   * @return what was deleted, null when there was nothing
   * @throws SluiceException as {@link BucketLog#trim}
   */
  @Nullable Trimmed trim(long nowMs) {
    if (replica.state() == Leadership.State.FOLLOWER) {
      return trimTo(following.leaderLogStart());
    }
    long ttl = ttlMs;
    if (ttl == FOR_EVER) {
      return null;
    }
    long beforeMs = nowMs - ttl;
    if (bucketLog.isIdleSince(beforeMs)) {
      replica.onShard(() -> roll(() -> bucketLog.rollIdle(beforeMs)));
    }
    return bucketLog.hasExpired(beforeMs) ? bucketLog.trim(beforeMs, restartOffset()) : null;
  }

  /** A bucket that is idle gets no batch by which a follower would seal what its leader has not. */
  private @Nullable Trimmed trimTo(long leaderStart) {
    if (bucketLog.isActiveBelow(leaderStart) && replica.committed() >= bucketLog.endOffset()) {
      replica.onShard(() -> roll(() -> bucketLog.rollBelow(leaderStart)));
    }
    return bucketLog.trimTo(Math.min(leaderStart, restartOffset()));
  }

  /**
   * What lies below is not needed for a restart: it is visible and forced, and the rows have it on
   * the disk.
   */
  private long restartOffset() {
    long stable = replica.offsets().stable();
    return rows == null ? stable : Math.min(stable, rows.flushed());
  }

  private void roll(Runnable rolling) {
    try {
      rolling.run();
    } catch (SluiceException e) {
      log.warn("An old segment is not sealed yet: {}", e.getMessage());
      replica.afterFailure(e);
    }
  }
}
