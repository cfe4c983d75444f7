package io.sluice.tablet.app;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sluice.common.ErrorCode;
import io.sluice.common.TimeSource;
import io.sluice.servicekit.LifecyclePhase;
import io.sluice.servicekit.ReadinessGate;
import io.sluice.servicekit.ServiceIdentity;
import io.sluice.servicekit.ServiceLifecycle;
import io.sluice.tablet.flight.FormatBatchSlicer;
import io.sluice.tablet.kv.KvResources;
import io.sluice.tablet.kv.KvSettings;
import io.sluice.tablet.kv.snapshot.SnapshotAgent;
import io.sluice.tablet.kv.snapshot.SnapshotStats;
import io.sluice.tablet.log.BatchDirectories;
import io.sluice.tablet.log.DiskGuard;
import io.sluice.tablet.log.DiskLimits;
import io.sluice.tablet.log.LogConfig;
import io.sluice.tablet.log.StoragePlatform;
import io.sluice.tablet.replica.ClientAddresses;
import io.sluice.tablet.replica.IdGrants;
import io.sluice.tablet.replica.KvCounters;
import io.sluice.tablet.replica.KvHost;
import io.sluice.tablet.replica.ReplicaSet;
import io.sluice.tablet.replica.ReplicationContext;
import io.sluice.tablet.replica.RetentionAgent;
import io.sluice.tablet.replica.TabletStorageConfig;
import io.sluice.tablet.replication.Followers;
import io.sluice.tablet.replication.IsrProposals;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Memory, replicas, and what says that they are recovered. */
@Configuration(proxyBeanMethods = false)
final class StorageConfiguration {
  static final String RECOVERED = "recovered";
  static final String REGISTERED = "registered";

  /** Below the data directory. */
  private static final String NATIVE_LIBRARIES = "native";

  @Bean
  ServiceIdentity serviceIdentity(TabletProperties properties) {
    return ServiceIdentity.of("tablet", Integer.toString(properties.id()), TabletApplication.class);
  }

  @Bean
  ReadinessGate readinessGate() {
    return ReadinessGate.of(RECOVERED, REGISTERED);
  }

  // Lives as long as the process: connections may give buffers back after everything else stopped.
  @Bean(destroyMethod = "")
  BufferAllocator rootAllocator(TabletProperties properties) {
    return new RootAllocator(properties.allocatorBytes().toBytes());
  }

  @Bean(destroyMethod = "")
  KvHost kvHost(
      TabletProperties properties, TimeSource time, BufferAllocator allocator, IdGrants ids) {
    NativeLibraries.load(properties.dataDir().resolve(NATIVE_LIBRARIES));
    TabletProperties.Kv kv = properties.kv();
    KvSettings settings =
        new KvSettings(
            kv.blockCacheBytes().toBytes(),
            kv.rowCacheBytes().toBytes(),
            kv.memtableBytes().toBytes(),
            kv.storeMemtableBytes().toBytes(),
            kv.openFiles(),
            kv.backgroundThreads(),
            kv.flushInterval().toMillis(),
            kv.waitingBytes().toBytes(),
            kv.replayBytes().toBytes(),
            kv.snapshotInterval().toMillis(),
            kv.openThreads());
    return KvHost.open(settings, allocator, time, ids);
  }

  @Bean(destroyMethod = "")
  ReplicaSet replicaSet(
      TabletProperties properties,
      TimeSource time,
      BufferAllocator allocator,
      KvHost kv,
      Followers followers,
      IsrProposals proposals,
      ClientAddresses addresses,
      ReadinessGate gate) {
    ReplicaSet replicas =
        ReplicaSet.open(
            storageConfig(properties),
            StoragePlatform.of(time),
            new FormatBatchSlicer(allocator),
            kv,
            ReplicationContext.of(followers, proposals, addresses));
    gate.open(RECOVERED);
    return replicas;
  }

  /** The last to stop: forces the logs and leaves the mark of a clean stop. */
  @Bean
  ServiceLifecycle replicaLifecycle(ReplicaSet replicas, KvHost kv, ReadinessGate gate) {
    return new ServiceLifecycle(
        "replicas",
        LifecyclePhase.ENGINE,
        () -> {},
        () -> {
          gate.close(RECOVERED, "stopped");
          replicas.close();
          kv.close();
        });
  }

