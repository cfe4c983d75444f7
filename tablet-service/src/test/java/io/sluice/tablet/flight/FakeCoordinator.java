package io.sluice.tablet.flight;

import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.metadata.Schemas;
import io.sluice.protocol.metadata.v1.BucketInfo;
import io.sluice.protocol.metadata.v1.CreateDatabaseRequest;
import io.sluice.protocol.metadata.v1.CreatePartitionRequest;
import io.sluice.protocol.metadata.v1.CreateTableRequest;
import io.sluice.protocol.metadata.v1.DatabaseInfo;
import io.sluice.protocol.metadata.v1.DropTableRequest;
import io.sluice.protocol.metadata.v1.DropTableResponse;
import io.sluice.protocol.metadata.v1.Endpoint;
import io.sluice.protocol.metadata.v1.GetTableRequest;
import io.sluice.protocol.metadata.v1.InitWriterRequest;
import io.sluice.protocol.metadata.v1.InitWriterResponse;
import io.sluice.protocol.metadata.v1.ListDatabasesRequest;
import io.sluice.protocol.metadata.v1.ListDatabasesResponse;
import io.sluice.protocol.metadata.v1.ListTablesRequest;
import io.sluice.protocol.metadata.v1.ListTablesResponse;
import io.sluice.protocol.metadata.v1.MetadataServiceGrpc;
import io.sluice.protocol.metadata.v1.PartitionInfo;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.tablet.replica.HostedTable;
import io.sluice.tablet.replica.IdRange;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The metadata service of a coordinator in memory, which gives every bucket to tablets it knows.
 */
final class FakeCoordinator extends MetadataServiceGrpc.MetadataServiceImplBase {
  /** A tablet that buckets can be given to. */
  record Tablet(int id, int port, Hosting replicas) {}

  /** What learns of new and dropped tables. */
  interface Hosting {
    /** This server leads these buckets of the table from now on. */
    void host(HostedTable table, int... buckets);

    /** The table is gone. */
    void drop(long tableId);

    /** This server leads these buckets of the table's newest partition from now on. */
    void hostPartition(HostedTable table, long partitionId, int... buckets);

    /** The table has lost a partition, of which this server led these buckets. */
    void dropPartition(HostedTable table, long partitionId, int... buckets);
  }

  private final List<Tablet> tablets = new java.util.concurrent.CopyOnWriteArrayList<>();
  private final Map<TablePath, TableInfo> tables = new LinkedHashMap<>();
  private final Map<String, Integer> writers = new LinkedHashMap<>();
  private final Map<Long, Long> nextIds = new ConcurrentHashMap<>();
  private long nextId = 1;
  private @Nullable SluiceException failure;

  void add(Tablet tablet) {
    tablets.add(tablet);
  }

  /** Every call fails with this until it is null again. */
  synchronized void fail(@Nullable SluiceException why) {
    failure = why;
  }

  /** Grants the ids of a table from 1 on. */
  CompletableFuture<IdRange> grantIds(TableBucket bucket, int epoch, long count) {
    // Not under the lock that is held while tablets learn of their buckets: they ask then.
    long end = nextIds.merge(bucket.tableId(), 1 + count, (known, more) -> known + count);
    return CompletableFuture.completedFuture(new IdRange(end - count, count));
  }

  /** Makes a table whose buckets go round the tablets. */
  synchronized TableInfo create(TablePath path, TableSchema schema, int buckets, List<String> key) {
    TableInfo.Builder info =
        TableInfo.newBuilder()
            .setTableId(nextId++)
            .setDatabase(path.database())
            .setTable(path.table())
            .setSchema(Schemas.toProto(schema))
            .setBucketCount(buckets)
            .addAllBucketKey(key)
            .setReplicationFactor(1);
    for (int bucket = 0; bucket < buckets; bucket++) {
      Tablet tablet = tablets.get(bucket % tablets.size());
      info.addBuckets(
          BucketInfo.newBuilder()
              .setBucket(bucket)
              .setLeaderServerId(tablet.id())
              .setLeaderEpoch(1)
              .addReplicas(tablet.id())
              .setLeader(Endpoint.newBuilder().setHost("127.0.0.1").setFlightPort(tablet.port())));
    }
    TableInfo made = info.build();
    tables.put(path, made);
    HostedTable hosted =
        new HostedTable(made.getTableId(), path, List.of(schema), buckets, key, Map.of());
    for (int i = 0; i < tablets.size(); i++) {
      int tablet = i;
      int[] own =
          java.util.stream.IntStream.range(0, buckets)
              .filter(bucket -> bucket % tablets.size() == tablet)
              .toArray();
      tablets.get(i).replicas().host(hosted, own);
    }
    return made;
  }

