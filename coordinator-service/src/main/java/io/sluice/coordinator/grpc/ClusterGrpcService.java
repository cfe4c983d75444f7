package io.sluice.coordinator.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.coordinator.control.IdGrants;
import io.sluice.coordinator.membership.DeltaSink;
import io.sluice.coordinator.membership.IsrChanges;
import io.sluice.coordinator.membership.TabletSession;
import io.sluice.coordinator.membership.TabletSessions;
import io.sluice.protocol.cluster.v1.AlterIsrRequest;
import io.sluice.protocol.cluster.v1.AlterIsrResponse;
import io.sluice.protocol.cluster.v1.BucketId;
import io.sluice.protocol.cluster.v1.ClusterServiceGrpc;
import io.sluice.protocol.cluster.v1.CoordinatorMessage;
import io.sluice.protocol.cluster.v1.GrantIdsRequest;
import io.sluice.protocol.cluster.v1.GrantIdsResponse;
import io.sluice.protocol.cluster.v1.TabletMessage;
import io.sluice.protocol.error.StatusMapping;

/**
 * {@code sluice.cluster.v1.ClusterService} over the {@link TabletSessions}, {@link IsrChanges} and
 * {@link IdGrants}.
 */
public final class ClusterGrpcService extends ClusterServiceGrpc.ClusterServiceImplBase {
  private final TabletSessions sessions;
  private final IdGrants ids;
  private final IsrChanges isrChanges;

  public ClusterGrpcService(TabletSessions sessions, IdGrants ids, IsrChanges isrChanges) {
    this.sessions = sessions;
    this.ids = ids;
    this.isrChanges = isrChanges;
  }

  @Override
  public StreamObserver<TabletMessage> tabletSession(StreamObserver<CoordinatorMessage> down) {
    GrpcSink sink = new GrpcSink((ServerCallStreamObserver<CoordinatorMessage>) down);
    sink.stream.setOnReadyHandler(sessions::ready);
    // A cancelled stream is reported through onError below; with a handler set, sending to it is
    // harmless.
    sink.stream.setOnCancelHandler(() -> {});
    TabletSession session = sessions.connect(sink);
    return new StreamObserver<>() {
      @Override
      public void onNext(TabletMessage message) {
        session.received(message);
      }

      @Override
      public void onError(Throwable failure) {
        session.failed(failure);
      }

      @Override
      public void onCompleted() {
        session.closedByPeer();
      }
    };
  }

  @Override
  public void grantIds(GrantIdsRequest request, StreamObserver<GrantIdsResponse> answers) {
    UnaryAnswers.answer(
        answers,
        () -> {
          BucketId bucket = request.getBucket();
          return ids.grant(
                  new TableBucket(bucket.getTableId(), bucket.getPartitionId(), bucket.getBucket()),
                  request.getServerId(),
                  request.getLeaderEpoch(),
                  request.getCount())
              .thenApply(
                  range ->
                      GrantIdsResponse.newBuilder()
                          .setFirst(range.first())
                          .setCount(range.count())
                          .build());
        });
  }

  @Override
  public void alterIsr(AlterIsrRequest request, StreamObserver<AlterIsrResponse> answers) {
    UnaryAnswers.answer(answers, () -> isrChanges.alter(request));
  }

  /** A gRPC stream as a sink; used by the sessions' agent alone. */
  private static final class GrpcSink implements DeltaSink {
    private final ServerCallStreamObserver<CoordinatorMessage> stream;
    private boolean ended;

    GrpcSink(ServerCallStreamObserver<CoordinatorMessage> stream) {
      this.stream = stream;
    }

    @Override
    public boolean isReady() {
      return !ended && stream.isReady();
    }

    @Override
    public void send(CoordinatorMessage message) {
      if (!ended) {
        stream.onNext(message);
      }
    }

    @Override
    public void fail(SluiceException failure) {
      if (!ended) {
        ended = true;
        stream.onError(StatusMapping.toStatus(failure));
      }
    }

    @Override
    public void complete() {
      if (!ended) {
        ended = true;
        stream.onCompleted();
      }
    }
  }
}
