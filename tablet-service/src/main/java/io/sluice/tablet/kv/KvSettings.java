package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;

/**
 * Limits of all key-value stores of a process.
 *
 * @param blockCacheBytes memory for blocks, filters and indexes, which memtables are charged to
 * @param memtableBytes memtables of all stores together; above it RocksDB flushes by itself
 * @param storeMemtableBytes a memtable of this size is flushed
 * @param maxOpenFilesPerStore files one store keeps open
 * @param backgroundThreads threads for flushes, and as many for compactions, of all stores together
 * @param maxMemtableAgeMs a store is flushed at the latest this long after its first unflushed
 *     write
 * @param preWriteBufferBytes bytes of a bucket's changes that wait for RocksDB, above which puts
 *     are refused with BACKPRESSURE
 */
public record KvSettings(
    long blockCacheBytes,
    long memtableBytes,
    long storeMemtableBytes,
    int maxOpenFilesPerStore,
    int backgroundThreads,
    long maxMemtableAgeMs,
    long preWriteBufferBytes) {
  private static final long MIB = 1024 * 1024;

  public KvSettings {
    requirePositive("blockCacheBytes", blockCacheBytes);
    requirePositive("memtableBytes", memtableBytes);
    requirePositive("storeMemtableBytes", storeMemtableBytes);
    requirePositive("maxOpenFilesPerStore", maxOpenFilesPerStore);
    requirePositive("backgroundThreads", backgroundThreads);
    requirePositive("maxMemtableAgeMs", maxMemtableAgeMs);
    requirePositive("preWriteBufferBytes", preWriteBufferBytes);
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
