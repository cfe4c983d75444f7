package io.sluice.tablet.replica;

import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.log.BucketLog;
import io.sluice.tablet.log.DataDirectory;
import io.sluice.tablet.log.LogContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The logs found at start, several recovered at a time.
 *
 * @param logs those that opened
 * @param damaged those that did not, with the reason
 */
record RecoveredLogs(Map<TableBucket, BucketLog> logs, Map<TableBucket, String> damaged) {
  private static final Logger log = LoggerFactory.getLogger(RecoveredLogs.class);

  /** Opens the logs of all these buckets. One that is damaged does not keep the others back. */
  static RecoveredLogs open(
      DataDirectory data, LogContext context, Set<TableBucket> buckets, int threads) {
    Map<TableBucket, BucketLog> logs = new HashMap<>();
    Map<TableBucket, String> damaged = new HashMap<>();
    if (buckets.isEmpty()) {
      return new RecoveredLogs(logs, damaged);
    }
    List<TableBucket> order = new ArrayList<>(buckets);
    List<Callable<BucketLog>> openings = new ArrayList<>();
    order.forEach(bucket -> openings.add(() -> data.openLog(context, bucket)));
    ExecutorService pool = Executors.newFixedThreadPool(Math.min(threads, order.size()));
    try {
      List<Future<BucketLog>> results = pool.invokeAll(openings);
      for (int i = 0; i < order.size(); i++) {
        take(order.get(i), results.get(i), logs, damaged);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while replicas were recovered", e);
    } finally {
      pool.shutdownNow();
    }
    return new RecoveredLogs(logs, damaged);
  }

  private static void take(
      TableBucket bucket,
      Future<BucketLog> result,
      Map<TableBucket, BucketLog> logs,
      Map<TableBucket, String> damaged)
      throws InterruptedException {
    try {
      logs.put(bucket, result.get());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SluiceException failure) {
        log.error("Replica of {} stays offline: {}", bucket, failure.getMessage());
        damaged.put(bucket, String.valueOf(failure.getMessage()));
      } else {
        log.error("Replica of {} stays offline", bucket, e);
        damaged.put(bucket, String.valueOf(e.getMessage()));
      }
    }
  }
}