  /** Gives a table another schema; tablets hear of it by {@link #tell}. */
  synchronized HostedTable alter(TablePath path, List<TableSchema> history) {
    TableInfo info = tables.get(path);
    TableSchema current = history.get(history.size() - 1);
    tables.put(path, info.toBuilder().setSchema(Schemas.toProto(current)).build());
    return new HostedTable(
        info.getTableId(), path, history, info.getBucketCount(), info.getBucketKeyList(), Map.of());
  }

  /** Tells all tablets of a table that was changed. */
  void tell(HostedTable table) {
    tablets.forEach(each -> each.replicas().host(table));
  }

  /** Makes a table that is partitioned and has no partition yet. */
  synchronized TableInfo createPartitioned(
      TablePath path,
      TableSchema schema,
      int buckets,
      List<String> partitionKeys,
      List<String> key,
      Map<String, String> options) {
    TableInfo made =
        TableInfo.newBuilder()
            .setTableId(nextId++)
            .setDatabase(path.database())
            .setTable(path.table())
            .setSchema(Schemas.toProto(schema))
            .setBucketCount(buckets)
            .addAllBucketKey(key)
            .addAllPartitionKeys(partitionKeys)
            .putAllOptions(options)
            .setReplicationFactor(1)
            .build();
    tables.put(path, made);
    return made;
  }

  @Override
  public void createPartition(
      CreatePartitionRequest request, StreamObserver<PartitionInfo> answer) {
    answer(
        answer,
        () ->
            createPartition(
                new TablePath(request.getDatabase(), request.getTable()), request.getValuesList()));
  }

  private PartitionInfo createPartition(TablePath path, List<String> values) {
    TableInfo before = tables.get(path);
    for (PartitionInfo each : before.getPartitionsList()) {
      if (each.getValuesList().equals(values)) {
        return each;
      }
    }
    if (values.contains("forbidden")) {
      throw new SluiceException(
          ErrorCode.INVALID_PARTITION, "'forbidden' is malformed; expected yyyyMMdd");
    }
    PartitionInfo made =
        PartitionInfo.newBuilder().setPartitionId(nextId++).addAllValues(values).build();
    TableInfo.Builder info = before.toBuilder().addPartitions(made);
    for (int bucket = 0; bucket < before.getBucketCount(); bucket++) {
      Tablet tablet = tablets.get(bucket % tablets.size());
      info.addBuckets(
          BucketInfo.newBuilder()
              .setPartitionId(made.getPartitionId())
              .setBucket(bucket)
              .setLeaderServerId(tablet.id())
              .setLeaderEpoch(1)
              .addReplicas(tablet.id())
              .setLeader(Endpoint.newBuilder().setHost("127.0.0.1").setFlightPort(tablet.port())));
    }
    tables.put(path, info.build());
    HostedTable hosted = hosted(info.build());
    for (int i = 0; i < tablets.size(); i++) {
      tablets.get(i).replicas().hostPartition(hosted, made.getPartitionId(), own(hosted, i));
    }
    return made;
  }

  private int[] own(HostedTable table, int tablet) {
    return java.util.stream.IntStream.range(0, table.bucketCount())
        .filter(bucket -> bucket % tablets.size() == tablet)
        .toArray();
  }

  private static HostedTable hosted(TableInfo info) {
    Map<Long, List<String>> partitions = new LinkedHashMap<>();
    info.getPartitionsList()
        .forEach(each -> partitions.put(each.getPartitionId(), each.getValuesList()));
    return new HostedTable(
        info.getTableId(),
        new TablePath(info.getDatabase(), info.getTable()),
        List.of(Schemas.toSchema(info.getSchema())),
        info.getBucketCount(),
        info.getBucketKeyList(),
        info.getOptionsMap(),
        info.getPartitionKeysList(),
        partitions);
  }

