package io.sluice.client.internal;

import io.sluice.client.TableDescription;
import java.util.Map;

/** How far the source of a named writer is stored, by the last sequences in the buckets. */
final class StoredPrefix {
  private StoredPrefix() {}

  /**
   * The last position up to which all are stored, -1 for none. Without a bucket key the buckets of
   * positions are known, so the first one missing is; else the smallest last sequence is safe.
   */
  static long of(TableDescription table, Map<Integer, Long> lastSequences) {
    int buckets = table.bucketCount();
    long prefix = Long.MAX_VALUE;
    for (int bucket = 0; bucket < buckets; bucket++) {
      long last = lastSequences.getOrDefault(bucket, -1L);
      long missing = table.bucketKey().isEmpty() ? nextIn(bucket, last, buckets) : last + 1;
      prefix = Math.min(prefix, missing - 1);
    }
    return buckets == 0 ? -1 : prefix;
  }

  /** The first position after {@code last} that belongs to the bucket. */
  private static long nextIn(int bucket, long last, int buckets) {
    long next = last + 1;
    long run = next / Accumulator.SOURCE_RUN;
    long away = Math.floorMod(bucket - run, (long) buckets);
    return away == 0 ? next : (run + away) * Accumulator.SOURCE_RUN;
  }
}
