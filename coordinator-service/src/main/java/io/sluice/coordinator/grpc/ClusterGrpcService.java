package io.sluice.coordinator.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.membership.DeltaSink;
import io.sluice.coordinator.membership.TabletSession;
import io.sluice.coordinator.membership.TabletSessions;
import io.sluice.protocol.cluster.v1.ClusterServiceGrpc;
import io.sluice.protocol.cluster.v1.CoordinatorMessage;
import io.sluice.protocol.cluster.v1.TabletMessage;
import io.sluice.protocol.error.StatusMapping;

/** {@code sluice.cluster.v1.ClusterService} over the {@link TabletSessions}. */
public final class ClusterGrpcService extends ClusterServiceGrpc.ClusterServiceImplBase {
  private final TabletSessions sessions;

  public ClusterGrpcService(TabletSessions sessions) {
    this.sessions = sessions;
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
