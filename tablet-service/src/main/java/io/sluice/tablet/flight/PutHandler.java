package io.sluice.tablet.flight;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.protocol.flight.FlightFrame;
import io.sluice.protocol.flight.WireEncoding;
import io.sluice.protocol.flight.v1.Command;
import io.sluice.protocol.flight.v1.NativePut;
import io.sluice.protocol.flight.v1.StockPut;
import java.net.SocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.arrow.flight.impl.Flight.FlightDescriptor;
import org.apache.arrow.flight.impl.Flight.PutResult;
import org.jspecify.annotations.Nullable;

/**
 * DoPut: reads the descriptor of the first message and hands the call to a {@link NativePutStream}
 * or a {@link StockPutStream}. Calls arrive on the transport's thread and native puts stay there,
 * as nothing of them blocks; the opening of a call, and all of a stock put, has a thread.
 */
final class PutHandler implements ServerCallHandler<FlightFrame, PutResult> {
  private final PutContext context;
  private final AtomicBoolean accepting = new AtomicBoolean(true);
  private final Set<PutCall> calls = ConcurrentHashMap.newKeySet();

  PutHandler(PutContext context) {
    this.context = context;
  }

  /** Refuses new streams and new messages from now on; what was taken is still answered. */
  void stopAccepting() {
    accepting.set(false);
    calls.forEach(PutCall::stop);
  }

  static SluiceException stopping() {
    return new SluiceException(
        ErrorCode.UNAVAILABLE, "This server is stopping; send what is not answered again");
  }

  @Override
  public ServerCall.Listener<FlightFrame> startCall(
      ServerCall<FlightFrame, PutResult> call, Metadata headers) {
    PutCall started = new PutCall(call);
    started.open();
    return started;
  }

  private static Object connectionOf(ServerCall<?, ?> call) {
    SocketAddress remote = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    return remote == null ? call : remote;
  }

  /**
   * One call: its stream once the descriptor is known, and what has to be given back at its end.
   */
  private final class PutCall extends ServerCall.Listener<FlightFrame> {
    private final CallResponder<PutResult> responder;
    private final CallEvents events;
    private final ConnectionBudgets.Budget budget;
    private volatile @Nullable PutStream stream;
    private boolean failed;
    private boolean finished;

    PutCall(ServerCall<FlightFrame, PutResult> call) {
      this.responder = new CallResponder<>(call);
      this.events = new CallEvents(context.calls(), responder::fail);
      this.budget = context.budgets().open(connectionOf(call));
    }

    void open() {
      context.meters().putOpened();
      calls.add(this);
      responder.request(1);
    }

    /** On any thread. */
    void stop() {
      PutStream open = stream;
      if (open != null) {
        open.stop();
      } else {
        responder.fail(stopping());
      }
    }

    @Override
    public void onMessage(FlightFrame frame) {
      events.run(!(stream instanceof NativePutStream), () -> message(frame));
    }

    private void message(FlightFrame frame) {
      if (failed) {
        frame.close();
        return;
      }
      PutStream opened;
      try {
        frame.requireIntact();
        // A native put is told so for each message, as it waits for the answers of others.
        if (!accepting.get() && !(stream instanceof NativePutStream)) {
          throw stopping();
        }
        opened = stream == null ? open(frame) : stream;
        stream = opened;
      } catch (RuntimeException e) {
        frame.close();
        fail(e);
        return;
      }
      try {
        opened.message(frame);
      } catch (RuntimeException e) {
        fail(e);
      }
    }

    @Override
    public void onHalfClose() {
      events.run(false, this::halfClosed);
    }

    private void halfClosed() {
      PutStream open = stream;
      if (open != null) {
        open.end();
      } else if (!failed) {
        fail(
            new SluiceException(
                ErrorCode.INVALID_ARGUMENT,
                "The put has no message; the first one carries a descriptor with a path"
                    + " [database, table] or a command"));
      }
    }

    @Override
    public void onReady() {
      events.run(false, this::ready);
    }

    private void ready() {
      PutStream open = stream;
      if (open != null && !failed) {
        open.ready();
      }
    }

    @Override
    public void onCancel() {
      responder.cancelled();
      events.run(false, this::finish);
    }

    @Override
    public void onComplete() {
      events.run(false, this::finish);
    }

    private void fail(RuntimeException failure) {
      failed = true;
      if (failure instanceof SluiceException known) {
        context.meters().refused(known.code());
      }
      responder.fail(failure);
      finish();
    }

    private void finish() {
      if (!finished) {
        finished = true;
        PutStream open = stream;
        if (open != null) {
          open.cancelled();
        }
        budget.close();
        calls.remove(this);
        context.meters().putClosed();
      }
    }

    private PutStream open(FlightFrame frame) {
      FlightDescriptor descriptor = frame.descriptor();
      if (descriptor == null) {
        throw new SluiceException(
            ErrorCode.INVALID_ARGUMENT,
            "The first message of a put has no descriptor; it needs a path [database, table] or a"
                + " command");
      }
      if (Descriptors.isPath(descriptor)) {
        TablePath path = Descriptors.table(descriptor);
        StockPut put =
            StockPut.newBuilder().setDatabase(path.database()).setTable(path.table()).build();
        return new StockPutStream(context, responder, put, WireEncoding.PROTOBUF);
      }
      Command command = Descriptors.command(descriptor);
      WireEncoding encoding = WireEncoding.of(descriptor.getCmd());
      return switch (command.getCommandCase()) {
        case NATIVE_PUT -> openNative(command.getNativePut(), encoding);
        case STOCK_PUT -> new StockPutStream(context, responder, command.getStockPut(), encoding);
        default ->
            throw new SluiceException(
                ErrorCode.INVALID_ARGUMENT,
                "The command of a put must be native_put or stock_put, not "
                    + command.getCommandCase());
      };
    }

    private PutStream openNative(NativePut put, WireEncoding encoding) {
      context.directory().awaitSchema(put.getTableId(), put.getSchemaId());
      return new NativePutStream(context, responder, budget, put, encoding);
    }
  }
}
