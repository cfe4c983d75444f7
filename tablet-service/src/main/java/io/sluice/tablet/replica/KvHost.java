package io.sluice.tablet.replica;

import io.sluice.common.Agent;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TimeSource;
import io.sluice.format.batch.BatchEncoders;
import io.sluice.tablet.kv.ChangelogEncoder;
import io.sluice.tablet.kv.KvResources;
import io.sluice.tablet.kv.KvSettings;
import io.sluice.tablet.kv.KvTablet;
import io.sluice.tablet.kv.MemtableFlusher;
import io.sluice.tablet.kv.snapshot.SnapshotAgent;
import io.sluice.tablet.kv.snapshot.SnapshotCopy;
import io.sluice.tablet.kv.snapshot.SnapshotStats;
import io.sluice.tablet.replication.checkpoint.KvCheckpoints;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.arrow.memory.BufferAllocator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the primary-key buckets of one server share: RocksDB's memory and threads, the agents that
 * flush and take snapshots, the threads that open stores, and the timer that wakes buckets whose
 * store asked to wait. Opened before the {@link ReplicaSet} and closed after it. Thread-safe.
 */
public final class KvHost implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(KvHost.class);
  private static final long FLUSH_INTERVAL_MS = 500;
  private static final long SNAPSHOT_LOOK_MS = 1000;
  private static final int ROUND = 64;
  private static final int IDLE_ENCODERS = 6;
  private static final long STOP_SECONDS = 30;

  private final KvResources resources;
  private final BufferAllocator allocator;
  private final BatchEncoders encoders;
  private final ChangelogEncoder changelogs;
  private final TimeSource time;
  private final IdGrants ids;
  private final KvCounters counters = new KvCounters();
  private final MemtableFlusher flusher;
  private final SnapshotStats snapshotStats = new SnapshotStats();
  private final SnapshotAgent snapshots;
  private final ExecutorService openers;
  private final Map<TableBucket, KvReplica> leaders = new ConcurrentHashMap<>();
  private volatile KvCheckpoints checkpoints = KvCheckpoints.NONE;
  // Three: neither a flush nor a snapshot that takes long keeps a stalled bucket from going on.
  private final ScheduledExecutorService background;

  private KvHost(KvResources resources, BufferAllocator allocator, TimeSource time, IdGrants ids) {
    this.resources = resources;
    this.allocator = allocator;
    this.encoders = new BatchEncoders(allocator, IDLE_ENCODERS);
    this.changelogs = new ChangelogEncoder(encoders);
    this.time = time;
    this.ids = ids;
    this.flusher = new MemtableFlusher(resources, time);
    this.snapshots =
        new SnapshotAgent(time, resources.settings().snapshotIntervalMs(), snapshotStats);
    this.background = Executors.newScheduledThreadPool(3, threads("kv-background-"));
    this.openers =
        Executors.newFixedThreadPool(resources.settings().openThreads(), threads("kv-open-"));
  }

  private static ThreadFactory threads(String prefix) {
    AtomicInteger made = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, prefix + made.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /**
   * Loads RocksDB and starts the flush agent.
   *
   * @param allocator pays for puts and changelogs while they are evaluated
   * @param ids grants the ids of auto-increment columns
   */
  public static KvHost open(
      KvSettings settings, BufferAllocator allocator, TimeSource time, IdGrants ids) {
    KvHost host = new KvHost(KvResources.open(settings), allocator, time, ids);
    host.every(FLUSH_INTERVAL_MS, host.flusher);
    host.every(SNAPSHOT_LOOK_MS, host.snapshots);
    return host;
  }

  private void every(long intervalMs, Agent agent) {
    var unused =
        background.scheduleWithFixedDelay(
            () -> round(agent), intervalMs, intervalMs, TimeUnit.MILLISECONDS);
  }

  /** One round of an agent; the schedule must survive any failure. */
  private void round(Agent agent) {
    try {
      for (int done = 0; done < ROUND && agent.doWork() > 0; done++) {}
    } catch (SluiceException e) {
      log.warn("{} failed and is tried again: {}", agent.name(), e.getMessage());
    } catch (Exception | Error e) {
      log.error("{} failed and is tried again", agent.name(), e);
    }
  }

  /** Shared caches, with their sizes for metrics. */
  public KvResources resources() {
    return resources;
  }

  /** Takes the snapshots of the stores that are open. */
  public SnapshotAgent snapshots() {
    return snapshots;
  }

  /** What became of snapshots since the start. */
  public SnapshotStats snapshotStats() {
    return snapshotStats;
  }

  /** Opens the rows of a bucket on a thread that is for that; fails once this is closed. */
  CompletableFuture<KvTablet> open(Supplier<KvTablet> opening) {
    try {
      return CompletableFuture.supplyAsync(opening, openers);
    } catch (RejectedExecutionException stopping) {
      return CompletableFuture.failedFuture(
          new SluiceException(ErrorCode.UNAVAILABLE, "This tablet server is stopping", stopping));
    }
  }

  /** What the buckets have done. */
  public KvCounters counters() {
    return counters;
  }

  /** Removes files and the like on a thread that is for that; not at all once this is closed. */
  void laterInBackground(Runnable work) {
    after(0, work);
  }

  /** Does the same for many buckets on the threads that open stores, and waits for all. */
  <T> void forAll(Collection<T> buckets, Consumer<T> work) {
    List<CompletableFuture<Void>> running = new ArrayList<>();
    for (T bucket : buckets) {
      running.add(CompletableFuture.runAsync(() -> work.accept(bucket), openers));
    }
    running.forEach(CompletableFuture::join);
  }

  BufferAllocator allocator() {
    return allocator;
  }

  /** What makes batches of changelogs. */
  ChangelogEncoder changelogs() {
    return changelogs;
  }

  /** The clock that says which rows have outlived their table's limit. */
  TimeSource time() {
    return time;
  }

  IdGrants ids() {
    return ids;
  }

  /** Sets who fetches rows from other servers; before any bucket follows one. */
  public void checkpoints(KvCheckpoints fetching) {
    checkpoints = fetching;
  }

  KvCheckpoints checkpoints() {
    return checkpoints;
  }

  /** The bucket is led from here. */
  void leads(TableBucket bucket, KvReplica rows) {
    leaders.put(bucket, rows);
  }

  /** It is not any more. */
  void leadsNoMore(TableBucket bucket, KvReplica rows) {
    leaders.remove(bucket, rows);
  }

  /**
   * A copy of the rows of a bucket that this server leads, for one that follows it; the caller
   * closes it. Takes as long as reading the new part of the rows.
   *
   * @throws SluiceException NOT_LEADER when the bucket is not led from here in that epoch;
   *     LEADER_NOT_READY or UNAVAILABLE while its rows are not open
   */
  public SnapshotCopy copyRows(TableBucket bucket, int leaderEpoch) {
    KvReplica rows = leaders.get(bucket);
    if (rows == null) {
      throw new SluiceException(
          ErrorCode.NOT_LEADER, "This server does not lead " + bucket + " in epoch " + leaderEpoch);
    }
    return rows.copy(leaderEpoch);
  }

  /** Runs something short after a while; not at all once this is closed. */
  void after(long delayMs, Runnable task) {
    try {
      var unused = background.schedule(task, delayMs, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException stopping) {
      log.debug("The server stops; what a bucket waits for does not come any more", stopping);
    }
  }

  @Override
  public void close() {
    openers.shutdown();
    background.shutdownNow();
    try {
      if (!background.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
        log.warn("A flush still runs after {} s", STOP_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    encoders.close();
    try {
      resources.close();
    } catch (SluiceException e) {
      log.warn("Key-value stores are not closed in order; the changelog will be replayed", e);
    }
  }
}
