package io.sluice.coordinator.app;

import io.grpc.Channel;
import io.grpc.stub.StreamObserver;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.tiering.v1.TieringServiceGrpc;
import io.sluice.protocol.tiering.v1.WorkerOrder;
import io.sluice.protocol.tiering.v1.WorkerReport;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A tiering worker as the coordinator sees it: a stream of reports and nothing behind it. */
final class WorkerUnderTest implements StreamObserver<WorkerOrder> {
  private final List<WorkerOrder> received = new CopyOnWriteArrayList<>();
  private final StreamObserver<WorkerReport> up;
  private volatile SluiceException failure;
  private volatile boolean completed;
  private boolean closed;

  WorkerUnderTest(Channel channel) {
    up = TieringServiceGrpc.newStub(channel).work(this);
  }

  void report(WorkerReport report) {
    up.onNext(report);
  }

  /** Stops in order, unless the stream has ended. */
  void close() {
    if (failure == null && !closed) {
      closed = true;
      up.onCompleted();
    }
  }

  /** Everything received so far. */
  List<WorkerOrder> received() {
    return received;
  }

  /** Why the stream ended, or null. */
  SluiceException failure() {
    return failure;
  }

  /** Whether it ended in order. */
  boolean completed() {
    return completed;
  }

  @Override
  public void onNext(WorkerOrder order) {
    received.add(order);
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
