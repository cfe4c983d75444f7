package io.sluice.client;

/**
 * Where a written row was stored.
 *
 * @param partitionId its partition, 0 when the table is not partitioned
 * @param bucket the bucket
 * @param offset its offset, -1 when it is not known: an earlier attempt had stored it, or it was
 *     upserted or deleted, which the server turns into changelog records
 * @param duplicate whether an earlier attempt had stored it
 */
public record AppendResult(long partitionId, int bucket, long offset, boolean duplicate) {
  /** In a table that is not partitioned. */
  public AppendResult(int bucket, long offset, boolean duplicate) {
    this(0, bucket, offset, duplicate);
  }
}
