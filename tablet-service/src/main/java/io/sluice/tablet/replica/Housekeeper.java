package io.sluice.tablet.replica;

import io.sluice.common.Agent;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TimeSource;
import io.sluice.tablet.log.BucketLog;
import io.sluice.tablet.log.DataDirectory;
import io.sluice.tablet.log.DiskGuard;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a tablet does beside its puts: looks at the disk, forces logs, saves recovery points,
 * deletes segments and rows that are too old, and the directories of removed replicas when nobody
 * reads them any more. One thread runs it.
 */
final class Housekeeper implements Agent {
  private static final Logger log = LoggerFactory.getLogger(Housekeeper.class);

  private static final int FORCED_ALONE = 16;
  private static final int CHECKPOINTS_A_ROUND = 1000;

  /** Deleting goes on in the next round after so long: logs are to be forced meanwhile. */
  private static final long DELETING_NANOS = 250_000_000;

  private final DataDirectory data;
  private final DiskGuard disk;
  private final TimeSource time;
  private final long checkpointIntervalNanos;
  private final RetentionAgent retention;
  private final ExpiryAgent expiry;
  private final LogPool pool;
  private final Supplier<Collection<LocalReplica>> replicas;
  private final ConcurrentLinkedQueue<Removed> arrivals = new ConcurrentLinkedQueue<>();
  private final List<Removed> removed = new ArrayList<>();
  private long lastCheckpoint;

  /**
   * A renamed directory that is to be deleted.
   *
   * @param bucket its bucket
   * @param directory where it is
   * @param log its log, null when it was not open
   */
  record Removed(TableBucket bucket, Path directory, @Nullable BucketLog log) {}

  Housekeeper(
      DataDirectory data,
      DiskGuard disk,
      TimeSource time,
      long checkpointIntervalMs,
      RetentionAgent retention,
      LogPool pool,
      Supplier<Collection<LocalReplica>> replicas) {
    this.data = data;
    this.disk = disk;
    this.time = time;
    this.checkpointIntervalNanos = checkpointIntervalMs * 1_000_000;
    this.retention = retention;
    this.pool = pool;
    this.replicas = replicas;
    this.expiry = new ExpiryAgent(time, replicas);
    this.lastCheckpoint = time.nanoTime();
  }

  @Override
  public String name() {
    return "housekeeper";
  }

  /**
   * Forgets the recovery points of renamed directories, and has each deleted when it is no longer
   * read; also when there is no space to save that they are forgotten, as that makes some.
   */
  void delete(Map<TableBucket, Removed> directories) {
    try {
      data.forget(directories.keySet());
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.DISK_FULL) {
        throw e;
      }
      log.warn("Directories are deleted before it is saved that they are: {}", e.getMessage());
    } finally {
      arrivals.addAll(directories.values());
    }
  }

  @Override
  public int doWork() {
    disk.check();
    List<LocalReplica> dirty = new ArrayList<>();
    for (LocalReplica replica : replicas.get()) {
      if (replica.log().needsForce() && replica.offlineReason() == null) {
        dirty.add(replica);
      }
    }
    boolean sealed = force(dirty);
    boolean due = time.nanoTime() - lastCheckpoint >= checkpointIntervalNanos;
    if (sealed || due) {
      saveRecoveryPoints();
    }
    if (due) {
      shortenNextStart();
    }
    return dirty.size() + retention.doWork() + expiry.doWork() + deleteRemoved();
  }

  /** Lets go of what idle logs hold in memory, and asks for the checkpoints that are due. */
  private void shortenNextStart() {
    int asked = 0;
    for (LocalReplica replica : replicas.get()) {
      BucketLog each = replica.log();
      each.unloadUnused();
      if (asked < CHECKPOINTS_A_ROUND && !replica.gone() && each.wantsCheckpoint()) {
        asked++;
        replica.onShard(each::takeCheckpoint);
      }
    }
  }

  /** Forces these logs; returns whether one has sealed a segment. */
  private boolean force(List<LocalReplica> dirty) {
    if (dirty.size() < FORCED_ALONE) {
      boolean sealed = false;
      for (LocalReplica replica : dirty) {
        sealed |= force(replica);
      }
      return sealed;
    }
    // Thousands of logs would take this thread many times the interval.
    AtomicBoolean sealed = new AtomicBoolean();
    Map<TableBucket, LocalReplica> byBucket = new HashMap<>();
    dirty.forEach(replica -> byBucket.put(replica.bucket(), replica));
    var unused =
        pool.run(
            "Forcing",
            byBucket.keySet(),
            bucket -> {
              LocalReplica replica = Objects.requireNonNull(byBucket.get(bucket));
              if (force(replica)) {
                sealed.set(true);
              }
              return replica.log();
            });
    return sealed.get();
  }

  /**
   * Forces the log of a replica that serves, on any thread.
   *
   * @return whether a segment was sealed
   */
  static boolean force(LocalReplica replica) {
    try {
      return replica.offlineReason() == null && replica.log().force();
    } catch (SluiceException e) {
      if (!replica.gone()) {
        // What the kernel dropped after a failed force cannot be known: the log must not go on.
        replica.takeOffline(String.valueOf(e.getMessage()));
      }
      return false;
    }
  }

  private void saveRecoveryPoints() {
    try {
      data.saveRecoveryPoints(() -> all(replica -> replica.log().forcedOffset()));
      data.saveCommitted(() -> all(LocalReplica::committed));
      lastCheckpoint = time.nanoTime();
    } catch (SluiceException e) {
      log.warn("Recovery points are not saved; a restart would check more: {}", e.getMessage());
    }
  }

  private Map<TableBucket, Long> all(ToLongFunction<LocalReplica> offset) {
    Map<TableBucket, Long> found = new HashMap<>();
    for (LocalReplica replica : replicas.get()) {
      found.put(replica.bucket(), offset.applyAsLong(replica));
    }
    return found;
  }

  private int deleteRemoved() {
    for (Removed next = arrivals.poll(); next != null; next = arrivals.poll()) {
      removed.add(next);
    }
    int done = 0;
    long start = time.nanoTime();
    Iterator<Removed> all = removed.iterator();
    while (all.hasNext() && time.nanoTime() - start < DELETING_NANOS) {
      Removed candidate = all.next();
      BucketLog open = candidate.log();
      if (open == null || open.cursorCount() == 0) {
        all.remove();
        delete(candidate, open);
        done++;
      }
    }
    return done;
  }

  private void delete(Removed candidate, @Nullable BucketLog open) {
    try {
      if (open != null) {
        open.close();
      }
      data.delete(candidate.directory());
      log.info("Deleted the replica of {} in {}", candidate.bucket(), candidate.directory());
    } catch (SluiceException e) {
      log.warn("Left for the next start: {}", e.getMessage());
    }
  }
}
