package io.sluice.tablet.replication;

import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.log.EpochHistory;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A bucket's replica as the fetcher sees it that follows the leader for it. Thread-safe. */
public interface ReplicationSink {
  /** Which bucket this is. */
  TableBucket bucket();

  /** Where its log ends, and under which leader's epoch; null when it follows nobody now. */
  @Nullable FetchPosition position();

  /** Whether it could lead at once; see {@link IsrTracker#fetched}. */
  boolean ready();

  /**
   * Takes in what the leader of an epoch answered; an answer of another epoch than the one followed
   * now changes nothing. Verified and stored on the thread that owns the log.
   *
   * @param then called on that thread when it is done; must not block. A failure leaves the log as
   *     it was: CORRUPT_BATCH (fetch again; after three times the replica is offline), DISK_FULL
   *     (again after a pause), REPLICA_OFFLINE, TABLE_CHANGED, FENCED_LEADER_EPOCH (do not go on)
   */
  void received(Received answer, Consumer<Outcome> then);

  /**
   * What came from the leader.
   *
   * @param leaderEpoch epoch in which it leads
   * @param committed what is committed there
   * @param logStart where its log begins
   * @param logEnd where its log ends
   * @param batches whole batches, the first one at this log's end; may be empty. Belong to the
   *     caller again when {@code then} is called
   * @param diverges the logs do not agree: cut
   * @param beginning this log ends before the leader's begins: start anew
   */
  record Received(
      int leaderEpoch,
      long committed,
      long logStart,
      long logEnd,
      ByteBuffer batches,
      EpochHistory.@Nullable End diverges,
      ReplicationSource.@Nullable Beginning beginning) {}

  /**
   * What became of an answer: a position to fetch from next, or a failure, or both null when the
   * replica does not follow in that epoch any more.
   */
  record Outcome(@Nullable FetchPosition position, @Nullable SluiceException failure) {}
}
