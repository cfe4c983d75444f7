package io.sluice.tablet.flight;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.protocol.flight.WireEncoding;
import io.sluice.protocol.flight.WireMessages;
import io.sluice.protocol.flight.v1.BucketOffsets;
import io.sluice.protocol.flight.v1.BucketWriterState;
import io.sluice.protocol.flight.v1.DescribeRequest;
import io.sluice.protocol.flight.v1.ListOffsetsRequest;
import io.sluice.protocol.flight.v1.ListOffsetsResponse;
import io.sluice.protocol.flight.v1.WhoAmIResponse;
import io.sluice.protocol.flight.v1.WriterStateRequest;
import io.sluice.protocol.flight.v1.WriterStateResponse;
import io.sluice.protocol.metadata.v1.AlterTableRequest;
import io.sluice.protocol.metadata.v1.CreateDatabaseRequest;
import io.sluice.protocol.metadata.v1.CreatePartitionRequest;
import io.sluice.protocol.metadata.v1.CreateTableRequest;
import io.sluice.protocol.metadata.v1.DropDatabaseRequest;
import io.sluice.protocol.metadata.v1.DropPartitionRequest;
import io.sluice.protocol.metadata.v1.DropTableRequest;
import io.sluice.protocol.metadata.v1.ListDatabasesRequest;
import io.sluice.protocol.metadata.v1.PartitionInfo;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.tablet.replica.HostedTable;
import io.sluice.tablet.replica.Replica;
import io.sluice.tablet.replica.ReplicaOffsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * DoAction: name, request message and answer. Bodies are protobuf or JSON; the answer comes in the
 * encoding of the request. Changes of databases and tables are the coordinator's.
 */
final class FlightActions {
  private static final String USER = "anonymous";
  private static final long UNKNOWN_ROWS = -1;

  /** One action. */
  private record Kind(String description, Function<ByteString, ByteString> run) {}

  private final TableDirectory directory;
  private final FlightSettings settings;
  private final Supplier<String> clusterId;
  private final Map<String, Kind> kinds = new LinkedHashMap<>();

  FlightActions(TableDirectory directory, FlightSettings settings, Supplier<String> clusterId) {
    this.directory = directory;
    this.settings = settings;
    this.clusterId = clusterId;
    registerReads();
    registerChanges();
  }

  /** Name to what the action does. */
  Map<String, String> descriptions() {
    Map<String, String> descriptions = new LinkedHashMap<>();
    kinds.forEach((name, kind) -> descriptions.put(name, kind.description()));
    return descriptions;
  }

  /** Runs the action; NOT_FOUND naming the known ones when there is none of that name. */
  ByteString run(String name, ByteString body) {
    Kind kind = kinds.get(name);
    if (kind == null) {
      throw new SluiceException(
          ErrorCode.NOT_FOUND,
          "Action '"
              + name
              + "' does not exist; the actions are "
              + String.join(", ", kinds.keySet()));
    }
    return kind.run().apply(body);
  }

  private void registerReads() {
    add(
        "list-offsets",
        "Offsets of a table's buckets led here: ListOffsetsRequest to ListOffsetsResponse",
        ListOffsetsRequest.getDefaultInstance(),
        this::listOffsets);
    add(
        "writer-state",
        "Last sequence of a writer in the buckets led here: WriterStateRequest to"
            + " WriterStateResponse",
        WriterStateRequest.getDefaultInstance(),
        this::writerState);
    add(
        "describe",
        "Schema, options, buckets and leaders of a table: DescribeRequest to TableInfo",
        DescribeRequest.getDefaultInstance(),
        request ->
            directory.metadata().table(new TablePath(request.getDatabase(), request.getTable())));
    add(
        "list-databases",
        "All databases: ListDatabasesRequest to ListDatabasesResponse",
        ListDatabasesRequest.getDefaultInstance(),
        request -> directory.metadata().read(stub -> stub.listDatabases(request)));
    kinds.put(
        "whoami",
        new Kind("The user, server and cluster that answer: WhoAmIResponse", this::whoAmI));
  }

  private void registerChanges() {
    add(
        "create-table",
        "CreateTableRequest to TableInfo",
        CreateTableRequest.getDefaultInstance(),
        request -> {
          TableInfo table = directory.metadata().change(stub -> stub.createTable(request));
          directory.awaitArrival(table);
          return table;
        });
    add(
        "alter-table",
        "AlterTableRequest to TableInfo",
        AlterTableRequest.getDefaultInstance(),
        request -> directory.metadata().change(stub -> stub.alterTable(request)));
    add(
        "create-partition",
        "CreatePartitionRequest to PartitionInfo",
        CreatePartitionRequest.getDefaultInstance(),
        this::createPartition);
    add(
        "drop-partition",
        "DropPartitionRequest to DropPartitionResponse",
        DropPartitionRequest.getDefaultInstance(),
        request -> directory.metadata().change(stub -> stub.dropPartition(request)));
    add(
        "drop-table",
        "DropTableRequest to DropTableResponse",
        DropTableRequest.getDefaultInstance(),
        request -> directory.metadata().change(stub -> stub.dropTable(request)));
    add(
        "create-database",
        "CreateDatabaseRequest to DatabaseInfo",
        CreateDatabaseRequest.getDefaultInstance(),
        request -> directory.metadata().change(stub -> stub.createDatabase(request)));
    add(
        "drop-database",
        "DropDatabaseRequest to DropDatabaseResponse",
        DropDatabaseRequest.getDefaultInstance(),
        request -> directory.metadata().change(stub -> stub.dropDatabase(request)));
  }