  /** Drops the partition of these values. */
  synchronized void dropPartition(TablePath path, List<String> values) {
    TableInfo.Builder info = tables.get(path).toBuilder();
    for (int i = 0; i < info.getPartitionsCount(); i++) {
      if (info.getPartitions(i).getValuesList().equals(values)) {
        long id = info.getPartitions(i).getPartitionId();
        List<BucketInfo> left =
            info.getBucketsList().stream().filter(each -> each.getPartitionId() != id).toList();
        info.removePartitions(i).clearBuckets().addAllBuckets(left);
        tables.put(path, info.build());
        HostedTable hosted = hosted(info.build());
        for (int tablet = 0; tablet < tablets.size(); tablet++) {
          tablets.get(tablet).replicas().dropPartition(hosted, id, own(hosted, tablet));
        }
        return;
      }
    }
    throw new AssertionError("No partition " + values);
  }

  /** What is known of the table now. */
  synchronized TableInfo table(TablePath path) {
    return tables.get(path);
  }

  /** Gives a bucket of a table to another tablet, counted from 0; tells neither tablet. */
  synchronized void move(TablePath path, int bucket, int tablet) {
    Tablet leader = tablets.get(tablet);
    TableInfo.Builder info = tables.get(path).toBuilder();
    info.getBucketsBuilder(bucket)
        .setLeaderServerId(leader.id())
        .setLeaderEpoch(info.getBuckets(bucket).getLeaderEpoch() + 1)
        .setLeader(Endpoint.newBuilder().setHost("127.0.0.1").setFlightPort(leader.port()));
    tables.put(path, info.build());
  }

  @Override
  public void createDatabase(CreateDatabaseRequest request, StreamObserver<DatabaseInfo> answer) {
    answer(answer, () -> DatabaseInfo.newBuilder().setName(request.getName()).build());
  }

  @Override
  public void listDatabases(
      ListDatabasesRequest request, StreamObserver<ListDatabasesResponse> answer) {
    answer(
        answer,
        () ->
            ListDatabasesResponse.newBuilder()
                .addDatabases(DatabaseInfo.newBuilder().setName("demo"))
                .build());
  }

  @Override
  public void createTable(CreateTableRequest request, StreamObserver<TableInfo> answer) {
    answer(
        answer,
        () ->
            create(
                new TablePath(request.getDatabase(), request.getTable()),
                Schemas.newSchema(request.getColumnsList(), request.getPrimaryKeyList()),
                1,
                List.of()));
  }

  @Override
  public void dropTable(DropTableRequest request, StreamObserver<DropTableResponse> answer) {
    answer(
        answer,
        () -> {
          TableInfo gone = tables.remove(new TablePath(request.getDatabase(), request.getTable()));
          if (gone != null) {
            tablets.forEach(tablet -> tablet.replicas().drop(gone.getTableId()));
          }
          return DropTableResponse.newBuilder().setDropped(gone != null).build();
        });
  }

  @Override
  public void getTable(GetTableRequest request, StreamObserver<TableInfo> answer) {
    answer(
        answer,
        () -> {
          TablePath path = new TablePath(request.getDatabase(), request.getTable());
          TableInfo found = tables.get(path);
          if (found == null) {
            throw new SluiceException(
                ErrorCode.TABLE_NOT_FOUND, "Table " + path + " does not exist");
          }
          return found;
        });
  }

  @Override
  public void listTables(ListTablesRequest request, StreamObserver<ListTablesResponse> answer) {
    answer(
        answer,
        () ->
            ListTablesResponse.newBuilder()
                .addAllTables(
                    tables.values().stream()
                        .filter(
                            each ->
                                request.getDatabase().isEmpty()
                                    || each.getDatabase().equals(request.getDatabase()))
                        .toList())
                .build());
  }

  @Override
  public void initWriter(InitWriterRequest request, StreamObserver<InitWriterResponse> answer) {
    answer(
        answer,
        () -> {
          int epoch = writers.merge(request.getName(), 0, (before, zero) -> before + 1);
          long id = writers.keySet().stream().toList().indexOf(request.getName());
          return InitWriterResponse.newBuilder().setWriterId(id).setWriterEpoch(epoch).build();
        });
  }

  private synchronized <T> void answer(StreamObserver<T> answer, Supplier<T> work) {
    try {
      if (failure != null) {
        throw failure;
      }
      answer.onNext(work.get());
      answer.onCompleted();
    } catch (SluiceException e) {
      answer.onError(StatusMapping.toStatus(e));
    }
  }
}
