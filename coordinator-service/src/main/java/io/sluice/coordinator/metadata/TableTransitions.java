package io.sluice.coordinator.metadata;

import io.sluice.common.ErrorCode;
import io.sluice.common.TableBucket;
import io.sluice.common.TableOptions;
import io.sluice.common.TablePath;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The part of the state machine that is about tables and their partitions. */
final class TableTransitions {
  private TableTransitions() {}

  static Transition create(ClusterState state, Command.CreateTable command) {
    TablePath path = command.path();
    if (!state.databases().containsKey(path.database())) {
      return Transitions.databaseNotFound(state, path.database());
    }
    if (state.tableIds().containsKey(path)) {
      return Transition.rejected(state, ErrorCode.TABLE_EXISTS, "Table " + path + " exists");
    }
    Command.Partitioning partitioning = command.partitioning();
    Transition refused = goneServer(state, path, command.placement());
    for (Command.NewPartition partition : partitioning.partitions()) {
      refused = refused == null ? goneServer(state, path, partition.placement()) : refused;
    }
    if (refused != null) {
      return refused;
    }
    Table table =
        partitioning.keys().isEmpty()
            ? unpartitioned(state.nextTableId(), command)
            : partitioned(state, command);
    ClusterState next =
        state.withNewTable(table).withPartitionIdsTaken(partitioning.partitions().size());
    if (table.lakeEnabled()) {
      next = next.withLake(LakeTable.created(table.tableId()));
    }
    return Transition.accepted(
        next, table.tableId(), 0, List.of(new Event.TableCreated(table.tableId())));
  }

  private static Table unpartitioned(long tableId, Command.CreateTable command) {
    List<Bucket> buckets = new ArrayList<>(command.placement().size());
    for (List<Integer> replicas : command.placement()) {
      buckets.add(Bucket.created(0, buckets.size(), replicas));
    }
    return new Table(
        tableId,
        command.path(),
        List.of(command.schema()),
        command.bucketKey(),
        List.of(),
        command.options(),
        command.comment(),
        command.nowMs(),
        command.placement().get(0).size(),
        0,
        buckets.size(),
        List.of(),
        buckets,
        0);
  }

  private static Table partitioned(ClusterState state, Command.CreateTable command) {
    Command.Partitioning partitioning = command.partitioning();
    Table table =
        new Table(
            state.nextTableId(),
            command.path(),
            List.of(command.schema()),
            command.bucketKey(),
            partitioning.keys(),
            command.options(),
            command.comment(),
            command.nowMs(),
            partitioning.replicationFactor(),
            0,
            partitioning.bucketCount(),
            List.of(),
            List.of(),
            0);
    long partitionId = state.nextPartitionId();
    for (Command.NewPartition partition : partitioning.partitions()) {
      table =
          table.withPartition(
              new Partition(partitionId++, partition.values(), command.nowMs()),
              partition.placement());
    }
    return table;
  }

  static Transition drop(ClusterState state, Command.DropTable command) {
    Table table = state.table(command.path());
    if (table == null) {
      return Transition.rejected(
          state, ErrorCode.TABLE_NOT_FOUND, "Table " + command.path() + " does not exist");
    }
    return Transition.accepted(
        state.withoutTable(table), table.tableId(), 0, List.of(new Event.TableDropped(table)));
  }

  static Transition apply(ClusterState state, Command.ForTable command) {
    Table table = state.table(command.tableId());
    if (table == null) {
      return Transition.rejected(
          state,
          ErrorCode.TABLE_NOT_FOUND,
          "There is no table with id " + command.tableId() + "; it may have been dropped");
    }
    if (command instanceof Command.AlterTable alter) {
      return alter(state, table, alter);
    }
    if (command instanceof Command.CreatePartition create) {
      return createPartition(state, table, create);
    }
    if (command instanceof Command.DropPartition drop) {
      return dropPartition(state, table, drop);
    }
    return grantIds(state, table, (Command.GrantIds) command);
  }

  private static Transition alter(ClusterState state, Table table, Command.AlterTable command) {
    if (command.version() != table.version()
        || (command.schema() != null
            && command.schema().schemaId() != table.schema().schemaId() + 1)) {
      return Transition.rejected(
          state,
          ErrorCode.SCHEMA_CHANGED,
          "Table "
              + table.path()
              + " was altered by somebody else at the same time; look at it and alter it again");
    }
    if (TableOptions.lakeEnabled(command.options()) != table.lakeEnabled()) {
      return Transition.rejected(
          state,
          ErrorCode.INVALID_ALTER,
          "Table " + table.path() + " cannot be taken into the lake or out of it");
    }
    Table altered = table.altered(command.schema(), command.options(), command.comment());
    return Transition.accepted(
        state.withTable(altered),
        table.tableId(),
        0,
        List.of(new Event.TableAltered(table.tableId())));
  }

