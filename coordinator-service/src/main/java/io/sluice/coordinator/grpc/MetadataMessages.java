package io.sluice.coordinator.grpc;

import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Database;
import io.sluice.coordinator.metadata.Partition;
import io.sluice.coordinator.metadata.PersistentMap;
import io.sluice.coordinator.metadata.ServerLoads;
import io.sluice.coordinator.metadata.Table;
import io.sluice.coordinator.metadata.TabletServer;
import io.sluice.protocol.metadata.Schemas;
import io.sluice.protocol.metadata.v1.BucketInfo;
import io.sluice.protocol.metadata.v1.DatabaseInfo;
import io.sluice.protocol.metadata.v1.Endpoint;
import io.sluice.protocol.metadata.v1.ListDatabasesResponse;
import io.sluice.protocol.metadata.v1.ListServersResponse;
import io.sluice.protocol.metadata.v1.ListTablesResponse;
import io.sluice.protocol.metadata.v1.PartitionInfo;
import io.sluice.protocol.metadata.v1.ServerInfo;
import io.sluice.protocol.metadata.v1.TableInfo;

/** The state as messages of {@code sluice.metadata.v1}. */
final class MetadataMessages {
  private MetadataMessages() {}

  static DatabaseInfo database(ClusterState state, Database database) {
    return database(database, state.tableCount(database.name()));
  }

  private static DatabaseInfo database(Database database, int tables) {
    return DatabaseInfo.newBuilder()
        .setName(database.name())
        .setComment(database.comment())
        .setCreatedMs(database.createdMs())
        .setTableCount(tables)
        .build();
  }

  static ListDatabasesResponse databases(ClusterState state) {
    ListDatabasesResponse.Builder message = ListDatabasesResponse.newBuilder();
    var counts = state.tableCounts();
    for (PersistentMap.Entry<String, Database> entry : state.databases()) {
      message.addDatabases(database(entry.value(), counts.getOrDefault(entry.key(), 0)));
    }
    return message.build();
  }

  static TableInfo table(ClusterState state, Table table) {
    TableInfo.Builder message =
        TableInfo.newBuilder()
            .setTableId(table.tableId())
            .setDatabase(table.path().database())
            .setTable(table.path().table())
            .setSchema(Schemas.toProto(table.schema()))
            .setBucketCount(table.bucketCount())
            .addAllBucketKey(table.bucketKey())
            .putAllOptions(table.options())
            .setComment(table.comment())
            .setCreatedMs(table.createdMs())
            .setReplicationFactor(table.replicationFactor())
            .addAllPartitionKeys(table.partitionKeys());
    for (Partition partition : table.partitions()) {
      message.addPartitions(partition(partition));
    }
    for (Bucket bucket : table.buckets()) {
      message.addBuckets(bucket(state, bucket));
    }
    return message.build();
  }

  static PartitionInfo partition(Partition partition) {
    return PartitionInfo.newBuilder()
        .setPartitionId(partition.partitionId())
        .addAllValues(partition.values())
        .setCreatedMs(partition.createdMs())
        .build();
  }

  private static BucketInfo bucket(ClusterState state, Bucket bucket) {
    BucketInfo.Builder message =
        BucketInfo.newBuilder()
            .setPartitionId(bucket.partitionId())
            .setBucket(bucket.bucket())
            .setLeaderServerId(bucket.leader())
            .setLeaderEpoch(bucket.leaderEpoch())
            .addAllReplicas(bucket.replicas())
            .addAllIsr(bucket.isr());
    TabletServer leader = state.servers().get(bucket.leader());
    if (leader != null) {
      message.setLeader(
          Endpoint.newBuilder()
              .setHost(leader.registration().host())
              .setFlightPort(leader.registration().flightPort()));
    }
    return message.build();
  }

  static ListTablesResponse tables(ClusterState state, String database) {
    ListTablesResponse.Builder message = ListTablesResponse.newBuilder();
    for (Table table : state.tablesByName()) {
      if (database.isEmpty() || table.path().database().equals(database)) {
        message.addTables(table(state, table));
      }
    }
    return message.build();
  }

  static ListServersResponse servers(ClusterState state) {
    ListServersResponse.Builder message = ListServersResponse.newBuilder();
    ServerLoads loads = ServerLoads.of(state);
    for (PersistentMap.Entry<Integer, TabletServer> entry : state.servers()) {
      TabletServer.Registration registration = entry.value().registration();
      message.addServers(
          ServerInfo.newBuilder()
              .setServerId(registration.serverId())
              .setHost(registration.host())
              .setFlightPort(registration.flightPort())
              .setHttpPort(registration.httpPort())
              .setRack(registration.rack())
              .setAlive(entry.value().alive())
              .setIncarnation(registration.incarnation())
              .setRegisteredMs(entry.value().registeredMs())
              .setLeaderCount(loads.leaders(registration.serverId()))
              .setReplicaCount(loads.replicas(registration.serverId())));
    }
    return message.build();
  }
}
