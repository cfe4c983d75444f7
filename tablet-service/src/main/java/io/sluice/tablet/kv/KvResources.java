package io.sluice.tablet.kv;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.CompressionType;
import org.rocksdb.Env;
import org.rocksdb.FlushOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.Priority;
import org.rocksdb.ReadOptions;
import org.rocksdb.ReadTier;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBufferManager;
import org.rocksdb.WriteOptions;

/**
 * What all key-value stores of a process share: block cache, memtable budget, background threads
 * and the options of reads and writes. Opened before the first store, closed after the last.
 * Thread-safe.
 */
public final class KvResources implements AutoCloseable {
  private static final double BLOOM_BITS_PER_KEY = 10;
  private static final int BLOCK_BYTES = 8 * 1024;
  // Small, so that thousands of stores that are hardly written to cost little.
  private static final long MEMTABLE_ARENA_BYTES = 64 * 1024;
  private static final long INFO_LOG_BYTES = 1024 * 1024;

  private final KvSettings settings;
  private final Env env;
  private final Cache cache;
  private final WriteBufferManager memtables;
  private final BloomFilter bloom;
  private final ReadOptions pointReads = new ReadOptions();
  private final ReadOptions persistedReads = new ReadOptions().setReadTier(ReadTier.PERSISTED_TIER);
  private final ReadOptions scanReads = new ReadOptions().setFillCache(false);
  // The changelog is the write-ahead log; a write that would have to wait fails instead.
  private final WriteOptions writes = new WriteOptions().setDisableWAL(true).setNoSlowdown(true);
  private final FlushOptions flushes = new FlushOptions().setWaitForFlush(true);
  private final Set<KvStore> stores = ConcurrentHashMap.newKeySet();
  private final AtomicInteger openScans = new AtomicInteger();
  private boolean closed;

  private KvResources(KvSettings settings) {
    this.settings = settings;
    this.env = Env.getDefault();
    env.setBackgroundThreads(settings.backgroundThreads(), Priority.HIGH);
    env.setBackgroundThreads(settings.backgroundThreads(), Priority.LOW);
    this.cache = new LRUCache(settings.blockCacheBytes());
    this.memtables = new WriteBufferManager(settings.memtableBytes(), cache, false);
    this.bloom = new BloomFilter(BLOOM_BITS_PER_KEY);
  }

  /** Loads the native library and makes what is shared. */
  public static KvResources open(KvSettings settings) {
    RocksDB.loadLibrary();
    return new KvResources(settings);
  }

  /** The limits given. */
  public KvSettings settings() {
    return settings;
  }

  /** Options of one store; the store closes them after the database. */
  Options storeOptions() {
    BlockBasedTableConfig table =
        new BlockBasedTableConfig()
            .setBlockCache(cache)
            .setBlockSize(BLOCK_BYTES)
            .setFilterPolicy(bloom)
            .setCacheIndexAndFilterBlocks(true)
            .setPinL0FilterAndIndexBlocksInCache(true);
    return new Options()
        .setCreateIfMissing(true)
        .setEnv(env)
        .setWriteBufferManager(memtables)
        .setWriteBufferSize(settings.storeMemtableBytes())
        .setArenaBlockSize(MEMTABLE_ARENA_BYTES)
        .setMaxOpenFiles(settings.maxOpenFilesPerStore())
        .setCompressionType(CompressionType.LZ4_COMPRESSION)
        .setBottommostCompressionType(CompressionType.ZSTD_COMPRESSION)
        .setLevelCompactionDynamicLevelBytes(true)
        .setTableFormatConfig(table)
        // Only flush() decides what survives: closing without it is what a crash leaves behind.
        .setAvoidFlushDuringShutdown(true)
        .setSkipStatsUpdateOnDbOpen(true)
        .setStatsDumpPeriodSec(0)
        .setStatsPersistPeriodSec(0)
        .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
        .setMaxLogFileSize(INFO_LOG_BYTES)
        .setKeepLogFileNum(2);
  }

  ReadOptions pointReads() {
    return pointReads;
  }

  /** Reads that see only what is in files. */
  ReadOptions persistedReads() {
    return persistedReads;
  }

  ReadOptions scanReads() {
    return scanReads;
  }

  WriteOptions writes() {
    return writes;
  }

  FlushOptions flushes() {
    return flushes;
  }

  void opened(KvStore store) {
    stores.add(store);
  }

  void closed(KvStore store) {
    stores.remove(store);
  }

  void scanOpened() {
    openScans.incrementAndGet();
  }

  void scanClosed() {
    openScans.decrementAndGet();
  }

  /** The open stores, in no order. */
  List<KvStore> stores() {
    return new ArrayList<>(stores);
  }

  /** Stores that are open now. */
  public int openStores() {
    return stores.size();
  }

  /** Scans that are open now, each with a native iterator. */
  public int openScans() {
    return openScans.get();
  }

  /** Bytes of the memtables of all open stores. */
  public long memtableBytes() {
    long total = 0;
    for (KvStore store : stores) {
      total += MemtableFlusher.bytes(store);
    }
    return total;
  }

  /** Bytes in the shared block cache, memtables included. */
  public long cacheBytes() {
    return cache.getUsage();
  }

  /** Closes what is still open, flushed, and gives the native memory back. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (KvStore store : stores()) {
      store.close();
    }
    flushes.close();
    writes.close();
    scanReads.close();
    persistedReads.close();
    pointReads.close();
    bloom.close();
    memtables.close();
    cache.close();
  }
}
