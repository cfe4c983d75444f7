package io.sluice.client.internal;

import io.sluice.client.BucketDescription;
import io.sluice.client.PartitionDescription;
import io.sluice.client.ServerDescription;
import io.sluice.client.TableDescription;
import io.sluice.common.TablePath;
import io.sluice.format.partition.PartitionKeys;
import io.sluice.protocol.metadata.Schemas;
import io.sluice.protocol.metadata.v1.BucketInfo;
import io.sluice.protocol.metadata.v1.Endpoint;
import io.sluice.protocol.metadata.v1.PartitionInfo;
import io.sluice.protocol.metadata.v1.ServerInfo;
import io.sluice.protocol.metadata.v1.TableInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The messages of the metadata service as the values of the public API. */
public final class Descriptions {
  private Descriptions() {}

  /** A table. */
  public static TableDescription table(TableInfo table) {
    List<BucketDescription> buckets =
        table.getBucketsList().stream().map(Descriptions::bucket).toList();
    List<PartitionDescription> partitions =
        table.getPartitionsList().stream()
            .map(each -> partition(table.getPartitionKeysList(), each))
            .toList();
    return new TableDescription(
        table.getTableId(),
        new TablePath(table.getDatabase(), table.getTable()),
        Schemas.toSchema(table.getSchema()),
        table.getBucketCount(),
        table.getBucketKeyList(),
        table.getOptionsMap(),
        table.getComment(),
        table.getCreatedMs(),
        table.getReplicationFactor(),
        buckets,
        table.getPartitionKeysList(),
        partitions);
  }

  /** A partition of a table with those partition columns. */
  public static PartitionDescription partition(List<String> keys, PartitionInfo partition) {
    return new PartitionDescription(
        partition.getPartitionId(),
        partition.getValuesList(),
        PartitionKeys.name(keys, partition.getValuesList()),
        partition.getCreatedMs());
  }

  private static BucketDescription bucket(BucketInfo bucket) {
    return new BucketDescription(
        bucket.getPartitionId(),
        bucket.getBucket(),
        bucket.getLeaderServerId(),
        bucket.getLeaderEpoch(),
        bucket.getReplicasList(),
        bucket.getIsrList(),
        address(bucket));
  }

  private static @Nullable String address(BucketInfo bucket) {
    if (!bucket.hasLeader()) {
      return null;
    }
    Endpoint leader = bucket.getLeader();
    return leader.getHost() + ":" + leader.getFlightPort();
  }

  /** A server. */
  public static ServerDescription server(ServerInfo server) {
    return new ServerDescription(
        server.getServerId(),
        server.getHost(),
        server.getFlightPort(),
        server.getHttpPort(),
        server.getRack(),
        server.getAlive(),
        server.getLeaderCount(),
        server.getReplicaCount());
  }
}
