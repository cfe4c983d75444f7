package io.sluice.tablet.lookup;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** What reads and writes of primary-key tables count. Thread-safe. */
public final class KvMeters {
  private final Counter gets;
  private final Counter found;
  private final Counter reads;
  private final Counter puts;
  private final Counter prefixes;
  private final Counter prefixRows;
  private final Counter scans;
  private final Counter scanRows;

  /** Registers every meter. */
  public KvMeters(MeterRegistry registry) {
    gets = registry.counter("sluice.kv.gets");
    found = registry.counter("sluice.kv.gets.found");
    reads = registry.counter("sluice.kv.reads");
    puts = registry.counter("sluice.kv.puts");
    prefixes = registry.counter("sluice.kv.prefixes");
    prefixRows = registry.counter("sluice.kv.prefix.rows");
    scans = registry.counter("sluice.kv.scans");
    scanRows = registry.counter("sluice.kv.scan.rows");
  }

  /** One read of the store for so many keys. */
  void read(int keys, int rowsFound) {
    reads.increment();
    gets.increment(keys);
    found.increment(rowsFound);
  }

  /** Rows that were put or deleted. */
  public void put(int rows) {
    puts.increment(rows);
  }

  /** Prefixes were read, with so many rows in all. */
  void prefixes(int count, int rows) {
    prefixes.increment(count);
    prefixRows.increment(rows);
  }

  /** A scan of a bucket's rows has begun. */
  public void scanned() {
    scans.increment();
  }

  /** Rows were sent by a scan. */
  public void scanRows(int rows) {
    scanRows.increment(rows);
  }
}
