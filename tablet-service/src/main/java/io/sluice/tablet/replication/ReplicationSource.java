package io.sluice.tablet.replication;

import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** A bucket's replica as those see it who follow it from other servers. Thread-safe. */
public interface ReplicationSource {
  /** Which bucket this is. */
  TableBucket bucket();

  /**
   * Takes in where a follower's log ends. The decision is made, and {@code then} called, on the
   * thread that owns the log; it must not block. When the logs agree the position counts for what
   * is committed.
   *
   * @param then gets the decision, or the failure: NOT_LEADER, LEADER_NOT_READY (this server has
   *     not recorded the epoch yet), REPLICA_OFFLINE, TABLE_CHANGED
   */
  void fetched(FollowerLink link, FetchPosition position, boolean ready, Consumer<Answer> then);

  /** The follower's stream is over, or the bucket is not in it any more. */
  void left(FollowerLink link);

  /** Where everything ends now; null when this server does not lead the bucket in an epoch. */
  @Nullable State state();

  /**
   * Whole stored batches from the one that begins at an offset on, to the log end at most: they
   * need not be committed. Does I/O on the calling thread. No column is decoded.
   *
   * @param maxBytes of all; at least one batch is read
   * @param memory gives a buffer of exactly that size, into which the batches are read; asked with
   *     what there is to read, and once more when the first batch alone is larger
   * @return that buffer, limited to whole batches back to back; empty at the log end, where no
   *     memory is asked for
   * @throws SluiceException OFFSET_OUT_OF_RANGE when the offset has been deleted, REPLICA_OFFLINE
   *     or CORRUPT_STORAGE when they cannot be read
   */
  ByteBuffer read(long offset, int maxBytes, IntFunction<ByteBuffer> memory);

  /** What a follower needs whose log ends before this one begins. Does I/O. */
  Beginning beginning();

  /**
   * Calls the listener whenever log end, committed or role changes; on the thread that owns the
   * log, with nothing held. It must return at once.
   */
  void addReplicationListener(Runnable listener);

  /** Stops calling the listener. */
  void removeReplicationListener(Runnable listener);

  /**
   * A leader's state.
   *
   * @param leaderEpoch epoch that it leads in
   * @param committed end of what every in-sync replica has
   * @param logStart first offset of its log
   * @param logEnd end of its log
   */
  record State(int leaderEpoch, long committed, long logStart, long logEnd) {}

  /** What became of a fetch: one of the two is set. */
  record Answer(@Nullable FetchDecision decision, @Nullable SluiceException failure) {}

  /**
   * How a log begins that has lost its first segments to retention.
   *
   * @param offset its first offset
   * @param writers writers whose last batch lies below it, as a writer snapshot has them
   * @param lastTimeMs append time of the last batch below it
   * @param epochs epochs up to the one the offset lies in
   */
  record Beginning(
      long offset,
      ByteBuffer writers,
      long lastTimeMs,
      List<io.sluice.tablet.log.EpochHistory.Start> epochs) {}
}
