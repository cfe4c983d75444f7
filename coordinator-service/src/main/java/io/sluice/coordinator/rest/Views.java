package io.sluice.coordinator.rest;

import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Database;
import io.sluice.coordinator.metadata.Partition;
import io.sluice.coordinator.metadata.ServerLoads;
import io.sluice.coordinator.metadata.Table;
import io.sluice.coordinator.metadata.TabletServer;
import io.sluice.format.partition.PartitionKeys;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.FieldIds;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The state as JSON. */
final class Views {
  private Views() {}

  /** A database. */
  record DatabaseView(String name, String comment, long createdMs, int tableCount) {
    static DatabaseView of(Database database, int tableCount) {
      return new DatabaseView(
          database.name(), database.comment(), database.createdMs(), tableCount);
    }
  }

  /** A table in a list. */
  record TableSummary(
      long tableId,
      String database,
      String table,
      String kind,
      int columnCount,
      int bucketCount,
      int offlineBuckets,
      List<String> partitionKeys,
      int partitionCount,
      int replicationFactor,
      String comment,
      long createdMs) {
    static TableSummary of(Table table) {
      return new TableSummary(
          table.tableId(),
          table.path().database(),
          table.path().table(),
          kindOf(table),
          table.schema().size(),
          table.buckets().size(),
          offline(table.buckets()),
          table.partitionKeys(),
          table.partitions().size(),
          table.replicationFactor(),
          table.comment(),
          table.createdMs());
    }
  }

  /**
   * A table with all that belongs to it.
   *
   * @param rules what becomes of its rows, absent without a primary key
   */
  record TableView(
      long tableId,
      String database,
      String table,
      String kind,
      int schemaId,
      List<ColumnView> columns,
      List<String> primaryKey,
      int bucketCount,
      List<String> bucketKey,
      List<String> partitionKeys,
      int partitionCount,
      int replicationFactor,
      Map<String, String> options,
      String comment,
      long createdMs,
      int version,
      @Nullable RulesView rules,
      List<BucketView> buckets) {
    static TableView of(ClusterState state, Table table) {
      return new TableView(
          table.tableId(),
          table.path().database(),
          table.path().table(),
          kindOf(table),
          table.schema().schemaId(),
          table.schema().columns().stream().map(ColumnView::of).toList(),
          table.schema().primaryKey(),
          table.bucketCount(),
          table.bucketKey(),
          table.partitionKeys(),
          table.partitions().size(),
          table.replicationFactor(),
          table.options(),
          table.comment(),
          table.createdMs(),
          table.version(),
          RulesView.of(table),
          table.buckets().stream().map(bucket -> BucketView.of(state, bucket)).toList());
    }
  }

  /** A partition. */
  record PartitionView(
      long partitionId,
      String name,
      List<String> values,
      long createdMs,
      int bucketCount,
      int offlineBuckets) {
    static PartitionView of(Table table, Partition partition) {
      return new PartitionView(
          partition.partitionId(),
          PartitionKeys.name(table.partitionKeys(), partition.values()),
          partition.values(),
          partition.createdMs(),
          table.bucketCount(),
          offline(table.bucketsOf(partition.partitionId())));
    }
  }

  /**
   * A column.
   *
   * @param fieldIds ids of the fields of ROW types inside its type, in the order of its text
   * @param initialDefault what rows stored before it was added read as, absent for NULL
   * @param writeDefault what a writer that leaves it out stores, absent for NULL
   */
  record ColumnView(
      int id,
      String name,
      String type,
      boolean nullable,
      String comment,
      List<Integer> fieldIds,
      @Nullable String initialDefault,
      @Nullable String writeDefault) {
    static ColumnView of(Column column) {
      return new ColumnView(
          column.id(),
          column.name(),
          column.type().toString(),
          column.nullable(),
          column.comment(),
          FieldIds.of(column.type()),
          column.initialDefault(),
          column.writeDefault());
    }
  }

  /**
   * A bucket.
   *
   * @param partitionId its partition, 0 when the table is not partitioned
   * @param leader server that leads it, absent when none does
   * @param leaderAddress where that server's Arrow Flight listens
   */
  record BucketView(
      long partitionId,
      int bucket,
      @Nullable Integer leader,
      @Nullable String leaderAddress,
      int leaderEpoch,
      List<Integer> replicas,
      List<Integer> isr,
      int isrVersion,
      int minInsync,
      List<Integer> target) {
    static BucketView of(ClusterState state, Bucket bucket) {
      TabletServer leader = state.servers().get(bucket.leader());
      return new BucketView(
          bucket.partitionId(),
          bucket.bucket(),
          bucket.hasLeader() ? bucket.leader() : null,
          leader == null
              ? null
              : leader.registration().host() + ":" + leader.registration().flightPort(),
          bucket.leaderEpoch(),
          bucket.replicas(),
          bucket.isr(),
          bucket.isrVersion(),
          bucket.minInsync(),
          bucket.target());
    }
  }

  /** A tablet server. */
  record ServerView(
      int serverId,
      String host,
      int flightPort,
      int httpPort,
      String rack,
      boolean alive,
      String state,
      boolean leaving,
      String incarnation,
      long registeredMs,
      int leaderCount,
      int replicaCount) {
    static ServerView of(TabletServer server, ServerLoads loads) {
      TabletServer.Registration registration = server.registration();
      return new ServerView(
          registration.serverId(),
          registration.host(),
          registration.flightPort(),
          registration.httpPort(),
          registration.rack(),
          server.alive(),
          server.state().name(),
          server.leaving(),
          registration.incarnation(),
          server.registeredMs(),
          loads.leaders(registration.serverId()),
          loads.replicas(registration.serverId()));
    }
  }

  /** A replica that its server cannot serve. */
  record OfflineReplicaView(long tableId, long partitionId, int bucket, String reason) {}

  private static int offline(List<Bucket> buckets) {
    return (int) buckets.stream().filter(bucket -> !bucket.hasLeader()).count();
  }

  private static String kindOf(Table table) {
    return table.schema().primaryKey().isEmpty() ? "log" : "primary-key";
  }
}
