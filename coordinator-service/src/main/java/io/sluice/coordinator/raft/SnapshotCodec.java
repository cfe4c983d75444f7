package io.sluice.coordinator.raft;

import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Database;
import io.sluice.coordinator.metadata.LakeTable;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.PersistentMap;
import io.sluice.coordinator.metadata.Table;
import io.sluice.coordinator.metadata.TabletServer;
import io.sluice.coordinator.metadata.Writer;
import io.sluice.coordinator.raft.proto.Counters;
import io.sluice.coordinator.raft.proto.End;
import io.sluice.coordinator.raft.proto.SnapshotRecord;
import java.io.IOException;

/** A whole image as a sequence of records, in the order that {@code metadata_raft.proto} names. */
final class SnapshotCodec {
  private SnapshotCodec() {}

  /** Takes one record after the other. */
  @FunctionalInterface
  interface Sink {
    void write(SnapshotRecord record) throws IOException;
  }

  /** Writes all records of an image, the end included. */
  static void write(MetadataImage image, Sink sink) throws IOException {
    ClusterState state = image.state();
    sink.write(SnapshotRecord.newBuilder().setCounters(counters(image)).build());
    for (PersistentMap.Entry<String, Database> entry : state.databases()) {
      sink.write(
          SnapshotRecord.newBuilder().setDatabase(RecordCodec.toRecord(entry.value())).build());
    }
    for (PersistentMap.Entry<Long, Table> entry : state.tables()) {
      sink.write(SnapshotRecord.newBuilder().setTable(RecordCodec.toRecord(entry.value())).build());
    }
    for (PersistentMap.Entry<Integer, TabletServer> entry : state.servers()) {
      sink.write(
          SnapshotRecord.newBuilder().setServer(RecordCodec.toRecord(entry.value())).build());
    }
    for (PersistentMap.Entry<String, Writer> entry : state.writers()) {
      sink.write(
          SnapshotRecord.newBuilder().setWriter(RecordCodec.toRecord(entry.value())).build());
    }
    for (PersistentMap.Entry<Long, LakeTable> entry : state.lakes()) {
      sink.write(
          SnapshotRecord.newBuilder().setLakeTable(LakeCodec.toRecord(entry.value())).build());
    }
    long records =
        1L
            + state.databases().size()
            + state.tables().size()
            + state.servers().size()
            + state.writers().size()
            + state.lakes().size();
    sink.write(SnapshotRecord.newBuilder().setEnd(End.newBuilder().setRecords(records)).build());
  }

  private static Counters counters(MetadataImage image) {
    ClusterState state = image.state();
    Counters.Builder counters =
        Counters.newBuilder()
            .setClusterId(state.clusterId())
            .setNextTableId(state.nextTableId())
            .setNextWriterId(state.nextWriterId())
            .setIndex(image.index());
    // Left out before the first partition: the bytes are then those of a build without partitions.
    if (state.nextPartitionId() > 1) {
      counters.setNextPartitionId(state.nextPartitionId());
    }
    return counters.build();
  }

  /** Collects records into an image; used by one thread. */
  static final class Reader {
    private Counters counters = Counters.getDefaultInstance();
    private PersistentMap<String, Database> databases = PersistentMap.empty();
    private PersistentMap<Long, Table> tables = PersistentMap.empty();
    private PersistentMap<TablePath, Long> tableIds = PersistentMap.empty();
    private PersistentMap<Integer, TabletServer> servers = PersistentMap.empty();
    private PersistentMap<String, Writer> writers = PersistentMap.empty();
    private PersistentMap<Long, LakeTable> lakes = PersistentMap.empty();
    private long records;
    private boolean ended;

    /** Takes the next record; fails when it cannot stand here. */
    void accept(SnapshotRecord record) throws IOException {
      if (ended || (records == 0) != record.hasCounters()) {
        throw new IOException(
            "record " + records + " is " + record.getRecordCase() + ", which cannot stand there");
      }
      switch (record.getRecordCase()) {
        case COUNTERS -> counters = record.getCounters();
        case DATABASE -> {
          Database database = RecordCodec.fromRecord(record.getDatabase());
          databases = databases.with(database.name(), database);
        }
        case TABLE -> {
          Table table = RecordCodec.fromRecord(record.getTable());
          tables = tables.with(table.tableId(), table);
          tableIds = tableIds.with(table.path(), table.tableId());
        }
        case SERVER -> {
          TabletServer server = RecordCodec.fromRecord(record.getServer());
          servers = servers.with(server.serverId(), server);
        }
        case WRITER -> {
          Writer writer = RecordCodec.fromRecord(record.getWriter());
          writers = writers.with(writer.name(), writer);
        }
        case LAKE_TABLE -> {
          LakeTable lake = LakeCodec.fromRecord(record.getLakeTable());
          lakes = lakes.with(lake.tableId(), lake);
        }
        case END -> {
          if (record.getEnd().getRecords() != records) {
            throw new IOException(
                "the end names " + record.getEnd().getRecords() + " records, found " + records);
          }
          ended = true;
        }
        case RECORD_NOT_SET ->
            throw new IOException("record " + records + " is of a kind this build does not know");
      }
      records++;
    }

    /** How many records were taken. */
    long records() {
      return records;
    }

    /** Whether the end was read. */
    boolean ended() {
      return ended;
    }

    /** The image, once the end was read. */
    MetadataImage image() {
      return new MetadataImage(
          counters.getIndex(),
          new ClusterState(
              counters.getClusterId(),
              counters.getNextTableId(),
              counters.getNextWriterId(),
              Math.max(1, counters.getNextPartitionId()),
              databases,
              tables,
              tableIds,
              servers,
              writers,
              lakes));
    }
  }
}
