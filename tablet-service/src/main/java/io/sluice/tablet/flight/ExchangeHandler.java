package io.sluice.tablet.flight;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.flight.FlightFrame;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.flight.v1.Command;
import io.sluice.protocol.flight.v1.Command.CommandCase;
import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import org.apache.arrow.flight.impl.Flight.FlightDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * DoExchange: lookups by key for stock clients. Messages are worked off one after the other on the
 * exchange threads; the next one is taken in when the last is answered and the client takes
 * answers.
 */
final class ExchangeHandler implements ServerCallHandler<FlightFrame, OutboundFrame> {
  private final FlightContext context;
  private final TableDirectory directory;
  private final PeerLookups peers;

  ExchangeHandler(FlightContext context, TableDirectory directory, PeerChannels peers) {
    this.context = context;
    this.directory = directory;
    this.peers = new PeerLookups(peers);
  }

  @Override
  public ServerCall.Listener<FlightFrame> startCall(
      ServerCall<FlightFrame, OutboundFrame> call, Metadata headers) {
    call.request(1);
    return new ExchangeCall(new CallResponder<>(call));
  }

  private final class ExchangeCall extends ServerCall.Listener<FlightFrame> {
    private final CallResponder<OutboundFrame> responder;

    // Guarded by this.
    private @Nullable LookupExchange exchange;
    private boolean deferred;
    private boolean working;
    private boolean ended;
    private boolean released;

    ExchangeCall(CallResponder<OutboundFrame> responder) {
      this.responder = responder;
    }

    @Override
    public void onMessage(FlightFrame frame) {
      synchronized (this) {
        if (released) {
          frame.close();
          return;
        }
        working = true;
      }
      try {
        context.lookups().exchanges().execute(() -> work(frame));
      } catch (RejectedExecutionException e) {
        frame.close();
        responder.fail(PutHandler.stopping());
        done();
      }
    }

    private void work(FlightFrame frame) {
      try (frame) {
        frame.requireIntact();
        take(frame);
      } catch (RuntimeException e) {
        responder.fail(e);
      }
      done();
    }

    private void take(FlightFrame frame) {
      LookupExchange open = exchange(frame);
      ByteBuffer header = frame.dataHeader();
      if (!header.hasRemaining()) {
        return;
      }
      switch (UploadSchema.kind(header)) {
        case SCHEMA -> send(open.open(UploadSchema.parse(header)));
        case RECORDS -> send(open.answer(header, frame.body()));
        case DICTIONARY ->
            throw new SluiceException(
                ErrorCode.UNSUPPORTED,
                "The keys have dictionary batches; send the columns as plain values");
      }
    }

    private synchronized LookupExchange exchange(FlightFrame frame) {
      LookupExchange open = exchange;
      if (open != null) {
        return open;
      }
      FlightDescriptor descriptor = frame.descriptor();
      if (descriptor == null || Descriptors.isPath(descriptor)) {
        throw wrongCommand("no command");
      }
      Command command = Descriptors.command(descriptor);
      if (command.getCommandCase() != CommandCase.LOOKUP) {
        throw wrongCommand(command.getCommandCase().name());
      }
      open = new LookupExchange(context, directory, peers, command.getLookup());
      exchange = open;
      return open;
    }

    private SluiceException wrongCommand(String found) {
      return new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "The first message of DoExchange must have a descriptor with the command lookup"
              + " {database, table, columns, insert_if_absent, prefix, limit}; it has "
              + found);
    }

    private void send(OutboundFrame frame) {
      try (frame) {
        responder.send(frame);
      }
    }

    /** A message is worked off. */
    private void done() {
      boolean more = false;
      boolean last = false;
      synchronized (this) {
        working = false;
        if (released) {
          close();
        } else if (ended) {
          last = true;
        } else if (responder.isReady()) {
          more = true;
        } else {
          deferred = true;
        }
      }
      if (last) {
        responder.complete();
      } else if (more) {
        responder.request(1);
      }
    }

    @Override
    public void onReady() {
      boolean more;
      synchronized (this) {
        more = deferred;
        deferred = false;
      }
      if (more) {
        responder.request(1);
      }
    }

    @Override
    public void onHalfClose() {
      synchronized (this) {
        ended = true;
        if (working) {
          return;
        }
      }
      responder.complete();
    }

    @Override
    public void onCancel() {
      responder.cancelled();
      release();
    }

    @Override
    public void onComplete() {
      release();
    }

    private synchronized void release() {
      released = true;
      if (!working) {
        close();
      }
    }

    private synchronized void close() {
      if (exchange != null) {
        exchange.close();
        exchange = null;
      }
    }
  }
}
