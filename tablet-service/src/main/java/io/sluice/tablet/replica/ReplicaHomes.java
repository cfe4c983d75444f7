package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TimeSource;
import io.sluice.tablet.log.BucketLog;
import io.sluice.tablet.log.DataDirectory;
import io.sluice.tablet.log.DiskGuard;
import io.sluice.tablet.log.LogContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directories of the replicas on this server: which there are, the logs in them that nobody has
 * taken yet, and those that cannot be opened. One thread at a time changes it, any reads.
 */
final class ReplicaHomes {
  private static final Logger log = LoggerFactory.getLogger(ReplicaHomes.class);

  /** From a bucket that found no space to the next try: a quota does not show in the disk's. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final DataDirectory data;
  private final Supplier<LogContext> logs;
  private final LogPool pool;
  private final DiskGuard disk;
  private final TimeSource time;
  // Found at start or made, not yet taken.
  private final Map<TableBucket, BucketLog> untaken = new HashMap<>();
  private final ConcurrentMap<TableBucket, String> damaged = new ConcurrentHashMap<>();
  private final Set<TableBucket> directories = new ConcurrentSkipListSet<>();
  // Those of the damaged that could not be made for want of space: they never held a record.
  private final Set<TableBucket> unmade = new HashSet<>();
  private long makeAgainNanos;

  /**
   * @param logs what logs share, as of now
   * @param pool for logs that are made
   * @param disk the disk they are on
   */
  ReplicaHomes(
      DataDirectory data,
      Supplier<LogContext> logs,
      LogPool pool,
      DiskGuard disk,
      TimeSource time) {
    this.data = data;
    this.logs = logs;
    this.pool = pool;
    this.disk = disk;
    this.time = time;
    this.directories.addAll(data.scan());
  }

  /** Opens the logs in all directories, so many at a time. */
  void recover(int threads) {
    LogContext context = logs.get();
    take(
        new LogPool(threads).run("Recovery", directories, bucket -> data.openLog(context, bucket)));
  }

  /**
   * Makes the directories and empty logs of buckets that {@linkplain #needsLog need} one.
   *
   * @param index of the metadata that has them here: older metadata must not delete them
   * @param tableName how the directory's description names the table
   */
  void create(List<TableBucket> buckets, long index, Function<TableBucket, String> tableName) {
    LogPool.Outcome outcome = made(buckets, index, tableName);
    directories.addAll(buckets);
    buckets.forEach(unmade::remove);
    unmade.addAll(outcome.withoutSpace());
    if (!outcome.withoutSpace().isEmpty()) {
      makeAgainNanos = time.nanoTime() + PAUSE_NANOS;
    }
    take(outcome);
  }

  private LogPool.Outcome made(
      List<TableBucket> buckets, long index, Function<TableBucket, String> tableName) {
    LogContext context = logs.get();
    try {
      data.saveCluster(context.clusterId(), Math.max(data.savedIndex(), index));
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.DISK_FULL) {
        throw e;
      }
      log.error("Creation of {} logs failed: {}", buckets.size(), e.getMessage());
      return LogPool.Outcome.withoutSpace(buckets, String.valueOf(e.getMessage()));
    }
    return pool.run(
        "Creation", buckets, bucket -> data.createLog(context, bucket, tableName.apply(bucket)));
  }

  private void take(LogPool.Outcome outcome) {
    untaken.putAll(outcome.logs());
    outcome.logs().keySet().forEach(damaged::remove);
    damaged.putAll(outcome.failed());
  }

  /** The log of a bucket, once; null when it was taken or cannot be opened. */
  @Nullable BucketLog takeLog(TableBucket bucket) {
    return untaken.remove(bucket);
  }

  /**
   * Renames the directory of a bucket.
   *
   * @param taken its log when it was taken; nobody writes to it any more
   */
  Housekeeper.Removed retire(TableBucket bucket, @Nullable BucketLog taken) {
    BucketLog open = taken != null ? taken : untaken.remove(bucket);
    Path renamed;
    if (open != null) {
      renamed = data.deletedPath(bucket);
      open.moveTo(renamed);
    } else if (Files.exists(data.path(bucket))) {
      renamed = data.retire(bucket);
    } else {
      renamed = data.deletedPath(bucket);
    }
    damaged.remove(bucket);
    unmade.remove(bucket);
    directories.remove(bucket);
    return new Housekeeper.Removed(bucket, renamed, open);
  }

  /**
   * Whether a bucket has no log here and one is to be made now: not on a disk that is full, nor
   * right after one found no space.
   */
  boolean needsLog(TableBucket bucket) {
    return !directories.contains(bucket)
        || (unmade.contains(bucket) && !disk.full() && time.nanoTime() - makeAgainNanos >= 0);
  }

  /** Every bucket with a directory here. */
  Set<TableBucket> all() {
    return Collections.unmodifiableSet(directories);
  }

  /** Buckets whose logs cannot be opened, with the reason. */
  Map<TableBucket, String> damaged() {
    return Collections.unmodifiableMap(damaged);
  }

  /** Logs that nobody has taken. */
  Collection<BucketLog> untaken() {
    return untaken.values();
  }
}
