package io.sluice.tiering.commit;

import io.grpc.ManagedChannel;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.lake.v1.CommitRoundRequest;
import io.sluice.protocol.lake.v1.CommitRoundResponse;
import io.sluice.protocol.lake.v1.DataFile;
import io.sluice.protocol.lake.v1.LakeServiceGrpc;
import io.sluice.protocol.lake.v1.LakeServiceGrpc.LakeServiceBlockingStub;
import io.sluice.protocol.lake.v1.PrepareRoundRequest;
import io.sluice.protocol.lake.v1.PrepareRoundResponse;
import io.sluice.protocol.lake.v1.ResolveRoundRequest;
import io.sluice.protocol.tiering.v1.BucketOffset;
import io.sluice.tiering.write.WrittenFile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** lake-service over gRPC. */
public final class GrpcLake implements Lake {
  /** Tables have no partitions yet: 0 stands for none. */
  private static final long NO_PARTITION = 0;

  private final ManagedChannel channel;
  private final Duration timeout;

  /**
   * @param channel to lake-service, with the cluster token; stays the caller's
   * @param timeout bound of one call
   */
  public GrpcLake(ManagedChannel channel, Duration timeout) {
    this.channel = channel;
    this.timeout = timeout;
  }

  @Override
  public PreparedRound prepare(RoundKey key) {
    PrepareRoundResponse answer;
    try {
      answer =
          stub()
              .prepareRound(
                  PrepareRoundRequest.newBuilder()
                      .setTableId(key.tableId())
                      .setEpoch(key.epoch())
                      .setRoundId(key.roundId())
                      .build());
    } catch (RuntimeException e) {
      throw StatusMapping.fromStatus(e);
    }
    Map<Integer, Long> offsets = new HashMap<>();
    for (BucketOffset offset : answer.getOffsetsList()) {
      if (offset.getPartitionId() == NO_PARTITION) {
        offsets.put(offset.getBucket(), offset.getOffset());
      }
    }
    return new PreparedRound(
        answer.getFence(),
        offsets,
        answer.getDataLocation(),
        answer.getIcebergSchema(),
        answer.getIcebergSpec());
  }

  @Override
  public CommitOutcome commit(RoundCommit commit) {
    CommitRoundRequest.Builder request =
        CommitRoundRequest.newBuilder()
            .setTableId(commit.key().tableId())
            .setEpoch(commit.key().epoch())
            .setRoundId(commit.key().roundId())
            .setFence(commit.fence())
            .addAllStart(offsets(commit.start()))
            .addAllEnd(offsets(commit.end()))
            .setRows(commit.rows())
            .setBytes(commit.bytes());
    for (WrittenFile file : commit.files()) {
      request.addFiles(
          DataFile.newBuilder()
              .setJson(file.json())
              .setPartitionId(NO_PARTITION)
              .setBucket(file.bucket())
              .setStartOffset(file.startOffset())
              .setEndOffset(file.endOffset()));
    }
    try {
      return outcome(stub().commitRound(request.build()));
    } catch (RuntimeException e) {
      return outcome(StatusMapping.fromStatus(e));
    }
  }

  @Override
  public CommitOutcome resolve(RoundKey key) {
    ResolveRoundRequest request =
        ResolveRoundRequest.newBuilder()
            .setTableId(key.tableId())
            .setEpoch(key.epoch())
            .setRoundId(key.roundId())
            .build();
    try {
      return outcome(stub().resolveRound(request));
    } catch (RuntimeException e) {
      // Only an answer of the catalog settles a round; an error never does.
      SluiceException failure = StatusMapping.fromStatus(e);
      return new CommitOutcome.Unknown(failure.code() + ": " + failure.getMessage());
    }
  }

  private LakeServiceBlockingStub stub() {
    // The pauses are the caller's; gRPC's grow to minutes.
    channel.resetConnectBackoff();
    return LakeServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static List<BucketOffset> offsets(Map<Integer, Long> byBucket) {
    List<BucketOffset> offsets = new ArrayList<>(byBucket.size());
    new TreeMap<>(byBucket)
        .forEach(
            (bucket, offset) ->
                offsets.add(
                    BucketOffset.newBuilder()
                        .setPartitionId(NO_PARTITION)
                        .setBucket(bucket)
                        .setOffset(offset)
                        .build()));
    return offsets;
  }

  private static CommitOutcome outcome(CommitRoundResponse response) {
    return switch (response.getOutcome()) {
      case COMMITTED -> new CommitOutcome.Committed(response.getSnapshotId());
      case REFUSED -> new CommitOutcome.Refused(code(response.getCode()), response.getMessage());
      case UNKNOWN, UNRECOGNIZED ->
          new CommitOutcome.Unknown(response.getCode() + ": " + response.getMessage());
    };
  }

  private static ErrorCode code(String name) {
    for (ErrorCode code : ErrorCode.values()) {
      if (code.name().equals(name)) {
        return code;
      }
    }
    return ErrorCode.INTERNAL;
  }

  /**
   * What an error instead of an answer means. Only codes that are given before anything is done are
   * a no; the others may have come after the commit, or on the way of its answer.
   */
  private static CommitOutcome outcome(SluiceException failure) {
    String message = String.valueOf(failure.getMessage());
    return switch (failure.code()) {
      case FENCED_ROUND,
          LAKE_REGRESSED,
          LAKE_TABLE_EXISTS,
          TABLE_NOT_FOUND,
          TABLE_CHANGED,
          INVALID_ARGUMENT,
          INVALID_SCHEMA,
          UNSUPPORTED,
          UNAUTHENTICATED,
          PERMISSION_DENIED ->
          new CommitOutcome.Refused(failure.code(), message);
      default -> new CommitOutcome.Unknown(failure.code() + ": " + message);
    };
  }
}
