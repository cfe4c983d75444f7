package io.sluice.coordinator.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.tiering.LakeRecords;
import io.sluice.coordinator.tiering.TieringLoop;
import io.sluice.coordinator.tiering.WorkerSink;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.tiering.v1.GetLakeStateRequest;
import io.sluice.protocol.tiering.v1.LakeState;
import io.sluice.protocol.tiering.v1.ListLakeStatesRequest;
import io.sluice.protocol.tiering.v1.ListLakeStatesResponse;
import io.sluice.protocol.tiering.v1.RoundCommittedRequest;
import io.sluice.protocol.tiering.v1.RoundCommittedResponse;
import io.sluice.protocol.tiering.v1.SetHoldRequest;
import io.sluice.protocol.tiering.v1.TieringServiceGrpc;
import io.sluice.protocol.tiering.v1.WorkerOrder;
import io.sluice.protocol.tiering.v1.WorkerReport;
import java.util.concurrent.atomic.AtomicBoolean;

/** {@code sluice.tiering.v1.TieringService} over the tiering queue and the lake records. */
public final class TieringGrpcService extends TieringServiceGrpc.TieringServiceImplBase {
  private final TieringLoop loop;
  private final LakeRecords records;

  public TieringGrpcService(TieringLoop loop, LakeRecords records) {
    this.loop = loop;
    this.records = records;
  }

  @Override
  public StreamObserver<WorkerReport> work(StreamObserver<WorkerOrder> orders) {
    GrpcSink sink = new GrpcSink((ServerCallStreamObserver<WorkerOrder>) orders);
    // One report at a time: the next is let in when this one was handled and the worker reads.
    sink.stream.disableAutoInboundFlowControl();
    sink.stream.setOnReadyHandler(sink::letNextIn);
    // A cancelled stream is reported through onError below; with a handler set, sending to it is
    // harmless.
    sink.stream.setOnCancelHandler(() -> {});
    sink.stream.request(1);
    return new StreamObserver<>() {
      @Override
      public void onNext(WorkerReport report) {
        loop.reported(sink, report);
      }

      @Override
      public void onError(Throwable failure) {
        loop.broke(sink);
      }

      @Override
      public void onCompleted() {
        loop.closedByPeer(sink);
      }
    };
  }

  @Override
  public void roundCommitted(
      RoundCommittedRequest request, StreamObserver<RoundCommittedResponse> answers) {
    UnaryAnswers.answer(
        answers,
        () ->
            records
                .roundCommitted(TieringMessages.round(request))
                .thenApply(
                    recorded -> RoundCommittedResponse.newBuilder().setRecorded(recorded).build()));
  }

  @Override
  public void getLakeState(GetLakeStateRequest request, StreamObserver<LakeState> answers) {
    UnaryAnswers.answer(
        answers, () -> records.lake(request.getTableId()).thenApply(TieringMessages::state));
  }

  @Override
  public void listLakeStates(
      ListLakeStatesRequest request, StreamObserver<ListLakeStatesResponse> answers) {
    UnaryAnswers.answer(answers, () -> records.lakes().thenApply(TieringMessages::states));
  }

  @Override
  public void setHold(SetHoldRequest request, StreamObserver<LakeState> answers) {
    UnaryAnswers.answer(
        answers,
        () ->
            records
                .setHold(
                    request.getTableId(),
                    TieringMessages.hold(request.getHold()),
                    request.getReason())
                .thenApply(TieringMessages::state));
  }

  /**
   * A gRPC stream as a sink; used by the queue's loop alone, but for {@link #letNextIn}. A worker
   * that does not read its orders is not heard either, so what waits for it stays bounded.
   */
  private static final class GrpcSink implements WorkerSink {
    private final ServerCallStreamObserver<WorkerOrder> stream;
    private final AtomicBoolean handled = new AtomicBoolean();
    private boolean ended;

    GrpcSink(ServerCallStreamObserver<WorkerOrder> stream) {
      this.stream = stream;
    }

    @Override
    public void send(WorkerOrder order) {
      if (!ended) {
        stream.onNext(order);
      }
    }

    @Override
    public void requestNext() {
      if (!ended) {
        handled.set(true);
        letNextIn();
      }
    }

    private void letNextIn() {
      if (stream.isReady() && handled.compareAndSet(true, false)) {
        stream.request(1);
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