  @Bean
  HealthIndicator diskHealthIndicator(ReplicaSet replicas) {
    return new DiskHealthIndicator(replicas.disk());
  }

  @Bean
  MeterBinder storageMeters(ReplicaSet replicas, KvHost kv, BufferAllocator allocator) {
    return registry -> {
      bind(registry, replicas, allocator);
      bindDisk(registry, replicas);
      bindDirectories(registry, replicas.files().directories());
      bindKv(registry, replicas, kv);
      ReplicationMetrics.bind(registry, replicas);
    };
  }

  private static void bindKv(MeterRegistry registry, ReplicaSet replicas, KvHost kv) {
    Gauge.builder("sluice.kv.stores", kv.resources(), KvResources::openStores)
        .description("Key-value stores that are open")
        .register(registry);
    Gauge.builder("sluice.kv.memtables", kv.resources(), KvResources::memtableBytes)
        .baseUnit("bytes")
        .description("Memtables of all key-value stores")
        .register(registry);
    Gauge.builder("sluice.kv.block.cache", kv.resources(), KvResources::cacheBytes)
        .baseUnit("bytes")
        .description("Block cache of all key-value stores, memtables included")
        .register(registry);
    Gauge.builder("sluice.kv.row.cache", kv.resources(), KvResources::rowCacheBytes)
        .baseUnit("bytes")
        .description("Rows of all key-value stores that were read lately")
        .register(registry);
    FunctionCounter.builder("sluice.kv.row.cache.hits", kv.resources(), KvResources::rowCacheHits)
        .description("Rows read that were in the row cache")
        .register(registry);
    FunctionCounter.builder(
            "sluice.kv.row.cache.misses", kv.resources(), KvResources::rowCacheMisses)
        .description("Rows read that were not in the row cache")
        .register(registry);
    Gauge.builder("sluice.kv.files", kv.resources(), KvResources::fileBytes)
        .baseUnit("bytes")
        .description("Table files of all key-value stores")
        .register(registry);
    bindSnapshots(registry, kv.snapshots(), kv.snapshotStats());
    bindPuts(registry, kv.counters());
    Gauge.builder("sluice.kv.applied.lag", replicas, ReplicaSet::appliedLag)
        .description("Changelog records that are committed but not yet applied, all buckets")
        .register(registry);
  }

  private static void bindPuts(MeterRegistry registry, KvCounters counters) {
    for (ErrorCode code : ErrorCode.values()) {
      FunctionCounter.builder("sluice.puts.refused", counters, c -> c.refusedPuts(code))
          .tag("code", code.name())
          .description("Puts that buckets refused, of log tables too")
          .register(registry);
    }
    FunctionCounter.builder("sluice.kv.ids.granted", counters, KvCounters::grantedIds)
        .description("Ids for auto-increment columns that the coordinator granted")
        .register(registry);
    FunctionCounter.builder("sluice.kv.rows.expired", counters, KvCounters::expiredRows)
        .description("Rows removed because they outlived table.kv.ttl")
        .register(registry);
    FunctionCounter.builder("sluice.kv.rows.made", counters, KvCounters::madeRows)
        .description("Rows made by lookups of keys that had none")
        .register(registry);
    FunctionCounter.builder("sluice.kv.stores.fetched", counters, KvCounters::installedStores)
        .description("Stores that replicas got from their leaders, as their logs did not suffice")
        .register(registry);
  }

  private static void bindSnapshots(
      MeterRegistry registry, SnapshotAgent snapshots, SnapshotStats stats) {
    FunctionCounter.builder("sluice.kv.snapshots", stats, SnapshotStats::taken)
        .description("Snapshots of key-value stores taken")
        .register(registry);
    FunctionCounter.builder("sluice.kv.snapshot.failures", stats, SnapshotStats::failed)
        .description("Snapshots of key-value stores that could not be taken")
        .register(registry);
    FunctionCounter.builder("sluice.kv.restores", stats, SnapshotStats::restored)
        .description("Damaged key-value stores put right from a snapshot or the whole changelog")
        .register(registry);
    Gauge.builder("sluice.kv.snapshot.age", snapshots, agent -> agent.oldestAgeMs() / 1000.0)
        .baseUnit("seconds")
        .description("Longest time that a changed store has been without a new snapshot")
        .register(registry);
    Gauge.builder("sluice.kv.snapshot.size", snapshots, SnapshotAgent::bytes)
        .baseUnit("bytes")
        .description("Files of all snapshots, those they share with their stores included")
        .register(registry);
  }

