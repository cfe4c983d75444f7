package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.common.TimeSource;
import io.sluice.tablet.log.BucketLog;
import io.sluice.tablet.log.DataDirectory;
import io.sluice.tablet.log.DiskGuard;
import io.sluice.tablet.log.LogContext;
import io.sluice.tablet.log.OpenFiles;
import io.sluice.tablet.log.StoragePlatform;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicas of this server: opens and recovers them, follows the coordinator, closes them.
 *
 * <p>A directory is deleted only when the coordinator of the same cluster, at an index not before
 * the one saved here, says that its replica is gone: it is renamed first, and deleted when no
 * cursor stands in it. The index is saved before the first directory of a later one is made.
 */
public final class ReplicaSet implements Replicas, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ReplicaSet.class);

  /** Logs created, forced or closed at the same time: each waits for the disk a few times. */
  private static final int FORCING_THREADS = 16;

  private final TabletStorageConfig config;
  private final StoragePlatform platform;
  private final DataDirectory data;
  private final OpenFiles files;
  private final WriterFences fences = new WriterFences();
  private final ReplicaContext context;
  private final List<AppendShard> shards = new ArrayList<>();
  private final LogPool pool = new LogPool(FORCING_THREADS);
  private final RetentionAgent retention;
  private final Housekeeper housekeeper;
  private final HousekeepingLoop housekeeping;
  private final TableCatalog catalog = new TableCatalog();
  private final ConcurrentMap<TableBucket, LocalReplica> replicas = new ConcurrentHashMap<>();
  // Found at start, not yet assigned; or not openable. Changed by the thread that applies updates.
  private final Map<TableBucket, BucketLog> unassigned = new HashMap<>();
  private final ConcurrentMap<TableBucket, String> damaged = new ConcurrentHashMap<>();
  private final Set<TableBucket> directories = new ConcurrentSkipListSet<>();
  private volatile long appliedIndex;
  private volatile String clusterId;
  private boolean closed;

  private ReplicaSet(
      TabletStorageConfig config,
      StoragePlatform platform,
      BatchSlicer slicer,
      KvHost kv,
      DataDirectory data) {
    this.config = config;
    this.platform = platform;
    this.data = data;
    this.files = new OpenFiles(platform.files(), config.openFiles());
    DiskGuard disk = new DiskGuard(config.disk(), platform.disk(), data.root());
    this.context = new ReplicaContext(config.serverId(), fences, disk, slicer, kv);
    this.retention =
        new RetentionAgent(platform.time(), disk, config.retentionIntervalMs(), replicas::values);
    this.housekeeper =
        new Housekeeper(
            data,
            disk,
            platform.time(),
            config.checkpointIntervalMs(),
            retention,
            pool,
            replicas::values);
    this.housekeeping = new HousekeepingLoop(housekeeper);
    this.clusterId = data.clusterId();
    this.directories.addAll(data.scan());
    disk.check();
  }

  /**
   * Opens the data directory and recovers every replica in it.
   *
   * @param kv what primary-key buckets share; outlives the set
   */
  public static ReplicaSet open(
      TabletStorageConfig config, TimeSource time, BatchSlicer slicer, KvHost kv) {
    return open(config, StoragePlatform.of(time), slicer, kv);
  }

  /** The same on another platform. */
  public static ReplicaSet open(
      TabletStorageConfig config, StoragePlatform platform, BatchSlicer slicer, KvHost kv) {
    DataDirectory data = DataDirectory.open(platform, config.dataDirectory());
    boolean opened = false;
    try {
      ReplicaSet set = new ReplicaSet(config, platform, slicer, kv, data);
      set.recover();
      set.start();
      opened = true;
      return set;
    } finally {
      if (!opened) {
        data.close();
      }
    }
  }

  private void recover() {
    long start = platform.time().nanoTime();
    LogContext logs = logContext();
    LogPool.Outcome recovered =
        new LogPool(config.recoveryThreads())
            .run("Recovery", directories, bucket -> data.openLog(logs, bucket));
    unassigned.putAll(recovered.logs());
    damaged.putAll(recovered.failed());
    log.info(
        "Opened {} replicas in {} after {} ({} ms), {} offline",
        directories.size(),
        data.root(),
        data.stoppedCleanly() ? "an orderly stop" : "a crash",
        (platform.time().nanoTime() - start) / 1_000_000,
        damaged.size());
  }

  private LogContext logContext() {
    return new LogContext(platform, files, config.log(), clusterId, fences::isNamed);
  }

  private void start() {
    for (int i = 0; i < config.shards(); i++) {
      shards.add(new AppendShard(i, config.queueBytes()).start());
    }
    housekeeping.start(config.forceIntervalMs());
  }

  /**
   * Follows the coordinator. An image replaces all, a delta changes some; a delta at or below the
   * applied index is ignored. On return roles are taken over, but epochs may still be recorded on
   * the shards' threads.
   *
   * @throws SluiceException INVALID_ARGUMENT for an image of another cluster, INTERNAL for a delta
   *     before any image; nothing is changed then. STORAGE_ERROR when a directory cannot be renamed
   *     or the index cannot be saved; a new image repeats it
   */
  public synchronized void apply(ReplicaUpdate update) {
    boolean mayDelete = update.index() >= data.savedIndex();
    if (update instanceof ReplicaUpdate.Image image) {
      checkCluster(image);
      catalog.replace(image.tables(), image.replicas());
    } else if (update instanceof ReplicaUpdate.Delta delta) {
      if (appliedIndex == 0) {
        throw new SluiceException(
            ErrorCode.INTERNAL,
            "The coordinator sent changes to " + delta.index() + " of no image");
      }
      if (delta.index() <= appliedIndex) {
        log.info("Ignored a delta to {}: {} is applied already", delta.index(), appliedIndex);
        return;
      }
      catalog.change(delta);
    }
    update.writers().forEach(fences::named);
    Set<TableBucket> own = catalog.bucketsOf(config.serverId());
    if (mayDelete) {
      remove(own);
    } else {
      log.warn(
          "Image {} is older than {}, which is saved here: no directory is deleted",
          update.index(),
          data.savedIndex());
    }
    updateTables();
    assign(update);
    appliedIndex = update.index();
    if (update instanceof ReplicaUpdate.Image) {
      log.info(
          "Follows the coordinator from index {} on, with {} replicas", appliedIndex, own.size());
    }
  }

  private void checkCluster(ReplicaUpdate.Image image) {
    String own = data.clusterId();
    if (own.isEmpty()) {
      data.saveCluster(image.clusterId(), image.index());
      clusterId = image.clusterId();
    } else if (!own.equals(image.clusterId())) {
      SluiceException refusal =
          new SluiceException(
              ErrorCode.INVALID_ARGUMENT,
              "Data directory "
                  + data.root()
                  + " belongs to cluster "
                  + own
                  + ", but the coordinator is of cluster "
                  + image.clusterId()
                  + "; use another data directory or another coordinator");
      log.error("{}", refusal.getMessage());
      throw refusal;
    }
  }

  /**
   * Removes the replicas that are not in the set of this server's own: renames their directories,
   * forgets all their recovery points at once, then has them deleted.
   */
  private void remove(Set<TableBucket> own) {
    Map<TableBucket, Housekeeper.Removed> removed = new HashMap<>();
    try {
      for (TableBucket bucket : directories) {
        if (!own.contains(bucket)) {
          removed.put(bucket, retire(bucket));
        }
      }
    } finally {
      if (!removed.isEmpty()) {
        data.saveRecoveryPoints(Map.of(), removed.keySet());
        removed.values().forEach(housekeeper::delete);
      }
    }
  }

  private Housekeeper.Removed retire(TableBucket bucket) {
    log.info("Removes the replica of {}: the coordinator no longer has it here", bucket);
    LocalReplica replica = replicas.get(bucket);
    BucketLog open = replica != null ? replica.log() : unassigned.remove(bucket);
    Path renamed;
    if (open != null) {
      if (replica != null) {
        replica.retire();
        replicas.remove(bucket);
      }
      renamed = data.deletedPath(bucket);
      open.moveTo(renamed);
    } else {
      renamed = data.retire(bucket);
    }
    damaged.remove(bucket);
    directories.remove(bucket);
    return new Housekeeper.Removed(bucket, renamed, open);
  }

  private void updateTables() {
    for (LocalReplica replica : replicas.values()) {
      HostedTable table = catalog.table(replica.bucket().tableId());
      if (table != null) {
        replica.table(table);
      }
    }
  }

  private void assign(ReplicaUpdate update) {
    List<ReplicaRole> own =
        update.replicas().stream()
            .filter(role -> role.replicas().contains(config.serverId()))
            .filter(this::isDescribed)
            .toList();
    create(own, update.index());
    for (ReplicaRole role : own) {
      LocalReplica replica = replicas.get(role.bucket());
      if (replica == null && unassigned.containsKey(role.bucket())) {
        replica = openReplica(role.bucket());
      }
      if (replica != null) {
        replica.assign(role);
      }
    }
  }

  private boolean isDescribed(ReplicaRole role) {
    if (catalog.table(role.bucket().tableId()) != null) {
      return true;
    }
    log.error("Ignored the role of {}: its table was never described", role.bucket());
    return false;
  }

  /** Makes the logs of the buckets that have no directory here yet. */
  private void create(List<ReplicaRole> roles, long index) {
    List<TableBucket> missing =
        roles.stream()
            .map(ReplicaRole::bucket)
            .filter(bucket -> !directories.contains(bucket))
            .toList();
    if (missing.isEmpty()) {
      return;
    }
    data.saveCluster(clusterId, Math.max(data.savedIndex(), index));
    LogContext logs = logContext();
    LogPool.Outcome created =
        pool.run("Creation", missing, bucket -> data.createLog(logs, bucket, tableOf(bucket)));
    unassigned.putAll(created.logs());
    damaged.putAll(created.failed());
    directories.addAll(missing);
  }

  private String tableOf(TableBucket bucket) {
    return Objects.requireNonNull(catalog.table(bucket.tableId())).path().toString();
  }

  private LocalReplica openReplica(TableBucket bucket) {
    BucketLog opened = Objects.requireNonNull(unassigned.remove(bucket));
    HostedTable table = Objects.requireNonNull(catalog.table(bucket.tableId()));
    AppendShard shard = shards.get(Math.floorMod(bucket.hashCode(), shards.size()));
    LocalReplica replica = new LocalReplica(context, opened, shard, table);
    replicas.put(bucket, replica);
    return replica;
  }

  /** Index of the last update applied, 0 before the first. */
  public long appliedIndex() {
    return appliedIndex;
  }

  /** The cluster this data directory belongs to, empty before the first image. */
  public String clusterId() {
    return clusterId;
  }

  /** Whether the previous process stopped in order; true for a new directory. */
  public boolean stoppedCleanly() {
    return data.stoppedCleanly();
  }

  /** Every bucket with a directory here, offline ones too. */
  public Set<TableBucket> directories() {
    return Collections.unmodifiableSet(directories);
  }

  /** Replicas that serve nothing. */
  public List<OfflineReplica> offline() {
    List<OfflineReplica> offline = new ArrayList<>();
    damaged.forEach((bucket, reason) -> offline.add(new OfflineReplica(bucket, reason)));
    for (LocalReplica replica : replicas.values()) {
      String reason = replica.offlineReason();
      if (reason != null) {
        offline.add(new OfflineReplica(replica.bucket(), reason));
      }
    }
    return offline;
  }

  /** Bytes of the replicas' segments on disk. */
  public long diskUsedBytes() {
    long total = 0;
    for (LocalReplica replica : replicas.values()) {
      total += replica.sizeBytes();
    }
    return total;
  }

  /** Changelog records that are committed but not yet in the rows, over all buckets. */
  public long appliedLag() {
    long total = 0;
    for (LocalReplica replica : replicas.values()) {
      ReplicaOffsets offsets = replica.offsets();
      total += offsets.committed() - offsets.visible();
    }
    return total;
  }

  /** What retention has deleted since the start. */
  public RetentionAgent retention() {
    return retention;
  }

  /** Whether the disk takes writes. */
  public DiskGuard disk() {
    return context.disk();
  }

  /** Bytes of puts that wait for their answer. */
  public long queuedBytes() {
    long total = 0;
    for (AppendShard shard : shards) {
      total += shard.queuedBytes();
    }
    return total;
  }

  @Override
  public Replica require(TableBucket bucket) {
    LocalReplica replica = replicas.get(bucket);
    if (replica != null) {
      return replica;
    }
    String reason = damaged.get(bucket);
    if (reason != null) {
      throw new SluiceException(
          ErrorCode.REPLICA_OFFLINE, "The replica of " + bucket + " is offline: " + reason);
    }
    throw catalog.missing(bucket);
  }

  @Override
  public Collection<Replica> ofTable(long tableId) {
    List<Replica> found = new ArrayList<>();
    for (LocalReplica replica : replicas.values()) {
      if (replica.bucket().tableId() == tableId) {
        found.add(replica);
      }
    }
    found.sort((a, b) -> a.bucket().compareTo(b.bucket()));
    return found;
  }

  @Override
  public Collection<Replica> all() {
    return List.copyOf(replicas.values());
  }

  @Override
  public @Nullable HostedTable table(long tableId) {
    return catalog.table(tableId);
  }

  @Override
  public @Nullable HostedTable table(TablePath path) {
    return catalog.table(path);
  }

  /** What the schedule runs, one round at a time. */
  Housekeeper housekeeper() {
    return housekeeper;
  }

  /** Open segment files and what is known of the batches in them. */
  public OpenFiles files() {
    return files;
  }

  /**
   * Finishes what is queued, forces and closes every log and marks the orderly stop. When a log
   * cannot be closed the others are, and the stop counts as a crash.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    shards.forEach(AppendShard::close);
    housekeeping.stop();
    boolean clean =
        new CleanStop(data, pool)
            .closeLogs(replicas.values(), unassigned.values(), clusterId, appliedIndex);
    // After the logs: a store must not be ahead of its log on the disk.
    context.kv().forAll(replicas.values(), LocalReplica::closeRows);
    files.close();
    if (clean) {
      data.markCleanStop();
    }
    data.close();
  }
}
