package io.sluice.client;

import io.sluice.common.TableBucket;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a bucket lives.
 *
 * @param partitionId 0 when the table is not partitioned
 * @param bucket bucket number, from 0
 * @param leaderServerId 0 when no server leads it now
 * @param leaderEpoch grows with each election
 * @param replicas servers that hold a replica
 * @param inSync the replicas in sync
 * @param leaderAddress {@code host:port} of the leader's Flight service, null without a leader
 */
public record BucketDescription(
    long partitionId,
    int bucket,
    int leaderServerId,
    int leaderEpoch,
    List<Integer> replicas,
    List<Integer> inSync,
    @Nullable String leaderAddress) {
  public BucketDescription {
    replicas = List.copyOf(replicas);
    inSync = List.copyOf(inSync);
  }

  /** The cluster-wide name of the bucket, for the table with that id. */
  public TableBucket tableBucket(long tableId) {
    return new TableBucket(tableId, partitionId, bucket);
  }
}
