package io.sluice.tiering.app;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.lake.v1.LakeServiceGrpc;
import io.sluice.protocol.lake.v1.PrepareRoundRequest;
import io.sluice.protocol.lake.v1.PrepareRoundResponse;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.protocol.security.ClusterTokenServerInterceptor;
import io.sluice.protocol.tiering.v1.Assignment;
import io.sluice.protocol.tiering.v1.TieringServiceGrpc;
import io.sluice.protocol.tiering.v1.WorkerOrder;
import io.sluice.protocol.tiering.v1.WorkerReport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** A coordinator that assigns table 5 once, and a lake that refuses every round as fenced. */
final class SmallCluster implements AutoCloseable {
  final List<WorkerReport> reports = new CopyOnWriteArrayList<>();
  final List<String> prepared = new CopyOnWriteArrayList<>();
  private final AtomicBoolean assigned = new AtomicBoolean();
  private final Server server;

  SmallCluster(ClusterSecret secret) throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .intercept(ClusterTokenServerInterceptor.guardingAll(secret, TimeSource.SYSTEM))
            .addService(new Sessions())
            .addService(new Lake())
            .build()
            .start();
  }

  String address() {
    return "127.0.0.1:" + server.getPort();
  }

  @Override
  public void close() throws InterruptedException {
    server.shutdownNow().awaitTermination();
  }

  private final class Sessions extends TieringServiceGrpc.TieringServiceImplBase {
    @Override
    public StreamObserver<WorkerReport> work(StreamObserver<WorkerOrder> orders) {
      return new StreamObserver<>() {
        @Override
        public void onNext(WorkerReport report) {
          reports.add(report);
          if (assigned.compareAndSet(false, true)) {
            orders.onNext(
                WorkerOrder.newBuilder()
                    .setAssign(
                        Assignment.newBuilder()
                            .setTableId(5)
                            .setEpoch(3)
                            .setDatabase("demo")
                            .setTable("t")
                            .setFreshnessMs(10_000))
                    .build());
          }
        }

        @Override
        public void onError(Throwable gone) {}

        @Override
        public void onCompleted() {
          orders.onCompleted();
        }
      };
    }
  }

  private final class Lake extends LakeServiceGrpc.LakeServiceImplBase {
    @Override
    public void prepareRound(PrepareRoundRequest request, StreamObserver<PrepareRoundResponse> to) {
      prepared.add(request.getRoundId());
      to.onError(
          StatusMapping.toStatus(
              new SluiceException(ErrorCode.FENCED_ROUND, "epoch 4 is current")));
    }
  }
}
