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
import org.rocksdb.DataBlockIndexType;
import org.rocksdb.Env;
import org.rocksdb.FlushOptions;
import org.rocksdb.HyperClockCache;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.Options;
import org.rocksdb.Priority;
import org.rocksdb.ReadOptions;
import org.rocksdb.ReadTier;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileManager;
import org.rocksdb.WriteBufferManager;
import org.rocksdb.WriteOptions;
import org.rocksdb.util.StdErrLogger;

/**
 * What all key-value stores of a process share: block cache, memtable budget, background threads
 * and the options of reads and writes. Opened before the first store, closed after the last.
 * Thread-safe.
 */
public final class KvResources implements AutoCloseable {
  private static final double BLOOM_BITS_PER_KEY = 10;
  // Few: a shard must hold many filters, of up to a MiB each, beside its blocks.
  private static final int CACHE_SHARD_BITS = 4;
  // Its table grows by itself; entries range from blocks to filters of a MiB.
  private static final long ANY_ENTRY_BYTES = 0;
  // A lookup that misses the cache unpacks a whole block.
  private static final int BLOCK_BYTES = 4 * 1024;
  private static final double HASH_INDEX_USE = 0.75;
  // Small, so that thousands of stores that are hardly written to cost little.
  private static final long MEMTABLE_ARENA_BYTES = 64 * 1024;
  private static final long MANIFEST_BYTES = 64 * 1024;
  private static final int TABLE_CACHE_SHARD_BITS = 1;
  // One that fills and one being written are not enough while compactions have the disk.
  private static final int MEMTABLES_PER_STORE = 4;
  private static final long SYNC_BYTES = 1024 * 1024;

  private final KvSettings settings;
  private final Env env;
  private final Cache cache;
  private final RowCache rows;
  private final WriteBufferManager memtables;
  private final BloomFilter bloom;
  // RocksDB's own log costs each store an open file and 80 KB; what fails is told to the callers.
  private final StdErrLogger noLog = new StdErrLogger(InfoLogLevel.NUM_INFO_LOG_LEVELS);
  private final SstFileManager files;
  private final ReadOptions pointReads = new ReadOptions();
  private final ReadOptions memoryReads = new ReadOptions().setReadTier(ReadTier.BLOCK_CACHE_TIER);
  private final ReadOptions persistedReads = new ReadOptions().setReadTier(ReadTier.PERSISTED_TIER);
  private final ReadOptions scanReads = new ReadOptions().setFillCache(false);
  // The changelog is the write-ahead log; a write that would have to wait fails instead.
  private final WriteOptions writes = new WriteOptions().setDisableWAL(true).setNoSlowdown(true);
  private final FlushOptions flushes = new FlushOptions().setWaitForFlush(true);
  private final Set<KvStore> stores = ConcurrentHashMap.newKeySet();
  private final AtomicInteger openScans = new AtomicInteger();
  private boolean closed;

  private KvResources(KvSettings settings) throws RocksDBException {
    this.settings = settings;
    this.env = Env.getDefault();
    env.setBackgroundThreads(settings.backgroundThreads(), Priority.HIGH);
    env.setBackgroundThreads(settings.backgroundThreads(), Priority.LOW);
    this.cache =
        new HyperClockCache(settings.blockCacheBytes(), ANY_ENTRY_BYTES, CACHE_SHARD_BITS, false);
    this.rows = new RowCache(settings.rowCacheBytes());
    this.memtables = new WriteBufferManager(settings.memtableBytes(), cache, false);
    this.bloom = new BloomFilter(BLOOM_BITS_PER_KEY);
    this.files = new SstFileManager(env);
  }

  /** Loads the native library and makes what is shared. */
  public static KvResources open(KvSettings settings) {
    RocksDB.loadLibrary();
    try {
      return new KvResources(settings);
    } catch (RocksDBException e) {
      throw KvErrors.failed("Set-up of", "the key-value stores", e);
    }
  }

  /** The limits given. */
  public KvSettings settings() {
    return settings;
  }

  /** Options of one store; the store closes them after the database. */
  Options storeOptions() {
    return new Options()
        .setCreateIfMissing(true)
        .setEnv(env)
        .setWriteBufferManager(memtables)
        .setWriteBufferSize(settings.storeMemtableBytes())
        .setMaxWriteBufferNumber(MEMTABLES_PER_STORE)
        .setArenaBlockSize(MEMTABLE_ARENA_BYTES)
        .setSstFileManager(files)
        .setTableCacheNumshardbits(TABLE_CACHE_SHARD_BITS)
        .setManifestPreallocationSize(MANIFEST_BYTES)
        .setAllowConcurrentMemtableWrite(false)
        .setBytesPerSync(SYNC_BYTES)
        .setMaxOpenFiles(settings.maxOpenFilesPerStore())
        // Nearly all lookups end in the last level: it has to unpack as fast as the others.
        .setCompressionType(CompressionType.LZ4_COMPRESSION)
        .setLevelCompactionDynamicLevelBytes(true)
        .setTableFormatConfig(tableFormat())
        // Only flush() decides what survives: closing without it is what a crash leaves behind.
        .setAvoidFlushDuringShutdown(true)
        .setSkipStatsUpdateOnDbOpen(true)
        .setStatsDumpPeriodSec(0)
        .setStatsPersistPeriodSec(0)
        .setLogger(noLog);
  }

  private BlockBasedTableConfig tableFormat() {
    return new BlockBasedTableConfig()
        .setBlockCache(cache)
        .setBlockSize(BLOCK_BYTES)
        .setDataBlockIndexType(DataBlockIndexType.kDataBlockBinaryAndHash)
        .setDataBlockHashTableUtilRatio(HASH_INDEX_USE)
        .setFilterPolicy(bloom)
        .setCacheIndexAndFilterBlocks(true)
        .setCacheIndexAndFilterBlocksWithHighPriority(true)
        .setPinL0FilterAndIndexBlocksInCache(true);
  }

  /** Options for a look at a copy of a store, which leave no files there. */
  Options copyOptions() {
    return new Options()
        .setEnv(env)
        .setMaxOpenFiles(settings.maxOpenFilesPerStore())
        .setTableCacheNumshardbits(TABLE_CACHE_SHARD_BITS)
        .setTableFormatConfig(tableFormat())
        .setSkipStatsUpdateOnDbOpen(true)
        .setStatsDumpPeriodSec(0)
        .setStatsPersistPeriodSec(0)
        .setLogger(noLog);
  }

  /** Rows read lately. */
  RowCache rows() {
    return rows;
  }

  ReadOptions pointReads() {
    return pointReads;
  }

  /** Reads that fail where they would need a file. */
  ReadOptions memoryReads() {
    return memoryReads;
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

  /** Bytes of the table files of all open stores. */
  public long fileBytes() {
    return files.getTotalSize();
  }

  /** Bytes in the shared block cache, memtables included. */
  public long cacheBytes() {
    return cache.getUsage();
  }

  /** Memory of the rows read lately. */
  public long rowCacheBytes() {
    return rows.bytes();
  }

  /** Rows that were found among those read lately. */
  public long rowCacheHits() {
    return rows.hits();
  }

  /** Rows that were not found among those read lately. */
  public long rowCacheMisses() {
    return rows.misses();
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
    memoryReads.close();
    pointReads.close();
    files.close();
    noLog.close();
    bloom.close();
    memtables.close();
    cache.close();
  }
}
