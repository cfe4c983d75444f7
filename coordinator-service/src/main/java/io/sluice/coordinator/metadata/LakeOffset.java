package io.sluice.coordinator.metadata;

/**
 * How far one bucket is in the lake.
 *
 * @param partitionId partition, 0 when the table is not partitioned
 * @param bucket number, from 0
 * @param offset exclusive end of what is in the lake
 */
public record LakeOffset(long partitionId, int bucket, long offset)
    implements Comparable<LakeOffset> {

  /** By partition and bucket; the offset does not count. */
  @Override
  public int compareTo(LakeOffset other) {
    int byPartition = Long.compare(partitionId, other.partitionId);
    return byPartition != 0 ? byPartition : Integer.compare(bucket, other.bucket);
  }

  /** Whether both are of one bucket. */
  public boolean isSameBucket(LakeOffset other) {
    return compareTo(other) == 0;
  }
}
