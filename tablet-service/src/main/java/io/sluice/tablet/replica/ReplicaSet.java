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
import io.sluice.tablet.replication.ReplicationSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
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
  // Changed by whoever holds this object's monitor.
  private final ReplicaHomes homes;
  private final Rebuilds rebuilds;
  private final FullDisk fullDisk;
  private final ReplicationTick tick = new ReplicationTick(this::tick);
  private volatile long appliedIndex;
  private volatile String clusterId;
  private boolean closed;

  private ReplicaSet(
      TabletStorageConfig config,
      StoragePlatform platform,
      BatchSlicer slicer,
      KvHost kv,
      ReplicationContext replication,
      DataDirectory data) {
    this.config = config;
    this.platform = platform;
    this.data = data;
    this.files = new OpenFiles(platform.files(), config.openFiles());
    DiskGuard disk = new DiskGuard(config.disk(), platform.disk(), data.root());
    this.context =
        new ReplicaContext(
            config.serverId(),
            platform.time(),
            fences,
            disk,
            slicer,
            kv,
            replication,
            new ReplicationCounters());
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
    this.homes = new ReplicaHomes(data, this::logContext, pool, disk, platform.time());
    this.fullDisk = new FullDisk(disk, platform.time());
    this.rebuilds = new Rebuilds(config.serverId(), platform.time(), context.counters());
    disk.check();
  }

  /**
   * Opens the data directory and recovers every replica in it, for a server without others.
   *
   * @param kv what primary-key buckets share; outlives the set
   */
  public static ReplicaSet open(
      TabletStorageConfig config, TimeSource time, BatchSlicer slicer, KvHost kv) {
    return open(config, StoragePlatform.of(time), slicer, kv, ReplicationContext.NONE);
  }

  /** The same on another platform. */
  public static ReplicaSet open(
      TabletStorageConfig config, StoragePlatform platform, BatchSlicer slicer, KvHost kv) {
    return open(config, platform, slicer, kv, ReplicationContext.NONE);
  }

  /** The same for a server among others. */
  public static ReplicaSet open(
      TabletStorageConfig config,
      StoragePlatform platform,
      BatchSlicer slicer,
      KvHost kv,
      ReplicationContext replication) {
    DataDirectory data = DataDirectory.open(platform, config.dataDirectory(), config.serverId());
    boolean opened = false;
    try {
      ReplicaSet set = new ReplicaSet(config, platform, slicer, kv, replication, data);
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
    homes.recover(config.recoveryThreads());
    log.info(
        "Opened {} replicas in {} after {} ({} ms), {} offline",
        homes.all().size(),
        data.root(),
        data.stoppedCleanly() ? "an orderly stop" : "a crash",
        (platform.time().nanoTime() - start) / 1_000_000,
        homes.damaged().size());
  }

  private LogContext logContext() {
    return new LogContext(platform, files, config.log(), clusterId, fences::isNamed);
  }

  private void start() {
    for (int i = 0; i < config.shards(); i++) {
      shards.add(new AppendShard(i, config.queueBytes()).start());
    }
    housekeeping.start(config.forceIntervalMs());
    tick.start();
  }

  /**
   * Follows the coordinator. An image replaces all, a delta changes some; a delta at or below the
   * applied index is ignored. On return roles are taken over, but epochs may still be recorded on
   * the shards' threads.
   *
   * @throws SluiceException INVALID_ARGUMENT for an image of another cluster, INTERNAL for a delta
   *     before any image; nothing is changed then. STORAGE_ERROR when a directory cannot be renamed
   *     or the index cannot be saved, DISK_FULL for want of space; a new image repeats it
   */
  public synchronized void apply(ReplicaUpdate update) {
    boolean mayDelete = update.index() >= data.savedIndex();
    if (update instanceof ReplicaUpdate.Image image) {
      clusterId = ClusterCheck.adopt(data, image);
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

  /** Removes the replicas that are not in the set of this server's own. */
  private void remove(Set<TableBucket> own) {
    List<TableBucket> gone = new ArrayList<>();
    for (TableBucket bucket : homes.all()) {
      if (!own.contains(bucket)) {
        log.info("Removes the replica of {}: the coordinator no longer has it here", bucket);
        rebuilds.forget(bucket);
        gone.add(bucket);
      }
    }
    retire(gone);
  }

  /** Renames directories, forgets all their recovery points at once, then has them deleted. */
  private void retire(List<TableBucket> buckets) {
    Map<TableBucket, Housekeeper.Removed> removed = new HashMap<>();
    try {
      for (TableBucket bucket : buckets) {
        LocalReplica replica = replicas.get(bucket);
        if (replica != null) {
          replica.retire();
          replicas.remove(bucket);
        }
        removed.put(bucket, homes.retire(bucket, replica == null ? null : replica.log()));
      }
    } finally {
      if (!removed.isEmpty()) {
        housekeeper.delete(removed);
      }
    }
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
    assign(own, update.index());
  }

  private void assign(List<ReplicaRole> own, long index) {
    retire(rebuilds.due(own, this::offlineReason, homes.damaged()::containsKey));
    create(own, index);
    own.forEach(this::assign);
  }

  private void assign(ReplicaRole role) {
    LocalReplica known = replicas.get(role.bucket());
    LocalReplica replica = known != null ? known : openReplica(role.bucket());
    if (replica != null) {
      replica.assign(role);
    }
  }

  private @Nullable String offlineReason(TableBucket bucket) {
    LocalReplica replica = replicas.get(bucket);
    return replica == null ? homes.damaged().get(bucket) : replica.offlineReason();
  }

  /** Has leaders look at their followers, and begins anew what can be under the newest roles. */
  void tick() {
    for (LocalReplica replica : replicas.values()) {
      if (replica.leading().view() != null || replica.state() == Leadership.State.PREPARING) {
        replica.onShard(replica::tick);
      }
    }
    context.counters().tell();
    if (!offline().isEmpty()) {
      rebuild();
    }
  }

  private synchronized void rebuild() {
    if (!closed) {
      assign(catalog.roles(offline().stream().map(OfflineReplica::bucket).toList()), appliedIndex);
    }
  }

  private boolean isDescribed(ReplicaRole role) {
    if (catalog.table(role.bucket().tableId()) != null) {
      return true;
    }
    log.error("Ignored the role of {}: its table was never described", role.bucket());
    return false;
  }

  /** Makes the logs that are missing here, as far as the disk has space. */
  private void create(List<ReplicaRole> roles, long index) {
    List<TableBucket> missing =
        roles.stream().map(ReplicaRole::bucket).filter(homes::needsLog).toList();
    if (missing.isEmpty()) {
      return;
    }
    homes.create(missing, index, bucket -> describedTable(bucket).path().toString());
  }

  private HostedTable describedTable(TableBucket bucket) {
    return Objects.requireNonNull(catalog.table(bucket.tableId()));
  }

  private @Nullable LocalReplica openReplica(TableBucket bucket) {
    BucketLog opened = homes.takeLog(bucket);
    if (opened == null) {
      return null;
    }
    HostedTable table = describedTable(bucket);
    AppendShard shard = shards.get(Math.floorMod(bucket.hashCode(), shards.size()));
    LocalReplica replica = new LocalReplica(context, opened, shard, table, data.committed(bucket));
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
    return homes.all();
  }

  /** Replicas that serve nothing. */
  public List<OfflineReplica> offline() {
    List<OfflineReplica> offline = new ArrayList<>();
    homes.damaged().forEach((bucket, reason) -> offline.add(new OfflineReplica(bucket, reason)));
    for (TableBucket bucket : replicas.keySet()) {
      String reason = offlineReason(bucket);
      if (reason != null) {
        offline.add(new OfflineReplica(bucket, reason));
      }
    }
    return offline;
  }

  /** Replicas that serve, but that another server had better lead: the disk takes no writes. */
  public List<OfflineReplica> handsOver() {
    return fullDisk.handsOver(replicas.values());
  }

  /** Bytes of the replicas' segments on disk. */
  public long diskUsedBytes() {
    return replicas.values().stream().mapToLong(LocalReplica::sizeBytes).sum();
  }

  /** Changelog records that are committed but not yet in the rows, over all buckets. */
  public long appliedLag() {
    return replicas.values().stream()
        .map(LocalReplica::offsets)
        .mapToLong(offsets -> offsets.committed() - offsets.visible())
        .sum();
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
    return shards.stream().mapToLong(AppendShard::queuedBytes).sum();
  }

  /** How the buckets led from here are replicated. */
  public ReplicationStats replicationStats() {
    return ReplicationStats.of(replicas.values());
  }

  /** What has happened to in-sync sets and logs since the start. */
  public ReplicationCounters replicationCounters() {
    return context.counters();
  }

  /** Where a replica stands among the others of its bucket; null when it is not here. */
  public @Nullable ReplicaStanding standing(TableBucket bucket) {
    LocalReplica replica = replicas.get(bucket);
    return replica == null ? null : ReplicaStanding.of(replica);
  }

  /** The replica for those who follow it; fails as {@link #require} does. */
  public ReplicationSource source(TableBucket bucket) {
    return local(bucket).leading();
  }

  @Override
  public Replica require(TableBucket bucket) {
    return local(bucket);
  }

  private LocalReplica local(TableBucket bucket) {
    LocalReplica replica = replicas.get(bucket);
    if (replica != null) {
      return replica;
    }
    String reason = homes.damaged().get(bucket);
    if (reason != null) {
      throw new SluiceException(
          ErrorCode.REPLICA_OFFLINE, "The replica of " + bucket + " is offline: " + reason);
    }
    throw catalog.missing(bucket, context.replication().addresses());
  }

  @Override
  public Collection<Replica> ofTable(long tableId) {
    return replicas.values().stream()
        .filter(replica -> replica.bucket().tableId() == tableId)
        .sorted(Comparator.comparing(LocalReplica::bucket))
        .map(Replica.class::cast)
        .toList();
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
    tick.close();
    shards.forEach(AppendShard::close);
    housekeeping.stop();
    boolean clean =
        new CleanStop(data, pool)
            .closeLogs(replicas.values(), homes.untaken(), clusterId, appliedIndex);
    // After the logs: a store must not be ahead of its log on the disk.
    context.kv().forAll(replicas.values(), LocalReplica::closeRows);
    files.close();
    // Who has told nobody of an earlier crash must not hide it from the coordinator.
    if (clean && (appliedIndex > 0 || data.stoppedCleanly())) {
      data.markCleanStop();
    }
    data.close();
  }
}
