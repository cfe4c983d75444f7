package io.sluice.tablet.flight;

import io.sluice.format.bucket.BucketFunction;
import io.sluice.format.bucket.SequenceBuckets;
import io.sluice.tablet.flight.TableDirectory.Located;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the bucket of every row of an upload. With a bucket key: by the key. Without one, for a
 * named writer: by its sequence ({@link SequenceBuckets}), so that a repeated upload sends each row
 * to the same bucket; without a name: message by message in turn. One owner, not thread-safe.
 */
final class RowRouter {
  private final int bucketCount;
  private final @Nullable BucketFunction function;
  private int nextBucket;

  /**
   * @param firstBucket where a nameless keyless upload begins
   */
  RowRouter(Located table, int firstBucket) {
    this.bucketCount = table.bucketCount();
    this.function =
        table.bucketKey().isEmpty()
            ? null
            : BucketFunction.of(table.schema(), table.bucketKey(), table.bucketCount());
    this.nextBucket = Math.floorMod(firstBucket, bucketCount);
  }

  /**
   * The rows of each bucket that gets any, ascending.
   *
   * @param root rows with the table's columns
   * @param baseSequence sequence of the first row, -1 without a writer
   */
  Map<Integer, int[]> route(VectorSchemaRoot root, long baseSequence) {
    int rows = root.getRowCount();
    int[] buckets = new int[rows];
    if (function != null) {
      function.buckets(root, buckets);
    } else if (baseSequence >= 0) {
      for (int row = 0; row < rows; row++) {
        buckets[row] = SequenceBuckets.bucket(baseSequence + row, bucketCount);
      }
    } else {
      Arrays.fill(buckets, nextBucket);
      nextBucket = (nextBucket + 1) % bucketCount;
    }
    return group(buckets);
  }

  private Map<Integer, int[]> group(int[] buckets) {
    int[] counts = new int[bucketCount];
    for (int bucket : buckets) {
      counts[bucket]++;
    }
    Map<Integer, int[]> groups = new LinkedHashMap<>();
    for (int bucket = 0; bucket < bucketCount; bucket++) {
      if (counts[bucket] > 0) {
        groups.put(bucket, new int[counts[bucket]]);
      }
    }
    int[] filled = new int[bucketCount];
    for (int row = 0; row < buckets.length; row++) {
      int bucket = buckets[row];
      int[] group = groups.get(bucket);
      if (group != null) {
        group[filled[bucket]++] = row;
      }
    }
    return groups;
  }
}