  private PartitionInfo createPartition(CreatePartitionRequest request) {
    PartitionInfo partition = directory.metadata().change(stub -> stub.createPartition(request));
    TableInfo table =
        directory.metadata().table(new TablePath(request.getDatabase(), request.getTable()));
    directory.awaitArrival(table, partition.getPartitionId());
    return partition;
  }

  private <M extends Message> void add(
      String name, String description, M request, Function<M, Message> answer) {
    kinds.put(
        name,
        new Kind(
            description,
            body -> WireEncoding.of(body).encode(answer.apply(WireMessages.parse(body, request)))));
  }

  private ByteString whoAmI(ByteString body) {
    return WireEncoding.of(body)
        .encode(
            WhoAmIResponse.newBuilder()
                .setUser(USER)
                .setServerId(settings.serverId())
                .setClusterId(clusterId.get())
                .setVersion(settings.version())
                .build());
  }

  private ListOffsetsResponse listOffsets(ListOffsetsRequest request) {
    HostedTable table = directory.hosted(new TablePath(request.getDatabase(), request.getTable()));
    ListOffsetsResponse.Builder response = ListOffsetsResponse.newBuilder();
    List<Replica> led = led(table, request.getPartitionId(), request.getBucketsList());
    for (Replica replica : led) {
      ReplicaOffsets offsets = replica.offsets();
      response.addBuckets(
          BucketOffsets.newBuilder()
              .setPartitionId(replica.bucket().partitionId())
              .setBucket(replica.bucket().bucket())
              .setOffset(offsetAsked(request, replica, offsets))
              .setLogStart(offsets.logStart())
              .setVisible(offsets.visible())
              .setStable(offsets.stable())
              .setLogEnd(offsets.logEnd())
              .setLeaderEpoch(replica.requireLeader())
              .setSizeBytes(replica.sizeBytes())
              .setRowCount(rowCount(table, replica)));
    }
    return response.build();
  }

  private static long rowCount(HostedTable table, Replica replica) {
    return table.schema().primaryKey().isEmpty() ? UNKNOWN_ROWS : replica.requireRows().count();
  }

  private static long offsetAsked(
      ListOffsetsRequest request, Replica replica, ReplicaOffsets offsets) {
    return switch (request.getAt()) {
      case START_EARLIEST -> offsets.logStart();
      case START_LATEST -> offsets.visible();
      case START_TIMESTAMP -> replica.offsetForTime(request.getTimestampMs());
      case START_OFFSET, UNRECOGNIZED ->
          throw new SluiceException(
              ErrorCode.INVALID_ARGUMENT,
              "at is "
                  + request.getAtValue()
                  + "; list-offsets takes START_EARLIEST, START_LATEST and START_TIMESTAMP");
    };
  }

  private WriterStateResponse writerState(WriterStateRequest request) {
    HostedTable table = directory.replicas().table(request.getTableId());
    if (table == null) {
      throw new SluiceException(
          ErrorCode.TABLE_CHANGED,
          "Table id " + request.getTableId() + " is not known to this server; look it up again");
    }
    WriterStateResponse.Builder response = WriterStateResponse.newBuilder();
    for (Replica replica : led(table, TableBucket.NO_PARTITION, request.getBucketsList())) {
      response.addBuckets(
          BucketWriterState.newBuilder()
              .setPartitionId(replica.bucket().partitionId())
              .setBucket(replica.bucket().bucket())
              .setLastSequence(
                  replica.writerSequence(request.getWriterId(), request.getWriterEpoch())));
    }
    return response.build();
  }

  /**
   * The buckets asked for, each led here; all that are led here, of the partition when one is
   * given, when none is named. Numbers alone do not name a bucket of a partitioned table.
   */
  private List<Replica> led(HostedTable table, long partitionId, List<Integer> buckets) {
    if (partitionId != TableBucket.NO_PARTITION) {
      requirePartition(table, partitionId);
    }
    if (buckets.isEmpty()) {
      return directory.replicas().ofTable(table.tableId()).stream()
          .filter(
              replica ->
                  partitionId == TableBucket.NO_PARTITION
                      || replica.bucket().partitionId() == partitionId)
          .filter(TableDirectory::leads)
          .sorted(Comparator.comparing(Replica::bucket))
          .toList();
    }
    if (table.partitioned() && partitionId == TableBucket.NO_PARTITION) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          table.path()
              + " is partitioned; name the partition of the buckets, or ask for all that this"
              + " server leads by naming none");
    }
    List<Replica> led = new ArrayList<>();
    for (int bucket : buckets) {
      if (bucket < 0 || bucket >= table.bucketCount()) {
        throw ScanPlanner.noBucket(table.path(), bucket, table.bucketCount());
      }
      Replica replica =
          directory.replicas().require(new TableBucket(table.tableId(), partitionId, bucket));
      replica.requireLeader();
      led.add(replica);
    }
    return led;
  }

  private static void requirePartition(HostedTable table, long partitionId) {
    if (!table.partitioned()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          table.path() + " is not partitioned; leave out partition_id " + partitionId);
    }
    if (!table.partitions().containsKey(partitionId)) {
      throw new SluiceException(
          ErrorCode.PARTITION_NOT_FOUND,
          table.path() + " has no partition " + partitionId + "; it was dropped, or is new");
    }
  }
}
