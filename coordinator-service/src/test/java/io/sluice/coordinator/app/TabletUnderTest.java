package io.sluice.coordinator.app;

import io.grpc.Channel;
import io.grpc.stub.StreamObserver;
import io.sluice.common.SluiceException;
import io.sluice.protocol.cluster.v1.ClusterServiceGrpc;
import io.sluice.protocol.cluster.v1.CoordinatorMessage;
import io.sluice.protocol.cluster.v1.Heartbeat;
import io.sluice.protocol.cluster.v1.RegisterTablet;
import io.sluice.protocol.cluster.v1.TabletMessage;
import io.sluice.protocol.error.StatusMapping;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A tablet server as the coordinator sees it: a session stream and nothing behind it. */
public final class TabletUnderTest implements StreamObserver<CoordinatorMessage> {
  private final List<CoordinatorMessage> received = new CopyOnWriteArrayList<>();
  private final StreamObserver<TabletMessage> up;
  private volatile SluiceException failure;
  private volatile boolean completed;

  public TabletUnderTest(Channel channel) {
    up = ClusterServiceGrpc.newStub(channel).tabletSession(this);
  }

  /** Registers with an incarnation. */
  public TabletUnderTest register(int serverId, String incarnation) {
    up.onNext(
        TabletMessage.newBuilder()
            .setRegister(
                RegisterTablet.newBuilder()
                    .setServerId(serverId)
                    .setHost("127.0.0.1")
                    .setFlightPort(9222 + serverId)
                    .setHttpPort(9279 + serverId)
                    .setIncarnation(incarnation)
                    .setBootId("boot"))
            .build());
    return this;
  }

  /** Sends a heartbeat. */
  public void heartbeat() {
    up.onNext(TabletMessage.newBuilder().setHeartbeat(Heartbeat.getDefaultInstance()).build());
  }

  /** Stops in order. */
  public void close() {
    up.onCompleted();
  }

  /** Everything received so far. */
  public List<CoordinatorMessage> received() {
    return received;
  }

  /** Why the stream ended, or null. */
  public SluiceException failure() {
    return failure;
  }

  /** Whether it ended in order. */
  public boolean completed() {
    return completed;
  }

  @Override
  public void onNext(CoordinatorMessage message) {
    received.add(message);
  }

  @Override
  public void onError(Throwable reason) {
    failure = StatusMapping.fromStatus(reason);
  }

  @Override
  public void onCompleted() {
    completed = true;
  }
}
