package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import java.util.concurrent.CompletableFuture;

/** Grants ids of auto-increment columns to the leaders of buckets. Thread-safe. */
@FunctionalInterface
public interface IdGrants {
  /** What a server without a coordinator has. */
  IdGrants NONE =
      (bucket, leaderEpoch, count) ->
          CompletableFuture.failedFuture(
              new SluiceException(ErrorCode.UNSUPPORTED, "Nobody grants ids to this server"));

  /**
   * Asks for ids of the bucket's table; never blocks.
   *
   * @param leaderEpoch epoch under which this server leads the bucket
   * @param count how many are wanted; fewer may come, at least one
   * @return fails with a {@code SluiceException}: IDS_EXHAUSTED when there are no more, whatever
   *     else may be tried again
   */
  CompletableFuture<IdRange> grant(TableBucket bucket, int leaderEpoch, long count);

  /** How long a put waits for ids before it is refused. */
  default long maxWaitMs() {
    return 10_000;
  }
}
