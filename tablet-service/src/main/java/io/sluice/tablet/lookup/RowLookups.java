package io.sluice.tablet.lookup;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.BatchLimits;
import io.sluice.tablet.kv.PrefixRows;
import io.sluice.tablet.kv.RowsView;
import io.sluice.tablet.replica.Replica;
import io.sluice.tablet.replica.Replicas;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads rows of the buckets that this server leads; owns the threads for it. Thread-safe. */
public final class RowLookups implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RowLookups.class);
  private static final long CLOSE_SECONDS = 5;
  private static final long IDLE_SECONDS = 60;

  /** Exchanges worked off at the same time; they wait for other servers and for puts. */
  private static final int EXCHANGE_THREADS = 8;

  /** Keys of one read. */
  private static final int READ_KEYS = 128;

  /** Keys of one read of large rows, so that an answer that gets too large is seen early. */
  private static final int READ_LARGE_ROWS = 4;

  private static final int LARGE_ROW_BYTES = 64 * 1024;

  private final Replicas replicas;
  private final KvMeters meters;
  private final ThreadPoolExecutor threads;
  private final ExecutorService exchanges;

  /**
   * @param threadCount reads at the same time
   */
  public RowLookups(Replicas replicas, KvMeters meters, int threadCount) {
    this.replicas = replicas;
    this.meters = meters;
    this.threads = pool("lookup", threadCount);
    this.exchanges = pool("exchange", EXCHANGE_THREADS);
  }

  private static ThreadPoolExecutor pool(String name, int threadCount) {
    AtomicInteger count = new AtomicInteger();
    ThreadFactory daemons =
        task -> {
          Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        };
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threadCount,
            threadCount,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            daemons);
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** Where lookups run; nothing there waits for another server or for a put. */
  public Executor threads() {
    return threads;
  }

  /** Whether somebody waits for one of {@link #threads}. */
  boolean othersWait() {
    return !threads.getQueue().isEmpty();
  }

  /** Where exchanges run, which may wait. */
  public Executor exchanges() {
    return exchanges;
  }

  /** Counters of key-value work. */
  public KvMeters meters() {
    return meters;
  }

  /**
   * The encoded rows of encoded keys, in their order, null for no row; up to {@value #READ_KEYS} as
   * of one moment, with everything acknowledged before.
   *
   * @throws SluiceException NOT_LEADER and the like, LEADER_NOT_READY when another server may lead
   *     by now; UNSUPPORTED for a log table; BATCH_TOO_LARGE when the rows of several keys are more
   *     than an answer holds
   */
  public List<byte @Nullable []> read(TableBucket bucket, List<byte[]> keys) {
    return read(replica(bucket), keys);
  }

  List<byte @Nullable []> read(Replica replica, List<byte[]> keys) {
    RowsView rows = replica.requireRows();
    if (keys.size() <= READ_LARGE_ROWS) {
      List<byte @Nullable []> values = rows.multiGet(keys);
      replica.requireLease();
      count(values);
      requireFits(keys.size(), bytes(values));
      return values;
    }
    List<byte @Nullable []> values = new ArrayList<>(keys.size());
    long bytes = 0;
    int step = READ_KEYS;
    for (int from = 0; from < keys.size(); ) {
      int to = Math.min(keys.size(), from + step);
      List<byte @Nullable []> some = rows.multiGet(keys.subList(from, to));
      count(some);
      values.addAll(some);
      bytes += bytes(some);
      requireFits(keys.size(), bytes);
      from = to;
      step = bytes / from > LARGE_ROW_BYTES ? READ_LARGE_ROWS : READ_KEYS;
    }
    replica.requireLease();
    return values;
  }

  static long bytes(List<byte @Nullable []> values) {
    long bytes = 0;
    for (byte[] value : values) {
      bytes += value == null ? 0 : value.length;
    }
    return bytes;
  }

  private static void requireFits(int keys, long bytes) {
    if (bytes > BatchLimits.MAX_SINGLE_ROW_BYTES && keys > 1) {
      throw tooLarge(keys + " keys", "look fewer keys up at once");
    }
  }

  private static SluiceException tooLarge(String what, String wayOut) {
    return new SluiceException(
        ErrorCode.BATCH_TOO_LARGE,
        "The rows of "
            + what
            + " take more than the "
            + BatchLimits.MAX_SINGLE_ROW_BYTES
            + " bytes that one answer holds; "
            + wayOut);
  }

  void count(List<byte @Nullable []> values) {
    int found = 0;
    for (byte[] value : values) {
      found += value == null ? 0 : 1;
    }
    meters.read(values.size(), found);
  }

  /** A read that makes the rows that do not exist. */
  public InsertingRead readOrInsert(TableBucket bucket, List<byte[]> keys) {
    return new InsertingRead(this, replica(bucket), keys);
  }

  /**
   * The rows whose encoded keys begin with the prefixes, in key order, those of each prefix as of
   * one moment with everything acknowledged before.
   *
   * @param limit at most so many rows of each prefix, 0 = all
   * @throws SluiceException NOT_LEADER and the like; BATCH_TOO_LARGE when the rows of several
   *     prefixes are more than an answer holds, QUERY_LIMIT_EXCEEDED when those of one are
   */
  public PrefixRows readPrefixes(TableBucket bucket, List<byte[]> prefixes, int limit) {
    return readPrefixes(replica(bucket), prefixes, limit);
  }

  PrefixRows readPrefixes(Replica replica, List<byte[]> prefixes, int limit) {
    PrefixRows rows;
    try {
      rows = replica.requireRows().prefixes(prefixes, limit, BatchLimits.MAX_SINGLE_ROW_BYTES);
    } catch (SluiceException e) {
      if (e.code() == ErrorCode.QUERY_LIMIT_EXCEEDED && prefixes.size() > 1) {
        throw tooLarge(
            prefixes.size() + " prefixes", "look fewer prefixes up at once, or give a limit");
      }
      throw e;
    }
    replica.requireLease();
    meters.prefixes(prefixes.size(), rows.values().size());
    return rows;
  }

  Replica replica(TableBucket bucket) {
    return replicas.require(bucket);
  }

  @Override
  public void close() {
    threads.shutdown();
    exchanges.shutdown();
    try {
      if (!threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)
          || !exchanges.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        log.warn("Lookups still run after {} s", CLOSE_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