  private static Transition createPartition(
      ClusterState state, Table table, Command.CreatePartition command) {
    Command.NewPartition partition = command.partition();
    if (partition.values().size() != table.partitionKeys().size()
        || partition.placement().size() != table.bucketCount()) {
      return Transition.rejected(
          state,
          ErrorCode.INVALID_PARTITION,
          "Partition "
              + partition.values()
              + " with "
              + partition.placement().size()
              + " buckets does not fit table "
              + table.path()
              + ", which has "
              + table.partitionKeys().size()
              + " partition columns and "
              + table.bucketCount()
              + " buckets in each partition");
    }
    Partition existing = table.partition(partition.values());
    if (existing != null) {
      return Transition.rejected(
          state,
          ErrorCode.PARTITION_EXISTS,
          "Partition " + existing.values() + " of table " + table.path() + " exists");
    }
    boolean tooMany = table.partitions().size() >= Table.MAX_PARTITIONS;
    if (tooMany || table.buckets().size() + table.bucketCount() > Table.MAX_PARTITION_BUCKETS) {
      return Transition.rejected(
          state,
          ErrorCode.TOO_MANY_PARTITIONS,
          "Table "
              + table.path()
              + " has "
              + table.partitions().size()
              + " partitions of "
              + table.bucketCount()
              + " buckets; it may have "
              + (tooMany
                  ? Table.MAX_PARTITIONS + " partitions"
                  : Table.MAX_PARTITION_BUCKETS + " buckets in all")
              + ": drop some first");
    }
    Transition refused = goneServer(state, table.path(), partition.placement());
    if (refused != null) {
      return refused;
    }
    long partitionId = state.nextPartitionId();
    Table changed =
        table.withPartition(
            new Partition(partitionId, partition.values(), command.nowMs()), partition.placement());
    return Transition.accepted(
        state.withTable(changed).withPartitionIdsTaken(1),
        partitionId,
        0,
        List.of(new Event.PartitionCreated(table.tableId(), partitionId)));
  }

  private static Transition dropPartition(
      ClusterState state, Table table, Command.DropPartition command) {
    if (table.partition(command.partitionId()) == null) {
      return Transition.rejected(
          state,
          ErrorCode.PARTITION_NOT_FOUND,
          "Table "
              + table.path()
              + " has no partition with id "
              + command.partitionId()
              + "; it may have been dropped");
    }
    return Transition.accepted(
        state.withTable(table.withoutPartition(command.partitionId())),
        command.partitionId(),
        0,
        List.of(
            new Event.PartitionDropped(
                table.tableId(), command.partitionId(), table.bucketsOf(command.partitionId()))));
  }

  private static Transition grantIds(ClusterState state, Table table, Command.GrantIds command) {
    Bucket bucket = table.bucket(command.partitionId(), command.bucket());
    if (bucket == null
        || !bucket.hasLeader()
        || bucket.leader() != command.serverId()
        || bucket.leaderEpoch() != command.leaderEpoch()) {
      return Transition.rejected(
          state,
          ErrorCode.NOT_LEADER,
          "Server "
              + command.serverId()
              + " does not lead bucket "
              + new TableBucket(table.tableId(), command.partitionId(), command.bucket())
              + " of table "
              + table.path()
              + " in epoch "
              + command.leaderEpoch()
              + ": "
              + leadership(bucket)
              + "; only its leader is given ids");
    }
    long granted = Math.min(command.count(), command.largest() - table.idsGranted());
    if (granted < 1) {
      return Transition.rejected(
          state,
          ErrorCode.IDS_EXHAUSTED,
          "Table "
              + table.path()
              + " has given away every id that its auto-increment column can hold (1 to "
              + command.largest()
              + "); widen the column to BIGINT, or make a new table");
    }
    return new Transition(
        state.withTable(table.withIdsGranted(granted)),
        new Outcome.Accepted(table.idsGranted() + 1, 0, granted),
        List.of());
  }

  private static String leadership(@Nullable Bucket bucket) {
    if (bucket == null) {
      return "there is no such bucket";
    }
    return (bucket.hasLeader() ? "server " + bucket.leader() + " does" : "nobody does")
        + " in epoch "
        + bucket.leaderEpoch();
  }

  /** The rejection when a server of a placement cannot be given replicas, else null. */
  private static @Nullable Transition goneServer(
      ClusterState state, TablePath path, List<List<Integer>> placement) {
    for (List<Integer> replicas : placement) {
      for (int replica : replicas) {
        if (!state.takesReplicas(replica)) {
          return Transition.rejected(
              state,
              ErrorCode.NOT_ENOUGH_SERVERS,
              "Tablet server "
                  + replica
                  + " went away, or began to drain, while buckets of table "
                  + path
                  + " were being created; create them again");
        }
      }
    }
    return null;
  }
}
