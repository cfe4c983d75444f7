package io.sluice.tablet.lookup;

import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.replica.Replica;
import io.sluice.tablet.replica.Replicas;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads rows of the buckets that this server leads; owns the threads for it. Thread-safe. */
public final class RowLookups implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RowLookups.class);
  private static final long CLOSE_SECONDS = 5;

  private final Replicas replicas;
  private final KvMeters meters;
  private final ExecutorService threads;

  /**
   * @param threadCount reads at the same time
   */
  public RowLookups(Replicas replicas, KvMeters meters, int threadCount) {
    this.replicas = replicas;
    this.meters = meters;
    AtomicInteger count = new AtomicInteger();
    this.threads =
        Executors.newFixedThreadPool(
            threadCount,
            task -> {
              Thread thread = new Thread(task, "lookup-" + count.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Where lookups run. */
  public Executor threads() {
    return threads;
  }

  /** Counters of key-value work. */
  public KvMeters meters() {
    return meters;
  }

  /**
   * The encoded rows of encoded keys, in their order, null for no row; as of one moment, with
   * everything acknowledged before.
   *
   * @throws SluiceException NOT_LEADER and the like; UNSUPPORTED for a log table
   */
  public List<byte @Nullable []> read(TableBucket bucket, List<byte[]> keys) {
    return read(replica(bucket), keys);
  }

  List<byte @Nullable []> read(Replica replica, List<byte[]> keys) {
    List<byte @Nullable []> values = replica.requireRows().multiGet(keys);
    int found = 0;
    for (byte[] value : values) {
      found += value == null ? 0 : 1;
    }
    meters.read(keys.size(), found);
    return values;
  }

  Replica replica(TableBucket bucket) {
    return replicas.require(bucket);
  }

  @Override
  public void close() {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        log.warn("Lookups still run after {} s", CLOSE_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
