package io.sluice.client.fake;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.client.ClientConfig;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.VectorRow;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.metadata.Schemas;
import io.sluice.protocol.metadata.v1.BucketInfo;
import io.sluice.protocol.metadata.v1.CreatePartitionRequest;
import io.sluice.protocol.metadata.v1.Endpoint;
import io.sluice.protocol.metadata.v1.GetTableRequest;
import io.sluice.protocol.metadata.v1.InitWriterRequest;
import io.sluice.protocol.metadata.v1.InitWriterResponse;
import io.sluice.protocol.metadata.v1.MetadataServiceGrpc;
import io.sluice.protocol.metadata.v1.PartitionInfo;
import io.sluice.protocol.metadata.v1.TableInfo;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntBinaryOperator;
import java.util.function.LongPredicate;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

/** One coordinator, some tablets and the table {@code demo.t}. */
public final class FakeCluster implements AutoCloseable {
  private final TableSchema schema;
  private final List<String> bucketKey;
  private final List<FakeBucket> buckets = new ArrayList<>();
  private final List<FakeRows> rows = new ArrayList<>();
  private final List<FakeTablet> tablets = new ArrayList<>();
  private final BufferAllocator allocator = new RootAllocator();
  private final Map<String, InitWriterResponse> writers = new HashMap<>();
  private final AtomicLong nextWriter = new AtomicLong(100);
  private final AtomicInteger lookUps = new AtomicInteger();
  private final FakePartitions partitions;
  private final Server coordinator;
  private volatile long tableId = 1;
  private volatile PutFaults faults = (tablet, number, put) -> PutFaults.Fault.NONE;
  private volatile LookupFaults lookupFaults = (tablet, number, request) -> PutFaults.Fault.NONE;
  private volatile IntBinaryOperator scanMessages = (tablet, number) -> Integer.MAX_VALUE;
  private volatile Map<String, String> options = Map.of();
  private volatile boolean leaderless;
  private volatile boolean tabletsNameLeaders;
  private volatile boolean stale;
  private volatile int frozenTablet;
  private volatile boolean rowsUncounted;
  private volatile boolean scanStartsIgnored;
  private volatile LongPredicate skipped = baseOffset -> false;
  private volatile ScanCheck scanCheck = (bucket, offset) -> {};

  public FakeCluster(TableSchema schema, int bucketCount, int tabletCount, String... bucketKey) {
    this(schema, bucketCount, tabletCount, List.of(bucketKey), List.of());
  }