  private static void bindDisk(MeterRegistry registry, ReplicaSet replicas) {
    DiskGuard disk = replicas.disk();
    Gauge.builder("sluice.disk.full", disk, guard -> guard.full() ? 1 : 0)
        .description("1 while writes are refused for want of disk space")
        .register(registry);
    Gauge.builder("sluice.disk.usage.ratio", disk, DiskGuard::usedPart)
        .description("Used part of the data directory's disk, 0 to 1")
        .register(registry);
    RetentionAgent retention = replicas.retention();
    FunctionCounter.builder("sluice.retention.segments", retention, RetentionAgent::deletedSegments)
        .description("Log segments deleted because they outlived table.log.ttl")
        .register(registry);
    FunctionCounter.builder("sluice.retention.size", retention, RetentionAgent::deletedBytes)
        .baseUnit("bytes")
        .description("Bytes of the deleted segments")
        .register(registry);
    Gauge.builder("sluice.log.start", replicas, StorageConfiguration::logStarts)
        .description("Sum of the first readable offsets of all logs")
        .register(registry);
  }

  private static void bindDirectories(MeterRegistry registry, BatchDirectories directories) {
    Gauge.builder("sluice.scan.directory", directories, BatchDirectories::usedBytes)
        .baseUnit("bytes")
        .description("Memory for what is known of the batches of sealed segments")
        .register(registry);
    FunctionCounter.builder("sluice.scan.directory.hits", directories, BatchDirectories::hits)
        .description("Sealed segments that a scan entered and whose batches were known")
        .register(registry);
    FunctionCounter.builder("sluice.scan.directory.misses", directories, BatchDirectories::misses)
        .description("Sealed segments that a scan entered and whose batches were not known")
        .register(registry);
  }

  private static double logStarts(ReplicaSet replicas) {
    return replicas.all().stream().mapToLong(each -> each.offsets().logStart()).sum();
  }

  private static void bind(MeterRegistry registry, ReplicaSet replicas, BufferAllocator allocator) {
    Gauge.builder("sluice.replicas", replicas, set -> set.all().size())
        .description("Replicas on this server that can serve")
        .register(registry);
    Gauge.builder("sluice.replicas.offline", replicas, set -> set.offline().size())
        .description("Replicas whose data is damaged or whose disk failed")
        .register(registry);
    Gauge.builder("sluice.disk.used", replicas, ReplicaSet::diskUsedBytes)
        .baseUnit("bytes")
        .description("Bytes of all replicas on disk")
        .register(registry);
    Gauge.builder("sluice.append.queued", replicas, ReplicaSet::queuedBytes)
        .baseUnit("bytes")
        .description("Bytes of puts that wait for their answer")
        .register(registry);
    Gauge.builder("sluice.allocator.used", allocator, BufferAllocator::getAllocatedMemory)
        .baseUnit("bytes")
        .description("Arrow memory in use")
        .register(registry);
  }

  private static TabletStorageConfig storageConfig(TabletProperties properties) {
    TabletProperties.Storage storage = properties.storage();
    return new TabletStorageConfig(
        properties.id(),
        properties.dataDir(),
        new LogConfig(
            (int) Math.min(storage.segmentBytes().toBytes(), Integer.MAX_VALUE),
            storage.segmentAge().toMillis(),
            LogConfig.DEFAULT.indexIntervalBytes(),
            LogConfig.DEFAULT.indexEntries(),
            storage.writerExpiry().toMillis()),
        DiskLimits.DEFAULT,
        storage.shards(),
        storage.queueBytes().toBytes(),
        storage.recoveryThreads(),
        storage.openFiles(),
        storage.forceInterval().toMillis(),
        storage.checkpointInterval().toMillis(),
        storage.retentionInterval().toMillis());
  }
}
