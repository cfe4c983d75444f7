package io.sluice.tiering.job;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.tiering.v1.Assignment;
import io.sluice.protocol.tiering.v1.Fence;
import io.sluice.protocol.tiering.v1.TieringServiceGrpc;
import io.sluice.protocol.tiering.v1.WorkerOrder;
import io.sluice.protocol.tiering.v1.WorkerReport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A coordinator that remembers reports and sends what the test says. */
final class FakeCoordinator implements AutoCloseable {
  final List<WorkerReport> reports = new CopyOnWriteArrayList<>();
  final AtomicInteger streams = new AtomicInteger();
  final AtomicInteger endedInOrder = new AtomicInteger();

  /** Ends every stream at its first report when set. */
  volatile @Nullable SluiceException refusal;

  private volatile @Nullable StreamObserver<WorkerOrder> orders;
  private final Server server;

  FakeCoordinator() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addService(new Sessions())
            .build()
            .start();
  }

  int port() {
    return server.getPort();
  }

  void assign(long tableId, long epoch, long freshnessMs) {
    send(
        WorkerOrder.newBuilder()
            .setAssign(
                Assignment.newBuilder()
                    .setTableId(tableId)
                    .setEpoch(epoch)
                    .setDatabase("demo")
                    .setTable("t")
                    .setFreshnessMs(freshnessMs))
            .build());
  }

  void fence(long tableId, long epoch) {
    send(
        WorkerOrder.newBuilder()
            .setFence(Fence.newBuilder().setTableId(tableId).setEpoch(epoch).setReason("test"))
            .build());
  }

  private synchronized void send(WorkerOrder order) {
    StreamObserver<WorkerOrder> to = orders;
    if (to == null) {
      throw new IllegalStateException("No worker is connected");
    }
    to.onNext(order);
  }

  /** Breaks the stream that stands now, if one does. */
  synchronized void breakStream(SluiceException why) {
    StreamObserver<WorkerOrder> to = orders;
    if (to != null) {
      orders = null;
      to.onError(StatusMapping.toStatus(why));
    }
  }

  private synchronized void opened(StreamObserver<WorkerOrder> to) {
    orders = to;
    streams.incrementAndGet();
  }

  @Override
  public void close() throws InterruptedException {
    server.shutdownNow().awaitTermination();
  }

  private final class Sessions extends TieringServiceGrpc.TieringServiceImplBase {
    @Override
    public StreamObserver<WorkerReport> work(StreamObserver<WorkerOrder> to) {
      opened(to);
      return new StreamObserver<>() {
        @Override
        public void onNext(WorkerReport report) {
          SluiceException refused = refusal;
          if (refused != null) {
            breakStream(refused);
          } else {
            reports.add(report);
          }
        }

        @Override
        public void onError(Throwable gone) {}

        @Override
        public void onCompleted() {
          endedInOrder.incrementAndGet();
          to.onCompleted();
        }
      };
    }
  }
}