  private FakeCluster(
      TableSchema schema,
      int bucketCount,
      int tabletCount,
      List<String> bucketKey,
      List<String> partitionKeys) {
    this.schema = schema;
    this.bucketKey = bucketKey;
    this.partitions =
        new FakePartitions(
            partitionKeys,
            bucketCount,
            partitionKeys.isEmpty() ? 0 : tabletCount,
            () -> new FakeRows(schema, allocator));
    for (int i = 0; i < tabletCount; i++) {
      FakeTablet tablet = new FakeTablet(i + 1, this, allocator);
      tablet.start();
      tablets.add(tablet);
    }
    for (int i = 0; i < (partitionKeys.isEmpty() ? bucketCount : 0); i++) {
      buckets.add(new FakeBucket(1 + i % tabletCount));
      rows.add(new FakeRows(schema, allocator));
    }
    try {
      coordinator =
          NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
              .addService(new Metadata())
              .build()
              .start();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A cluster whose table is partitioned and has no partition yet. */
  public static FakeCluster partitioned(
      TableSchema schema,
      int bucketCount,
      int tabletCount,
      List<String> partitionKeys,
      String... bucketKey) {
    return new FakeCluster(schema, bucketCount, tabletCount, List.of(bucketKey), partitionKeys);
  }

  /** The partitions of the table. */
  public FakePartitions partitions() {
    return partitions;
  }

  /** A bucket of a partition, of the table itself for 0; PARTITION_NOT_FOUND. */
  FakeBucket bucket(long partitionId, int number) {
    return partitionId == 0 ? bucket(number) : partitions.require(partitionId).bucket(number);
  }

  FakeRows rows(long partitionId, int number) {
    return partitionId == 0 ? rows(number) : partitions.require(partitionId).rows(number);
  }

  /** What list-offsets says of a bucket's rows. */
  long rowCount(long partitionId, int number) {
    return schema.primaryKey().isEmpty() || rowsUncounted ? -1 : rows(partitionId, number).count();
  }

  /** From now on the table's rows are not counted. */
  public void stopCountingRows() {
    rowsUncounted = true;
  }

  /** Settings that suit tests. */
  public ClientConfig config() {
    return ClientConfig.of("127.0.0.1:" + coordinator.getPort())
        .withDeliveryTimeout(Duration.ofSeconds(20))
        .withLinger(Duration.ZERO);
  }

  public TableSchema schema() {
    return schema;
  }

  public FakeBucket bucket(int number) {
    return buckets.get(number);
  }

  /** The current rows of a bucket of a primary-key table. */
  public FakeRows rows(int bucket) {
    return rows.get(bucket);
  }

  /** The current rows of all buckets, in the order of the buckets. */
  public List<GenericRow> allRows() {
    return rows.stream().flatMap(bucket -> bucket.all().stream()).toList();
  }

  public FakeTablet tablet(int id) {
    return tablets.get(id - 1);
  }

  public long tableId() {
    return tableId;
  }

  /** Drops the table and makes another one of the same name. */
  public void recreateTable() {
    tableId++;
  }

  /** Options of the table from now on. */
  public void setOptions(Map<String, String> newOptions) {
    options = Map.copyOf(newOptions);
  }

  /** Hides all leaders from the coordinator's answers, or shows them again. */
  public void hideLeaders(boolean hidden) {
    leaderless = hidden;
  }

  /**
   * Has tablets name the leader when they refuse, and the coordinator name the first one for ever.
   */
  public void hideMovesFromTheCoordinator() {
    tabletsNameLeaders = true;
    stale = true;
  }

  boolean tabletsNameLeaders() {
    return tabletsNameLeaders;
  }

  /** From now on scans of that tablet send nothing, and do not end; 0 for no tablet. */
  public void freezeScans(int tablet) {
    frozenTablet = tablet;
  }

  boolean isFrozen(int tablet) {
    return tablet == frozenTablet;
  }

  /** Look-ups of the table so far. */
  public int lookUps() {
    return lookUps.get();
  }

  public void setFaults(PutFaults newFaults) {
    faults = newFaults;
  }

  public void setLookupFaults(LookupFaults newFaults) {
    lookupFaults = newFaults;
  }

  LookupFaults lookupFaults() {
    return lookupFaults;
  }

  PutFaults faults() {
    return faults;
  }

  /** After how many batches the n-th scan of a tablet breaks. */
  public void breakScans(IntBinaryOperator messagesOfScan) {
    scanMessages = messagesOfScan;
  }

  /** From now on scans begin at offset 0, whatever their tickets say. */
  public void ignoreScanStarts() {
    scanStartsIgnored = true;
  }

  /** Scans with a filter skip the batches at these base offsets, whatever the filter says. */
  public void skipBatches(LongPredicate baseOffsets) {
    skipped = baseOffsets;
  }

  boolean isSkipped(long baseOffset) {
    return skipped.test(baseOffset);
  }

  /** Ends scans by what it throws. */
  public interface ScanCheck {
    void check(FakeBucket bucket, long offset);
  }

  public void setScanCheck(ScanCheck check) {
    scanCheck = check;
  }

  void checkScan(FakeBucket bucket, long offset) {
    scanCheck.check(bucket, offset);
  }

  boolean scanStartsIgnored() {
    return scanStartsIgnored;
  }

  int scanMessages(int tablet, int number) {
    return scanMessages.applyAsInt(tablet, number);
  }

  /** The first column of every stored row of a bucket, which must be a BIGINT. */
  public List<Long> values(int bucket) {
    return values(bucket(bucket));
  }

  /** As {@link #values(int)}, of a bucket of a partition. */
  public List<Long> values(FakeBucket bucket) {
    List<Long> values = new ArrayList<>();
    try (LogBatchDecoder decoder = new LogBatchDecoder(allocator)) {
      for (FakeBucket.Stored batch : bucket.log()) {
        try (ArrowBuf body = allocator.buffer(Math.max(batch.body().length, 1))) {
          body.writeBytes(batch.body());
          try (VectorSchemaRoot root =
              decoder.decode(
                  ArrowSchemas.toArrow(schema), ByteBuffer.wrap(batch.metadata()), body)) {
            VectorRow row = new VectorRow(root);
            for (int i = 0; i < root.getRowCount(); i++) {
              values.add(row.at(i).getLong(0));
            }
          }
        }
      }
    }
    return values;
  }

  /** As {@link #values}, over all buckets in their order. */
  public List<Long> allValues() {
    List<Long> values = new ArrayList<>();
    for (int i = 0; i < buckets.size(); i++) {
      values.addAll(values(i));
    }
    return values;
  }

  @Override
  public void close() {
    tablets.forEach(FakeTablet::close);
    try {
      coordinator.shutdownNow().awaitTermination();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    allocator.close();
  }

  private final class Metadata extends MetadataServiceGrpc.MetadataServiceImplBase {
    @Override
    public void getTable(GetTableRequest request, StreamObserver<TableInfo> answer) {
      lookUps.incrementAndGet();
      if (!request.getTable().equals("t")) {
        answer.onError(
            StatusMapping.toStatus(
                new SluiceException(
                    ErrorCode.TABLE_NOT_FOUND,
                    "Table demo." + request.getTable() + " does not exist")));
        return;
      }
      TableInfo.Builder table =
          TableInfo.newBuilder()
              .setTableId(tableId)
              .setDatabase("demo")
              .setTable("t")
              .setSchema(Schemas.toProto(schema))
              .setBucketCount(partitions.keyed() ? partitions.bucketCount() : buckets.size())
              .addAllBucketKey(bucketKey)
              .putAllOptions(options)
              .setReplicationFactor(1);
      for (int i = 0; i < buckets.size(); i++) {
        BucketInfo.Builder bucket = BucketInfo.newBuilder().setBucket(i);
        if (!leaderless) {
          int leader = stale ? 1 + i % tablets.size() : buckets.get(i).leader();
          bucket
              .setLeaderServerId(leader)
              .setLeader(
                  Endpoint.newBuilder().setHost("127.0.0.1").setFlightPort(tablet(leader).port()));
        }
        table.addBuckets(bucket);
      }
      partitions.describe(table, id -> leaderless ? null : endpoint(id));
      answer.onNext(table.build());
      answer.onCompleted();
    }

    private Endpoint endpoint(int tablet) {
      return Endpoint.newBuilder()
          .setHost("127.0.0.1")
          .setFlightPort(tablet(tablet).port())
          .build();
    }

    @Override
    public void createPartition(
        CreatePartitionRequest request, StreamObserver<PartitionInfo> answer) {
      try {
        answer.onNext(partitions.create(request.getValuesList()));
        answer.onCompleted();
      } catch (SluiceException e) {
        answer.onError(StatusMapping.toStatus(e));
      }
    }

    @Override
    public void initWriter(InitWriterRequest request, StreamObserver<InitWriterResponse> answer) {
      InitWriterResponse given;
      synchronized (writers) {
        InitWriterResponse before = writers.get(request.getName());
        given =
            before == null || request.getName().isEmpty()
                ? InitWriterResponse.newBuilder().setWriterId(nextWriter.getAndIncrement()).build()
                : before.toBuilder().setWriterEpoch(before.getWriterEpoch() + 1).build();
        writers.put(request.getName(), given);
      }
      answer.onNext(given);
      answer.onCompleted();
    }
  }
}
