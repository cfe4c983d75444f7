package io.sluice.tablet.flight;

import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.bucket.BucketFunction;
import io.sluice.format.bucket.SequenceBuckets;
import io.sluice.format.partition.PartitionCache;
import io.sluice.format.partition.PartitionKeys;
import io.sluice.tablet.flight.TableDirectory.Located;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * Chooses partition and bucket of every row of an upload. The partition by the row's values. The
 * bucket with a bucket key: by the key. Without one, for a named writer: by its sequence ({@link
 * SequenceBuckets}), so that a repeated upload sends each row to the same bucket; without a name:
 * message by message in turn. One owner, not thread-safe.
 */
final class RowRouter {
  private final Located table;
  private final int bucketCount;
  private final @Nullable BucketFunction function;
  private final @Nullable UploadPartitions partitions;
  private final @Nullable PartitionCache<Integer> partitionOf;
  private int nextBucket;
  private long rowsSeen;

  /**
   * @param partitions makes the partitions, not asked when the table is not partitioned
   * @param firstBucket where a nameless keyless upload begins
   */
  RowRouter(Located table, UploadPartitions partitions, int firstBucket) {
    this.table = table;
    this.bucketCount = table.bucketCount();
    this.function =
        table.bucketKey().isEmpty()
            ? null
            : BucketFunction.of(table.schema(), table.bucketKey(), table.bucketCount());
    this.partitions = table.partitioned() ? partitions : null;
    this.partitionOf =
        table.partitioned()
            ? new PartitionCache<>(
                PartitionKeys.of(table.schema(), table.partitionKeys(), table.options()),
                partitions)
            : null;
    this.nextBucket = Math.floorMod(firstBucket, bucketCount);
  }

  /**
   * The rows of each bucket that gets any, ascending.
   *
   * @param root rows with the table's columns
   * @param baseSequence sequence of the first row, -1 without a writer
   * @throws SluiceException naming the row when it has no partition
   */
  Map<TableBucket, int[]> route(VectorSchemaRoot root, long baseSequence) {
    int rows = root.getRowCount();
    int[] slots = new int[rows];
    if (function != null) {
      function.buckets(root, slots);
    } else if (baseSequence >= 0) {
      for (int row = 0; row < rows; row++) {
        slots[row] = SequenceBuckets.bucket(baseSequence + row, bucketCount);
      }
    } else {
      Arrays.fill(slots, nextBucket);
      nextBucket = (nextBucket + 1) % bucketCount;
    }
    UploadPartitions made = partitions;
    PartitionCache<Integer> cache = partitionOf;
    int count = 1;
    if (made != null && cache != null) {
      for (int row = 0; row < rows; row++) {
        slots[row] += bucketCount * partition(cache, root, row);
      }
      count = made.count();
    }
    rowsSeen += rows;
    return group(slots, count * bucketCount);
  }

  private int partition(PartitionCache<Integer> cache, VectorSchemaRoot root, int row) {
    try {
      return cache.find(root, row);
    } catch (SluiceException e) {
      throw new SluiceException(
          e.code(),
          "Row " + (rowsSeen + row) + " of the upload into " + table.path() + ": " + e.getMessage(),
          e.details(),
          e);
    }
  }

  /** A slot is a bucket of a partition, partition by partition. */
  private Map<TableBucket, int[]> group(int[] slots, int slotCount) {
    int[] counts = new int[slotCount];
    for (int slot : slots) {
      counts[slot]++;
    }
    int[][] groups = new int[slotCount][];
    Map<TableBucket, int[]> rowsOf = new LinkedHashMap<>();
    for (int slot = 0; slot < slotCount; slot++) {
      if (counts[slot] > 0) {
        groups[slot] = new int[counts[slot]];
        rowsOf.put(bucket(slot), groups[slot]);
      }
    }
    int[] filled = new int[slotCount];
    for (int row = 0; row < slots.length; row++) {
      int slot = slots[row];
      groups[slot][filled[slot]++] = row;
    }
    return rowsOf;
  }

  private TableBucket bucket(int slot) {
    int bucket = slot % bucketCount;
    return partitions == null
        ? table.bucket(bucket)
        : table.bucket(partitions.id(slot / bucketCount), bucket);
  }
}
