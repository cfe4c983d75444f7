package io.sluice.client.internal;

import io.sluice.client.TableDescription;
import io.sluice.common.TableBucket;
import io.sluice.format.bucket.SequenceBuckets;
import java.util.HashMap;
import java.util.Map;

/** How far the source of a named writer is stored, by the last sequences in the buckets. */
final class StoredPrefix {
  private StoredPrefix() {}

  /**
   * The last position up to which all are stored, -1 for none. Without a bucket key the buckets of
   * positions are known, so the first one missing is; else, and in a partitioned table, the
   * smallest last sequence is safe.
   */
  static long ofBuckets(TableDescription table, Map<TableBucket, Long> lastSequences) {
    if (table.partitioned()) {
      return lastSequences.values().stream().mapToLong(Long::longValue).min().orElse(-1);
    }
    Map<Integer, Long> byNumber = new HashMap<>();
    lastSequences.forEach((bucket, last) -> byNumber.put(bucket.bucket(), last));
    return of(table, byNumber);
  }

  /** As {@link #ofBuckets}, for a table that is not partitioned. */
  static long of(TableDescription table, Map<Integer, Long> lastSequences) {
    int buckets = table.bucketCount();
    long prefix = Long.MAX_VALUE;
    for (int bucket = 0; bucket < buckets; bucket++) {
      long last = lastSequences.getOrDefault(bucket, -1L);
      long missing =
          TableKeys.bucketKey(table).isEmpty()
              ? SequenceBuckets.firstFrom(last + 1, bucket, buckets)
              : last + 1;
      prefix = Math.min(prefix, missing - 1);
    }
    return buckets == 0 ? -1 : prefix;
  }
}
