package io.sluice.tablet.flight;

import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.flight.v1.ScanTicket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** DoGet: checks the ticket and starts a {@link ScanStream}. */
final class GetHandler implements ServerCallHandler<ByteString, OutboundFrame> {
  private final FlightContext context;
  private final TableDirectory directory;
  private final ScanPlanner planner;
  private final Executor threads;
  private final Set<ScanStream> open = ConcurrentHashMap.newKeySet();
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
    open.forEach(ScanStream::stop);
  }

  @Override
  public ServerCall.Listener<ByteString> startCall(
      ServerCall<ByteString, OutboundFrame> call, Metadata headers) {
    call.setOnReadyThreshold(context.settings().scanBufferBytes());
    // Two: the second, which no client may send, is seen and refused.
    call.request(2);
    return new GetCall(new CallResponder<>(call));
  }

  private final class GetCall extends ServerCall.Listener<ByteString> {
    private final CallResponder<OutboundFrame> responder;
    private @Nullable ByteString request;
    private volatile @Nullable ScanStream stream;

    GetCall(CallResponder<OutboundFrame> responder) {
      this.responder = responder;
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
      BatchSender sender = new BatchSender(plan, context.allocator(), context.scanBuffers());
      int count = context.meters().scanOpened();
      if (count > context.settings().maxScans()) {
        context.meters().scanClosed();
        sender.close();
        throw new SluiceException(
            ErrorCode.BACKPRESSURE,
            "This server has "
                + context.settings().maxScans()
                + " open scans, as many as it may have");
      }
      ScanStream started =
          new ScanStream(plan, sender, responder, directory, context.meters(), threads, this::done);
      open.add(started);
      stream = started;
      if (stopping) {
        started.stop();
      }
      started.wakeUp();
    }

    private void done() {
      ScanStream ended = stream;
      if (ended != null) {
        open.remove(ended);
      }
      context.meters().scanClosed();
    }

    @Override
    public void onReady() {
      ScanStream started = stream;
      if (started != null) {
        started.wakeUp();
      }
    }

    @Override
    public void onCancel() {
      responder.cancelled();
      ScanStream started = stream;
      if (started != null) {
        started.cancel();
      }
    }
  }
}
