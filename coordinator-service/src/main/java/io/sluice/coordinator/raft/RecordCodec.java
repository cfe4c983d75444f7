package io.sluice.coordinator.raft;

import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.Database;
import io.sluice.coordinator.metadata.Partition;
import io.sluice.coordinator.metadata.ServerState;
import io.sluice.coordinator.metadata.Table;
import io.sluice.coordinator.metadata.TabletServer;
import io.sluice.coordinator.metadata.Writer;
import io.sluice.coordinator.raft.proto.BucketRecord;
import io.sluice.coordinator.raft.proto.DatabaseRecord;
import io.sluice.coordinator.raft.proto.Option;
import io.sluice.coordinator.raft.proto.PartitionRecord;
import io.sluice.coordinator.raft.proto.Registration;
import io.sluice.coordinator.raft.proto.ServerRecord;
import io.sluice.coordinator.raft.proto.TableRecord;
import io.sluice.coordinator.raft.proto.WriterRecord;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.metadata.Schemas;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The parts of the state to and from their records. Equal values give equal bytes. */
final class RecordCodec {
  private RecordCodec() {}

  static DatabaseRecord toRecord(Database database) {
    return DatabaseRecord.newBuilder()
        .setName(database.name())
        .setComment(database.comment())
        .setCreatedMs(database.createdMs())
        .build();
  }

  static Database fromRecord(DatabaseRecord record) {
    return new Database(record.getName(), record.getComment(), record.getCreatedMs());
  }

  static TableRecord toRecord(Table table) {
    TableRecord.Builder record =
        TableRecord.newBuilder()
            .setTableId(table.tableId())
            .setDatabase(table.path().database())
            .setTable(table.path().table())
            .addAllBucketKey(table.bucketKey())
            .addAllOptions(toOptions(table.options()))
            .setComment(table.comment())
            .setCreatedMs(table.createdMs())
            .setReplicationFactor(table.replicationFactor())
            .setVersion(table.version())
            .addAllPartitionKeys(table.partitionKeys())
            .setIdsGranted(table.idsGranted());
    if (table.partitioned()) {
      record.setBucketCount(table.bucketCount());
    }
    for (Partition partition : table.partitions()) {
      record.addPartitions(
          PartitionRecord.newBuilder()
              .setPartitionId(partition.partitionId())
              .addAllValues(partition.values())
              .setCreatedMs(partition.createdMs()));
    }
    for (TableSchema schema : table.schemas()) {
      record.addSchemas(Schemas.toProto(schema));
    }
    for (Bucket bucket : table.buckets()) {
      record.addBuckets(toRecord(bucket));
    }
    return record.build();
  }

  static Table fromRecord(TableRecord record) {
    List<Bucket> buckets = new ArrayList<>(record.getBucketsCount());
    for (BucketRecord bucket : record.getBucketsList()) {
      buckets.add(fromRecord(bucket));
    }
    return new Table(
        record.getTableId(),
        new TablePath(record.getDatabase(), record.getTable()),
        record.getSchemasList().stream().map(Schemas::toSchema).toList(),
        record.getBucketKeyList(),
        record.getPartitionKeysList(),
        fromOptions(record.getOptionsList()),
        record.getComment(),
        record.getCreatedMs(),
        record.getReplicationFactor(),
        record.getVersion(),
        record.getPartitionKeysCount() == 0 ? buckets.size() : record.getBucketCount(),
        record.getPartitionsList().stream().map(RecordCodec::fromRecord).toList(),
        buckets,
        record.getIdsGranted());
  }

  private static Partition fromRecord(PartitionRecord record) {
    return new Partition(record.getPartitionId(), record.getValuesList(), record.getCreatedMs());
  }

  private static BucketRecord toRecord(Bucket bucket) {
    return BucketRecord.newBuilder()
        .setPartitionId(bucket.partitionId())
        .setBucket(bucket.bucket())
        .addAllReplicas(bucket.replicas())
        .setLeader(bucket.leader())
        .setLeaderEpoch(bucket.leaderEpoch())
        .addAllIsr(bucket.isr())
        .setIsrVersion(bucket.isrVersion())
        .addAllTarget(bucket.target())
        .addAllAdding(bucket.adding())
        .setStranded(bucket.stranded())
        .build();
  }

  private static Bucket fromRecord(BucketRecord record) {
    return new Bucket(
        record.getPartitionId(),
        record.getBucket(),
        record.getReplicasList(),
        record.getLeader(),
        record.getLeaderEpoch(),
        record.getIsrList(),
        record.getIsrVersion(),
        record.getTargetList(),
        record.getAddingList(),
        record.getStranded());
  }

  static ServerRecord toRecord(TabletServer server) {
    return ServerRecord.newBuilder()
        .setRegistration(toRecord(server.registration()))
        .setRegisteredMs(server.registeredMs())
        .setAlive(server.alive())
        .setLeaving(server.leaving())
        .setState(serverState(server.state()))
        .build();
  }

  static TabletServer fromRecord(ServerRecord record) {
    return new TabletServer(
        fromRecord(record.getRegistration()),
        record.getRegisteredMs(),
        record.getAlive(),
        record.getLeaving(),
        serverState(record.getState()));
  }

  /** The default is left out: the bytes are then those of a build without states. */
  static String serverState(ServerState state) {
    return state == ServerState.ACTIVE ? "" : state.name();
  }

  static ServerState serverState(String text) {
    return text.isEmpty() ? ServerState.ACTIVE : ServerState.valueOf(text);
  }

  static Registration toRecord(TabletServer.Registration registration) {
    return Registration.newBuilder()
        .setServerId(registration.serverId())
        .setHost(registration.host())
        .setFlightPort(registration.flightPort())
        .setHttpPort(registration.httpPort())
        .setRack(registration.rack())
        .setIncarnation(registration.incarnation())
        .setBootId(registration.bootId())
        .setCleanStop(registration.cleanStop())
        .build();
  }

  static TabletServer.Registration fromRecord(Registration record) {
    return new TabletServer.Registration(
        record.getServerId(),
        record.getHost(),
        record.getFlightPort(),
        record.getHttpPort(),
        record.getRack(),
        record.getIncarnation(),
        record.getBootId(),
        record.getCleanStop());
  }

  static WriterRecord toRecord(Writer writer) {
    return WriterRecord.newBuilder()
        .setName(writer.name())
        .setWriterId(writer.writerId())
        .setEpoch(writer.epoch())
        .build();
  }

  static Writer fromRecord(WriterRecord record) {
    return new Writer(record.getName(), record.getWriterId(), record.getEpoch());
  }

  static List<Option> toOptions(Map<String, String> options) {
    List<Option> records = new ArrayList<>(options.size());
    for (Map.Entry<String, String> option : new TreeMap<>(options).entrySet()) {
      records.add(Option.newBuilder().setKey(option.getKey()).setValue(option.getValue()).build());
    }
    return records;
  }

  static Map<String, String> fromOptions(List<Option> records) {
    Map<String, String> options = new LinkedHashMap<>();
    for (Option record : records) {
      options.put(record.getKey(), record.getValue());
    }
    return options;
  }
}
