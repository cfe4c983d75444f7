package io.sluice.tablet.flight;

import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.protocol.transport.BulkTransport;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** DoGet: checks the ticket and starts a {@link ScanCall}. */
final class GetHandler implements ServerCallHandler<ByteString, OutboundFrame> {
  private final FlightContext context;
  private final TableDirectory directory;
  private final ScanPlanner planner;
  private final Executor threads;
  private final Set<ScanCall> open = ConcurrentHashMap.newKeySet();
  private volatile boolean stopping;

  /**
   * @param threads where batches are read
   */
  GetHandler(FlightContext context, TableDirectory directory, Executor threads) {
    this.context = context;
    this.directory = directory;
    this.planner = new ScanPlanner(directory);
    this.threads = threads;
  }

  /** Ends every scan, those that start from now on too. */
  void stop() {
    stopping = true;
    open.forEach(ScanCall::stop);
  }

  @Override
  public ServerCall.Listener<ByteString> startCall(
      ServerCall<ByteString, OutboundFrame> call, Metadata headers) {
    call.setOnReadyThreshold(context.settings().scanBufferBytes());
    // Two: the second, which no client may send, is seen and refused.
    call.request(2);
    return new GetCall(new CallResponder<>(call), BulkTransport.loopOf(call));
  }

  private final class GetCall extends ServerCall.Listener<ByteString> {
    private final CallResponder<OutboundFrame> responder;
    private final @Nullable Executor loop;
    private @Nullable ByteString request;
    private volatile @Nullable ScanCall stream;

    GetCall(CallResponder<OutboundFrame> responder, @Nullable Executor loop) {
      this.responder = responder;
      this.loop = loop;
    }

    @Override
    public void onMessage(ByteString message) {
      if (request != null) {
        responder.fail(
            new SluiceException(ErrorCode.INVALID_ARGUMENT, "DoGet takes one ticket, not two"));
      }
      request = message;
    }

    @Override
    public void onHalfClose() {
      try {
        if (request == null) {
          throw new SluiceException(ErrorCode.INVALID_TICKET, "DoGet was called without a ticket");
        }
        if (!responder.ended()) {
          start(ScanPlanner.parse(TicketBytes.parse(request)));
        }
      } catch (RuntimeException e) {
        responder.fail(e);
      }
    }

    private void start(ScanTicket scan) {
      ScanPlan plan = planner.plan(scan);
      int count = context.meters().scanOpened();
      if (count > context.settings().maxScans()) {
        context.meters().scanClosed();
        throw new SluiceException(
            ErrorCode.BACKPRESSURE,
            "This server has "
                + context.settings().maxScans()
                + " open scans, as many as it may have");
      }
      ScanCall started;
      try {
        started = call(plan);
      } catch (RuntimeException e) {
        context.meters().scanClosed();
        throw e;
      }
      open.add(started);
      stream = started;
      if (stopping) {
        started.stop();
      }
      started.wakeUp();
    }

    private ScanCall call(ScanPlan plan) {
      if (plan.currentRows()) {
        return new KvScanStream(plan, responder, context, threads, this::done);
      }
      BatchSender sender = new BatchSender(plan, context.allocator(), context.scanBuffers());
      return new ScanStream(
          plan, sender, responder, directory, context.meters(), threads, loop, this::done);
    }

    private void done() {
      ScanCall ended = stream;
      if (ended != null) {
        open.remove(ended);
      }
      context.meters().scanClosed();
    }

    @Override
    public void onReady() {
      ScanCall started = stream;
      if (started != null) {
        started.wakeUp();
      }
    }

    @Override
    public void onCancel() {
      responder.cancelled();
      ScanCall started = stream;
      if (started != null) {
        started.cancel();
      }
    }
  }
}
