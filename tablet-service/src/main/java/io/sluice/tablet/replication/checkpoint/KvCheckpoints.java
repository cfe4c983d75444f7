package io.sluice.tablet.replication.checkpoint;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.kv.KvPosition;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** Brings the rows of a bucket from the server that leads it. Thread-safe. */
@FunctionalInterface
public interface KvCheckpoints {
  /** What a server has that knows no others. */
  KvCheckpoints NONE =
      (bucket, leaderServerId, leaderEpoch, directory) ->
          CompletableFuture.failedFuture(
              new SluiceException(
                  ErrorCode.UNAVAILABLE, "This server does not fetch rows from others"));

  /**
   * Fetches a copy of the leader's store; never blocks.
   *
   * @param leaderEpoch epoch in which it leads; refused in any other
   * @param directory is made, and holds the store when the result is there. It is removed when the
   *     fetch fails, or when the result is no longer wanted because it was cancelled before
   * @return the position of the store; fails with a {@code SluiceException}, whatever may be tried
   *     again
   */
  CompletableFuture<KvPosition> fetch(
      TableBucket bucket, int leaderServerId, int leaderEpoch, Path directory);
}
