package io.sluice.client.internal;

import io.sluice.client.Bucketing;
import io.sluice.client.TableDescription;
import io.sluice.format.bucket.BucketFunction;
import io.sluice.format.bucket.SequenceBuckets;
import io.sluice.format.partition.PartitionCache;
import io.sluice.format.partition.PartitionKeys;
import io.sluice.format.row.Row;
import io.sluice.format.schema.TableSchema;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * Where the rows of one writer go: the partition by their values, the bucket by the bucket key, by
 * the position in the source, or by turns. Guarded by the accumulator's lock.
 */
final class RowRouting {
  private final @Nullable WriterPartition whole;
  private final @Nullable PartitionCache<WriterPartition> partitions;
  private final @Nullable BucketFunction function;
  private final Bucketing bucketing;

  /**
   * @param written columns of the writer's rows
   * @param bucketKey columns that choose the bucket, empty when any will do
   */
  RowRouting(
      TableDescription table,
      TableSchema written,
      List<String> bucketKey,
      Bucketing bucketing,
      WriterPartitions partitions) {
    this.function =
        bucketKey.isEmpty() ? null : BucketFunction.of(written, bucketKey, table.bucketCount());
    this.bucketing = bucketing;
    this.whole = table.partitioned() ? null : partitions.whole();
    this.partitions =
        table.partitioned()
            ? new PartitionCache<>(
                PartitionKeys.of(written, table.partitionKeys(), table.options()), partitions)
            : null;
  }

  /** Whether the bucket does not depend on a row's values: {@link #next} says where it goes. */
  boolean isFree() {
    return whole != null && function == null;
  }

  /** Whether all rows of a batch can go to one bucket of one partition. */
  boolean hasBucketKey() {
    return function != null;
  }

  boolean isPartitioned() {
    return whole == null;
  }

  /** Where the next row goes when its values do not matter. */
  WriterBucket next() {
    WriterPartition all = whole;
    if (all == null) {
      throw new IllegalStateException("The partition of a row depends on its values");
    }
    return byTurns(all);
  }

  private WriterBucket byTurns(WriterPartition partition) {
    return bucketing == Bucketing.STICKY ? partition.sticky() : partition.takeNext();
  }

  /** Where a row goes. */
  WriterBucket of(Row row) {
    WriterPartition partition = partition(row);
    return function == null ? byTurns(partition) : partition.bucket(function.bucket(row));
  }

  /** Where a row of vectors goes, which {@code row} reads too. */
  WriterBucket of(VectorSchemaRoot root, int index, Row row) {
    WriterPartition partition = partition(root, index);
    return function == null ? byTurns(partition) : partition.bucket(function.bucket(row));
  }

  /** Where a row with a position in its source goes: its earlier copy went there too. */
  WriterBucket of(long sequence, Row row) {
    WriterPartition partition = partition(row);
    int bucket =
        function == null
            ? SequenceBuckets.bucket(sequence, partition.bucketCount())
            : function.bucket(row);
    return partition.bucket(bucket);
  }

  /** Where a run of rows of one partition goes, when there is no bucket key. */
  WriterBucket next(WriterPartition partition) {
    return byTurns(partition);
  }

  private WriterPartition partition(Row row) {
    WriterPartition all = whole;
    PartitionCache<WriterPartition> cache = partitions;
    if (all != null || cache == null) {
      return java.util.Objects.requireNonNull(all);
    }
    WriterPartition found = cache.find(row);
    if (found.isDropped()) {
      cache.clear();
      found = cache.find(row);
    }
    return found;
  }

  /** The partition of a row of vectors. */
  WriterPartition partition(VectorSchemaRoot root, int index) {
    WriterPartition all = whole;
    PartitionCache<WriterPartition> cache = partitions;
    if (all != null || cache == null) {
      return java.util.Objects.requireNonNull(all);
    }
    WriterPartition found = cache.find(root, index);
    if (found.isDropped()) {
      cache.clear();
      found = cache.find(root, index);
    }
    return found;
  }
}
