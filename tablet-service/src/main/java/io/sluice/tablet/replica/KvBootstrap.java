package io.sluice.tablet.replica;

import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.tablet.kv.KvPosition;
import io.sluice.tablet.kv.snapshot.StoreFiles;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches the rows of a bucket from its leader, again and again until they are there. What was
 * fetched in one epoch is not used in another: after an unclean election it may never have been.
 *
 * <p>Owned by the shard's thread.
 */
final class KvBootstrap {
  private static final Logger logger = LoggerFactory.getLogger(KvBootstrap.class);
  private static final long RETRY_MS = 500;
  private static final long MAX_RETRY_MS = 15_000;
  private static final int NOBODY = 0;

  private final KvHost host;
  private final TableBucket bucket;
  private final Path store;
  private int leaderServerId = NOBODY;
  private int leaderEpoch;
  private int attempts;
  private long retryMs = RETRY_MS;
  private @Nullable Attempt attempt;

  /** One fetch; after it has failed, the pause before the next one. */
  private static final class Attempt {
    private final Path directory;
    private final CompletableFuture<KvPosition> result;
    private boolean failed;
    private volatile boolean over;

    Attempt(Path directory, CompletableFuture<KvPosition> result) {
      this.directory = directory;
      this.result = result;
    }
  }

  /**
   * @param store where the rows will be
   */
  KvBootstrap(KvHost host, TableBucket bucket, Path store) {
    this.host = host;
    this.bucket = bucket;
    this.store = store;
  }

  /** Who leads now, 0 for nobody. */
  void follow(int newLeaderServerId, int newLeaderEpoch) {
    if (newLeaderServerId != leaderServerId || newLeaderEpoch != leaderEpoch) {
      cancel();
      leaderServerId = newLeaderServerId;
      leaderEpoch = newLeaderEpoch;
    }
  }

  /** This server leads, or serves no more: nothing is fetched. */
  void stop() {
    follow(NOBODY, 0);
  }

  /**
   * Begins to fetch, unless that is going on or there is no leader.
   *
   * @param again run on any thread when there is something new
   */
  void begin(String why, Runnable again) {
    Attempt last = attempt;
    if (leaderServerId == NOBODY || (last != null && !last.over)) {
      return;
    }
    if (last == null) {
      logger.info(
          "Fetches the rows of {} from its leader, server {}: {}", bucket, leaderServerId, why);
    }
    Path directory = StoreFiles.fetching(store, ++attempts);
    Attempt now =
        new Attempt(
            directory, host.checkpoints().fetch(bucket, leaderServerId, leaderEpoch, directory));
    attempt = now;
    var unused = now.result.whenComplete((position, failure) -> again.run());
  }

  /**
   * The position of the rows that have come, null while there are none.
   *
   * @param again run on any thread when a fetch that has failed may be repeated
   */
  @Nullable KvPosition fetched(Runnable again) {
    Attempt now = attempt;
    if (now == null || now.failed || !now.result.isDone()) {
      return null;
    }
    try {
      return now.result.join();
    } catch (CompletionException e) {
      SluiceException why = StatusMapping.fromStatus(e.getCause() == null ? e : e.getCause());
      logger.info(
          "The rows of {} have not come from server {}, tries again in {} ms: {}",
          bucket,
          leaderServerId,
          retryMs,
          why.getMessage());
      now.failed = true;
      host.after(
          retryMs,
          () -> {
            now.over = true;
            again.run();
          });
      retryMs = Math.min(MAX_RETRY_MS, 2 * retryMs);
      return null;
    }
  }

  /** Hands the rows out that have come; they are the caller's now. */
  Path take() {
    Attempt now = attempt;
    if (now == null) {
      throw new IllegalStateException("Nothing was fetched of " + bucket);
    }
    attempt = null;
    retryMs = RETRY_MS;
    return now.directory;
  }

  /** Lets go of what is being fetched, or has been. */
  void cancel() {
    Attempt now = attempt;
    attempt = null;
    retryMs = RETRY_MS;
    if (now != null && !now.result.cancel(false) && !now.result.isCompletedExceptionally()) {
      // It had come.
      host.laterInBackground(() -> StoreFiles.remove(now.directory));
    }
  }
}
