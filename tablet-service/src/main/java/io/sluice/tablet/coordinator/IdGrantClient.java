package io.sluice.tablet.coordinator;

import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.protocol.cluster.v1.BucketId;
import io.sluice.protocol.cluster.v1.ClusterServiceGrpc;
import io.sluice.protocol.cluster.v1.GrantIdsRequest;
import io.sluice.protocol.cluster.v1.GrantIdsResponse;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.tablet.replica.IdGrants;
import io.sluice.tablet.replica.IdRange;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Asks the coordinators for ids, with one call each time: whoever asks tries again, and finds the
 * leader that a coordinator has named meanwhile. Thread-safe.
 */
public final class IdGrantClient implements IdGrants {
  private final CoordinatorChannels channels;
  private final int serverId;
  private final Duration timeout;

  /**
   * @param serverId this server, which leads the buckets that ask
   * @param timeout bound of one call
   */
  public IdGrantClient(CoordinatorChannels channels, int serverId, Duration timeout) {
    this.channels = channels;
    this.serverId = serverId;
    this.timeout = timeout;
  }

  @Override
  public CompletableFuture<IdRange> grant(TableBucket bucket, int leaderEpoch, long count) {
    GrantIdsRequest request =
        GrantIdsRequest.newBuilder()
            .setBucket(
                BucketId.newBuilder()
                    .setTableId(bucket.tableId())
                    .setPartitionId(bucket.partitionId())
                    .setBucket(bucket.bucket()))
            .setServerId(serverId)
            .setLeaderEpoch(leaderEpoch)
            .setCount(count)
            .build();
    String address = channels.current();
    Answer answer = new Answer(address);
    try {
      ClusterServiceGrpc.newStub(channels.channel(address))
          .withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS)
          .grantIds(request, answer);
    } catch (RuntimeException e) {
      answer.onError(e);
    }
    return answer.range;
  }

  /** The one answer of the coordinator at an address. */
  private final class Answer implements StreamObserver<GrantIdsResponse> {
    private final String address;
    private final CompletableFuture<IdRange> range = new CompletableFuture<>();

    Answer(String address) {
      this.address = address;
    }

    @Override
    public void onNext(GrantIdsResponse response) {
      try {
        range.complete(new IdRange(response.getFirst(), response.getCount()));
      } catch (SluiceException e) {
        range.completeExceptionally(e);
      }
    }

    @Override
    public void onError(Throwable failure) {
      SluiceException why = StatusMapping.fromStatus(failure);
      chooseAnother(why);
      range.completeExceptionally(why);
    }

    private void chooseAnother(SluiceException why) {
      if (why.code() == ErrorCode.NOT_COORDINATOR_LEADER
          || why.code() == ErrorCode.UNAVAILABLE
          || why.code() == ErrorCode.TIMEOUT) {
        channels.moveOn(address, why);
      }
    }

    @Override
    public void onCompleted() {
      // Nothing is left to complete after an answer.
      range.completeExceptionally(
          new SluiceException(
              ErrorCode.UNAVAILABLE, "The coordinator at " + address + " granted no ids"));
    }
  }
}
