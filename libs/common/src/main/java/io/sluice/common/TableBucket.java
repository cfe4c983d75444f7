package io.sluice.common;

/**
 * One bucket of a table or of one of its partitions: the unit that has one log, one leader and one
 * directory.
 *
 * @param tableId table id, from 1, never reused
 * @param partitionId partition id, from 1, never reused, or {@link #NO_PARTITION}
 * @param bucket bucket number, from 0
 */
public record TableBucket(long tableId, long partitionId, int bucket)
    implements Comparable<TableBucket> {
  /** The partition id of a table that is not partitioned. */
  public static final long NO_PARTITION = 0;

  public TableBucket {
    if (tableId < 0 || partitionId < 0 || bucket < 0) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Bucket (table "
              + tableId
              + ", partition "
              + partitionId
              + ", bucket "
              + bucket
              + ") has a negative part");
    }
  }

  /** A bucket of a table that is not partitioned. */
  public static TableBucket of(long tableId, int bucket) {
    return new TableBucket(tableId, NO_PARTITION, bucket);
  }

  @Override
  public int compareTo(TableBucket other) {
    int byTable = Long.compare(tableId, other.tableId);
    if (byTable != 0) {
      return byTable;
    }
    int byPartition = Long.compare(partitionId, other.partitionId);
    return byPartition != 0 ? byPartition : Integer.compare(bucket, other.bucket);
  }

  @Override
  public String toString() {
    return partitionId == NO_PARTITION
        ? tableId + "-" + bucket
        : tableId + "-" + partitionId + "-" + bucket;
  }
}
