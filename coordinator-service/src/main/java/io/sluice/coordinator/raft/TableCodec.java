package io.sluice.coordinator.raft;

import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.raft.proto.AlterTable;
import io.sluice.coordinator.raft.proto.CommandRecord;
import io.sluice.coordinator.raft.proto.CreatePartition;
import io.sluice.coordinator.raft.proto.CreateTable;
import io.sluice.coordinator.raft.proto.DropPartition;
import io.sluice.coordinator.raft.proto.GrantIds;
import io.sluice.coordinator.raft.proto.NewPartition;
import io.sluice.coordinator.raft.proto.Replicas;
import io.sluice.protocol.metadata.Schemas;
import java.util.List;

/** Commands about tables and their partitions to and from their records. */
final class TableCodec {
  private TableCodec() {}

  static void write(Command.ForTable command, CommandRecord.Builder record) {
    if (command instanceof Command.AlterTable c) {
      AlterTable.Builder alter =
          AlterTable.newBuilder()
              .setTableId(c.tableId())
              .setVersion(c.version())
              .addAllOptions(RecordCodec.toOptions(c.options()))
              .setComment(c.comment());
      if (c.schema() != null) {
        alter.setSchema(Schemas.toProto(c.schema()));
      }
      record.setAlterTable(alter);
    } else if (command instanceof Command.CreatePartition c) {
      record.setCreatePartition(
          CreatePartition.newBuilder()
              .setTableId(c.tableId())
              .setPartition(toRecord(c.partition()))
              .setNowMs(c.nowMs()));
    } else if (command instanceof Command.DropPartition c) {
      record.setDropPartition(
          DropPartition.newBuilder().setTableId(c.tableId()).setPartitionId(c.partitionId()));
    } else {
      record.setGrantIds(toRecord((Command.GrantIds) command));
    }
  }

  private static GrantIds toRecord(Command.GrantIds command) {
    return GrantIds.newBuilder()
        .setTableId(command.tableId())
        .setPartitionId(command.partitionId())
        .setBucket(command.bucket())
        .setServerId(command.serverId())
        .setLeaderEpoch(command.leaderEpoch())
        .setCount(command.count())
        .setLargest(command.largest())
        .build();
  }

  static CreateTable toRecord(Command.CreateTable command) {
    Command.Partitioning partitioning = command.partitioning();
    return CreateTable.newBuilder()
        .setDatabase(command.path().database())
        .setTable(command.path().table())
        .setSchema(Schemas.toProto(command.schema()))
        .addAllBucketKey(command.bucketKey())
        .addAllOptions(RecordCodec.toOptions(command.options()))
        .setComment(command.comment())
        .setNowMs(command.nowMs())
        .addAllPlacement(toRecords(command.placement()))
        .addAllPartitionKeys(partitioning.keys())
        .setBucketCount(partitioning.bucketCount())
        .setReplicationFactor(partitioning.replicationFactor())
        .addAllPartitions(partitioning.partitions().stream().map(TableCodec::toRecord).toList())
        .build();
  }

  private static NewPartition toRecord(Command.NewPartition partition) {
    return NewPartition.newBuilder()
        .addAllValues(partition.values())
        .addAllPlacement(toRecords(partition.placement()))
        .build();
  }

  private static List<Replicas> toRecords(List<List<Integer>> placement) {
    return placement.stream()
        .map(servers -> Replicas.newBuilder().addAllServerIds(servers).build())
        .toList();
  }

  static Command fromRecord(CreateTable record) {
    return new Command.CreateTable(
        new TablePath(record.getDatabase(), record.getTable()),
        Schemas.toSchema(record.getSchema()),
        record.getBucketKeyList(),
        RecordCodec.fromOptions(record.getOptionsList()),
        record.getComment(),
        record.getNowMs(),
        fromRecords(record.getPlacementList()),
        new Command.Partitioning(
            record.getPartitionKeysList(),
            record.getBucketCount(),
            record.getReplicationFactor(),
            record.getPartitionsList().stream().map(TableCodec::fromRecord).toList()));
  }

  static Command fromRecord(AlterTable record) {
    return new Command.AlterTable(
        record.getTableId(),
        record.getVersion(),
        record.hasSchema() ? Schemas.toSchema(record.getSchema()) : null,
        RecordCodec.fromOptions(record.getOptionsList()),
        record.getComment());
  }

  static Command fromRecord(CreatePartition record) {
    return new Command.CreatePartition(
        record.getTableId(), fromRecord(record.getPartition()), record.getNowMs());
  }

  static Command fromRecord(DropPartition record) {
    return new Command.DropPartition(record.getTableId(), record.getPartitionId());
  }

  static Command fromRecord(GrantIds record) {
    return new Command.GrantIds(
        record.getTableId(),
        record.getPartitionId(),
        record.getBucket(),
        record.getServerId(),
        record.getLeaderEpoch(),
        record.getCount(),
        record.getLargest());
  }

  private static Command.NewPartition fromRecord(NewPartition record) {
    return new Command.NewPartition(record.getValuesList(), fromRecords(record.getPlacementList()));
  }

  private static List<List<Integer>> fromRecords(List<Replicas> placement) {
    return placement.stream()
        .<List<Integer>>map(servers -> List.copyOf(servers.getServerIdsList()))
        .toList();
  }
}
