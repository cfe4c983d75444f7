package io.sluice.tablet.replica;

import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.tablet.kv.KvResources;
import io.sluice.tablet.kv.KvSettings;
import io.sluice.tablet.kv.MemtableFlusher;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.BufferAllocator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the primary-key buckets of one server share: RocksDB's memory and threads, the agent that
 * flushes, and the timer that wakes buckets whose store asked to wait. Opened before the {@link
 * ReplicaSet} and closed after it. Thread-safe.
 */
public final class KvHost implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(KvHost.class);
  private static final long FLUSH_INTERVAL_MS = 500;
  private static final int FLUSHES_A_ROUND = 64;
  private static final long PAUSE_MS = 20;
  private static final long STOP_SECONDS = 30;

  private final KvResources resources;
  private final BufferAllocator allocator;
  private final MemtableFlusher flusher;
  // Two: a flush that takes long must not keep a stalled bucket from going on.
  private final ScheduledExecutorService background;

  private KvHost(KvResources resources, BufferAllocator allocator, TimeSource time) {
    this.resources = resources;
    this.allocator = allocator;
    this.flusher = new MemtableFlusher(resources, time);
    AtomicInteger threads = new AtomicInteger();
    this.background =
        Executors.newScheduledThreadPool(
            2,
            task -> {
              Thread thread = new Thread(task, "kv-background-" + threads.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Loads RocksDB and starts the flush agent.
   *
   * @param allocator pays for puts and changelogs while they are evaluated
   */
  public static KvHost open(KvSettings settings, BufferAllocator allocator, TimeSource time) {
    KvHost host = new KvHost(KvResources.open(settings), allocator, time);
    var unused =
        host.background.scheduleWithFixedDelay(
            host::flush, FLUSH_INTERVAL_MS, FLUSH_INTERVAL_MS, TimeUnit.MILLISECONDS);
    return host;
  }

  /** One round of the agent; the schedule must survive any failure. */
  private void flush() {
    try {
      for (int done = 0; done < FLUSHES_A_ROUND && flusher.doWork() > 0; done++) {}
    } catch (RuntimeException e) {
      log.error("A flush of key-value stores failed and is tried again", e);
    }
  }

  /** Shared caches, with their sizes for metrics. */
  public KvResources resources() {
    return resources;
  }

  BufferAllocator allocator() {
    return allocator;
  }

  /** Runs something short after a short pause; not at all once this is closed. */
  void afterPause(Runnable task) {
    try {
      var unused = background.schedule(task, PAUSE_MS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException stopping) {
      log.debug("The server stops; a stalled key-value store is left as it is", stopping);
    }
  }

  @Override
  public void close() {
    background.shutdownNow();
    try {
      if (!background.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
        log.warn("A flush still runs after {} s", STOP_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try {
      resources.close();
    } catch (SluiceException e) {
      log.warn("Key-value stores are not closed in order; the changelog will be replayed", e);
    }
  }
}
