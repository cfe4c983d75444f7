package io.sluice.lake.app;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.TimeSource;
import io.sluice.lake.commit.FakeRecord;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.metadata.v1.GetTableRequest;
import io.sluice.protocol.metadata.v1.MetadataServiceGrpc;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.protocol.security.ClusterTokenServerInterceptor;
import io.sluice.protocol.tiering.v1.GetLakeStateRequest;
import io.sluice.protocol.tiering.v1.LakeState;
import io.sluice.protocol.tiering.v1.ListLakeStatesRequest;
import io.sluice.protocol.tiering.v1.ListLakeStatesResponse;
import io.sluice.protocol.tiering.v1.RoundCommittedRequest;
import io.sluice.protocol.tiering.v1.RoundCommittedResponse;
import io.sluice.protocol.tiering.v1.SetHoldRequest;
import io.sluice.protocol.tiering.v1.TieringServiceGrpc;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Supplier;

/** A coordinator on the wire, with a {@link FakeRecord} behind it. */
final class FakeCoordinator implements AutoCloseable {
  private final FakeRecord record = new FakeRecord();
  private final Server server;

  FakeCoordinator(ClusterSecret secret) throws IOException {
    this.server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .permitKeepAliveTime(1, java.util.concurrent.TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .intercept(ClusterTokenServerInterceptor.guardingAll(secret, TimeSource.SYSTEM))
            .addService(new Metadata())
            .addService(new Tiering())
            .build()
            .start();
  }

  FakeRecord record() {
    return record;
  }

  String address() {
    return "127.0.0.1:" + server.getPort();
  }

  @Override
  public void close() {
    server.shutdownNow();
  }

  private static <A> void answer(StreamObserver<A> answers, Supplier<A> work) {
    A answer;
    try {
      answer = work.get();
    } catch (RuntimeException e) {
      answers.onError(StatusMapping.toStatus(e));
      return;
    }
    answers.onNext(answer);
    answers.onCompleted();
  }

  private final class Metadata extends MetadataServiceGrpc.MetadataServiceImplBase {
    @Override
    public void getTable(GetTableRequest request, StreamObserver<TableInfo> answers) {
      answer(
          answers,
          () ->
              request.getTableId() != 0
                  ? record.table(request.getTableId())
                  : record.table(request.getDatabase(), request.getTable()));
    }
  }

  private final class Tiering extends TieringServiceGrpc.TieringServiceImplBase {
    @Override
    public void getLakeState(GetLakeStateRequest request, StreamObserver<LakeState> answers) {
      answer(answers, () -> record.state(request.getTableId()));
    }

    @Override
    public void listLakeStates(
        ListLakeStatesRequest request, StreamObserver<ListLakeStatesResponse> answers) {
      answer(
          answers, () -> ListLakeStatesResponse.newBuilder().addAllStates(record.states()).build());
    }

    @Override
    public void roundCommitted(
        RoundCommittedRequest request, StreamObserver<RoundCommittedResponse> answers) {
      answer(
          answers,
          () -> {
            record.roundCommitted(request, Duration.ZERO);
            return RoundCommittedResponse.newBuilder().setRecorded(true).build();
          });
    }

    @Override
    public void setHold(SetHoldRequest request, StreamObserver<LakeState> answers) {
      answer(
          answers,
          () -> {
            record.holdRegressed(request.getTableId(), request.getReason());
            return record.state(request.getTableId());
          });
    }
  }
}
