package io.sluice.lake.union;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.common.TimeSource;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.lake.v1.FindLakeTableRequest;
import io.sluice.protocol.lake.v1.GetLakeSnapshotRequest;
import io.sluice.protocol.lake.v1.LakeFile;
import io.sluice.protocol.lake.v1.LakeServiceGrpc;
import io.sluice.protocol.lake.v1.LakeServiceGrpc.LakeServiceBlockingStub;
import io.sluice.protocol.lake.v1.LakeSnapshot;
import io.sluice.protocol.lake.v1.LakeTable;
import io.sluice.protocol.lake.v1.PurgeLakeTableRequest;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.protocol.security.ClusterTokenClientInterceptor;
import io.sluice.protocol.tiering.v1.BucketOffset;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.types.Types;

/** Lake-service over gRPC. Owns its channel. */
public final class GrpcLake implements Lake, AutoCloseable {
  private static final int MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
  private static final long CLOSE_WAIT_MS = 500;

  private final ManagedChannel channel;
  private final Path warehouse;
  private final Duration timeout;
  private final String address;

  /**
   * @param address {@code host:port} of lake-service
   * @param warehouse where all files must lie
   * @param timeout bound of each call
   */
  public GrpcLake(
      String address, Path warehouse, ClusterSecret secret, TimeSource time, Duration timeout) {
    this.address = address;
    this.warehouse = warehouse.toAbsolutePath().normalize();
    this.timeout = timeout;
    this.channel =
        NettyChannelBuilder.forTarget("dns:///" + address)
            .usePlaintext()
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .intercept(new ClusterTokenClientInterceptor(secret, time))
            .build();
  }

  @Override
  public LakeView view(long tableId) {
    GetLakeSnapshotRequest request =
        GetLakeSnapshotRequest.newBuilder().setTableId(tableId).build();
    return decode(call(stub -> stub.getLakeSnapshot(request)), warehouse);
  }

  @Override
  public Leftover find(TablePath path) {
    FindLakeTableRequest request =
        FindLakeTableRequest.newBuilder()
            .setDatabase(path.database())
            .setTable(path.table())
            .build();
    LakeTable found = call(stub -> stub.findLakeTable(request));
    return new Leftover(found.getExists(), found.getTableId(), found.getManaged());
  }

  @Override
  public boolean purge(TablePath path) {
    PurgeLakeTableRequest request =
        PurgeLakeTableRequest.newBuilder()
            .setDatabase(path.database())
            .setTable(path.table())
            .build();
    return call(stub -> stub.purgeLakeTable(request)).getPurged();
  }

  private <A> A call(Function<LakeServiceBlockingStub, A> request) {
    try {
      return request.apply(
          LakeServiceGrpc.newBlockingStub(channel)
              .withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS));
    } catch (StatusRuntimeException e) {
      SluiceException failure = StatusMapping.fromStatus(e);
      if (failure.code() != ErrorCode.UNAVAILABLE && failure.code() != ErrorCode.TIMEOUT) {
        throw failure;
      }
      // The channel would wait longer and longer before it looks whether the service is back.
      channel.resetConnectBackoff();
      throw new SluiceException(
          failure.code(),
          "No answer from lake-service at " + address + ": " + failure.getMessage(),
          e);
    }
  }

  static LakeView decode(LakeSnapshot snapshot, Path warehouse) {
    if (snapshot.getSnapshotId() == LakeView.NONE) {
      return LakeView.empty();
    }
    Map<Integer, Long> offsets = new TreeMap<>();
    for (BucketOffset offset : snapshot.getOffsetsList()) {
      if (offset.getPartitionId() != 0) {
        throw new SluiceException(
            ErrorCode.UNSUPPORTED, "Partitioned lake tables cannot be read by this build");
      }
      offsets.put(offset.getBucket(), offset.getOffset());
    }
    List<LakeView.File> files = new ArrayList<>(snapshot.getFilesCount());
    for (LakeFile file : snapshot.getFilesList()) {
      files.add(
          new LakeView.File(localPath(file.getPath(), warehouse), file.getRows(), file.getBytes()));
    }
    return new LakeView(
        snapshot.getSnapshotId(),
        snapshot.getCommittedMs(),
        offsets,
        files,
        columns(snapshot.getIcebergSchema()));
  }

  private static List<LakeColumn> columns(String json) {
    if (json.isEmpty()) {
      return List.of();
    }
    Schema schema = SchemaParser.fromJson(json);
    List<LakeColumn> columns = new ArrayList<>();
    for (Types.NestedField field : schema.columns()) {
      columns.add(new LakeColumn(field.fieldId(), field.name(), field.type()));
    }
    return columns;
  }

  /** The local path of a file of the lake, which must lie in the warehouse; taken literally. */
  private static String localPath(String location, Path warehouse) {
    String text = location.startsWith("file:") ? location.replaceFirst("^file:/*", "/") : location;
    Path path;
    try {
      path = Path.of(text).normalize();
    } catch (InvalidPathException e) {
      throw new SluiceException(
          ErrorCode.CORRUPT_STORAGE, "A lake file has the location '" + location + "'", e);
    }
    if (!path.startsWith(warehouse)) {
      throw new SluiceException(
          ErrorCode.PERMISSION_DENIED,
          "Lake file "
              + location
              + " lies outside of the warehouse "
              + warehouse
              + " (sluice.sql.warehouse) and is not read");
    }
    return path.toString();
  }

  @Override
  public void close() {
    channel.shutdown();
    try {
      if (!channel.awaitTermination(CLOSE_WAIT_MS, TimeUnit.MILLISECONDS)) {
        channel.shutdownNow();
      }
    } catch (InterruptedException e) {
      channel.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
