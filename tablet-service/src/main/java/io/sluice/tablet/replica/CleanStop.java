package io.sluice.tablet.replica;

import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.log.BucketLog;
import io.sluice.tablet.log.DataDirectory;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes the logs of a server that stops in order, many at a time. */
final class CleanStop {
  private static final Logger log = LoggerFactory.getLogger(CleanStop.class);

  private final DataDirectory data;
  private final LogPool pool;

  CleanStop(DataDirectory data, LogPool pool) {
    this.data = data;
    this.pool = pool;
  }

  /**
   * Closes everything and saves the recovery points; after shards and housekeeping have stopped. A
   * log that cannot be closed does not keep the others from it.
   *
   * @return whether the stop may be called an orderly one
   */
  boolean closeLogs(
      Collection<LocalReplica> replicas,
      Collection<BucketLog> unassigned,
      String clusterId,
      long appliedIndex) {
    Map<TableBucket, BucketLog> open = new HashMap<>();
    unassigned.forEach(each -> open.put(each.bucket(), each));
    for (LocalReplica replica : replicas) {
      if (replica.offlineReason() == null) {
        open.put(replica.bucket(), replica.log());
      } else {
        replica.log().close();
      }
    }
    LogPool.Outcome closing =
        pool.run(
            "Closing",
            open.keySet(),
            bucket -> {
              BucketLog each = Objects.requireNonNull(open.get(bucket));
              each.closeCleanly();
              return each;
            });
    Map<TableBucket, Long> points = new HashMap<>();
    open.forEach((bucket, each) -> points.put(bucket, each.forcedOffset()));
    Map<TableBucket, Long> committed = new HashMap<>();
    replicas.forEach(each -> committed.put(each.bucket(), each.committed()));
    try {
      data.saveRecoveryPoints(() -> points);
      data.saveCommitted(() -> committed);
      if (!clusterId.isEmpty()) {
        data.saveCluster(clusterId, Math.max(data.savedIndex(), appliedIndex));
      }
    } catch (SluiceException e) {
      log.error("The stop counts as a crash", e);
      return false;
    }
    return closing.failed().isEmpty();
  }
}
