package io.sluice.tablet.replica;

import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.log.BucketLog;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does the same to many logs, several at a time: most of it is waiting for the disk, and a disk
 * forces many files in about the time of one.
 */
final class LogPool {
  private static final Logger log = LoggerFactory.getLogger(LogPool.class);

  private final int threads;

  LogPool(int threads) {
    this.threads = threads;
  }

  /**
   * What became of each log.
   *
   * @param logs those that it was done to
   * @param failed the others, with the reason
   */
  record Outcome(Map<TableBucket, BucketLog> logs, Map<TableBucket, String> failed) {}

  /** What is done to one log. */
  interface Work {
    BucketLog run(TableBucket bucket);
  }

  /** Does the work for all buckets. One that fails does not keep the others back. */
  Outcome run(String what, Iterable<TableBucket> buckets, Work work) {
    List<TableBucket> order = new ArrayList<>();
    List<Callable<BucketLog>> calls = new ArrayList<>();
    for (TableBucket bucket : buckets) {
      order.add(bucket);
      calls.add(() -> work.run(bucket));
    }
    Outcome outcome = new Outcome(new HashMap<>(), new HashMap<>());
    if (order.isEmpty()) {
      return outcome;
    }
    ExecutorService pool = Executors.newFixedThreadPool(Math.min(threads, order.size()));
    try {
      List<Future<BucketLog>> results = pool.invokeAll(calls);
      for (int i = 0; i < order.size(); i++) {
        take(what, order.get(i), results.get(i), outcome);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted: " + what, e);
    } finally {
      pool.shutdownNow();
    }
    return outcome;
  }

  private static void take(
      String what, TableBucket bucket, Future<BucketLog> result, Outcome outcome)
      throws InterruptedException {
    try {
      outcome.logs().put(bucket, result.get());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SluiceException failure) {
        log.error("{} failed for {}: {}", what, bucket, failure.getMessage());
        outcome.failed().put(bucket, String.valueOf(failure.getMessage()));
      } else {
        log.error("{} failed for {}", what, bucket, e);
        outcome.failed().put(bucket, String.valueOf(e.getMessage()));
      }
    }
  }
}
