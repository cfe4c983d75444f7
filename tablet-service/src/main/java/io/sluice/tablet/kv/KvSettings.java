package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;

/**
 * Limits of all key-value stores of a process.
 *
 * @param blockCacheBytes memory for blocks, filters and indexes, which memtables are charged to
 * @param rowCacheBytes memory for rows read lately, outside of RocksDB; 0 for none
 * @param memtableBytes memtables of all stores together; above it RocksDB flushes by itself
 * @param storeMemtableBytes a memtable of this size is flushed
 * @param maxOpenFilesPerStore files one store keeps open
 * @param backgroundThreads threads for flushes, and as many for compactions, of all stores together
 * @param maxMemtableAgeMs a store is flushed at the latest this long after its first unflushed
 *     write
 * @param preWriteBufferBytes bytes of a bucket's changes that wait for RocksDB, above which puts
 *     are refused with BACKPRESSURE
 * @param maxReplayBytes a store is flushed when a restart would replay more of its changelog
 * @param snapshotIntervalMs age of a store's newest snapshot at which another is taken, if anything
 *     has changed
 * @param openThreads stores opened at the same time
 */
public record KvSettings(
    long blockCacheBytes,
    long rowCacheBytes,
    long memtableBytes,
    long storeMemtableBytes,
    int maxOpenFilesPerStore,
    int backgroundThreads,
    long maxMemtableAgeMs,
    long preWriteBufferBytes,
    long maxReplayBytes,
    long snapshotIntervalMs,
    int openThreads) {
  private static final long MIB = 1024 * 1024;

  public KvSettings {
    requirePositive("blockCacheBytes", blockCacheBytes);
    if (rowCacheBytes < 0) {
      throw new SluiceException(
          ErrorCode.INVALID_OPTION,
          "rowCacheBytes is " + rowCacheBytes + "; it must be 0 (no row cache) or above");
    }
    requirePositive("memtableBytes", memtableBytes);
    requirePositive("storeMemtableBytes", storeMemtableBytes);
    requirePositive("maxOpenFilesPerStore", maxOpenFilesPerStore);
    requirePositive("backgroundThreads", backgroundThreads);
    requirePositive("maxMemtableAgeMs", maxMemtableAgeMs);
    requirePositive("preWriteBufferBytes", preWriteBufferBytes);
    requirePositive("maxReplayBytes", maxReplayBytes);
    requirePositive("snapshotIntervalMs", snapshotIntervalMs);
    requirePositive("openThreads", openThreads);
  }

  /** With a small row cache and the defaults of replay, snapshots and opening. */
  public KvSettings(
      long blockCacheBytes,
      long memtableBytes,
      long storeMemtableBytes,
      int maxOpenFilesPerStore,
      int backgroundThreads,
      long maxMemtableAgeMs,
      long preWriteBufferBytes) {
    this(
        blockCacheBytes,
        4 * MIB,
        memtableBytes,
        storeMemtableBytes,
        maxOpenFilesPerStore,
        backgroundThreads,
        maxMemtableAgeMs,
        preWriteBufferBytes,
        256 * MIB,
        10 * 60_000L,
        4);
  }

  /** For a server with a few hundred MiB to spend on keys. */
  public static KvSettings defaults() {
    return new KvSettings(256 * MIB, 128 * MIB, 32 * MIB, 256, 2, 10 * 60_000L, 64 * MIB);
  }

  private static void requirePositive(String name, long value) {
    if (value <= 0) {
      throw new SluiceException(
          ErrorCode.INVALID_OPTION, name + " is " + value + "; it must be above 0");
    }
  }
}
