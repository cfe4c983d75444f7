package io.sluice.client.internal;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.flight.FlightMethods;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.flight.PutFrames;
import io.sluice.protocol.flight.WireMessages;
import io.sluice.protocol.flight.v1.Command;
import io.sluice.protocol.flight.v1.PutAnswer;
import java.util.HashMap;
import java.util.Map;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/**
 * One DoPut call of a writer to a server. Events come on the transport's thread; everything else is
 * the delivery loop's.
 */
final class PutStream {
  /** Bytes without an answer at which a stream takes no more; servers refuse above their limit. */
  private static final long MAX_UNANSWERED_BYTES = 16L * 1024 * 1024;

  /**
   * The transport takes more while it holds less than this: with only what fits its usual 32 KiB it
   * would run dry after each large batch until the delivery loop has come.
   */
  private static final int TRANSPORT_BYTES = 2 * 1024 * 1024;

  private static final int ANSWERS_AHEAD = 1024;

  /** What a stream reports; called on the transport's thread and must not block. */
  interface Events {
    /** The transport takes more, for which a batch waits. */
    void ready();

    void answered(PutStream stream, PutAnswer answer);

    void closed(PutStream stream, SluiceException why);
  }

  private final String address;
  private final ClientCall<OutboundFrame, Flight.PutResult> call;
  private final Map<Long, PendingBatch> unanswered = new HashMap<>();
  private Flight.@Nullable FlightDescriptor descriptor;
  private long unansweredBytes;
  private long lastProgressNanos;
  private volatile boolean cancelled;
  // Whether a batch may wait for the transport.
  private volatile boolean waited;

  private PutStream(
      String address,
      ClientCall<OutboundFrame, Flight.PutResult> call,
      Flight.FlightDescriptor descriptor,
      long now) {
    this.address = address;
    this.call = call;
    this.descriptor = descriptor;
    this.lastProgressNanos = now;
  }

  /** Opens a stream; the first message will carry the command. */
  static PutStream open(Channel channel, String address, Command command, Events events, long now) {
    ClientCall<OutboundFrame, Flight.PutResult> call =
        channel.newCall(
            FlightMethods.doPutClient(), CallOptions.DEFAULT.withOnReadyThreshold(TRANSPORT_BYTES));
    PutStream stream = new PutStream(address, call, PutFrames.descriptor(command), now);
    call.start(stream.new Listener(events), new Metadata());
    call.request(ANSWERS_AHEAD);
    return stream;
  }

  String address() {
    return address;
  }

  /** Whether another batch may be sent now. */
  boolean takes(int bytes) {
    if (unansweredBytes > 0 && unansweredBytes + bytes > MAX_UNANSWERED_BYTES) {
      return false;
    }
    // Before it is asked: it may become ready meanwhile.
    waited = true;
    boolean ready = call.isReady();
    waited = !ready;
    return ready;
  }

  boolean hasUnanswered() {
    return !unanswered.isEmpty();
  }

  /** When the last answer came, or the first of the unanswered batches was sent. */
  long lastProgressNanos() {
    return lastProgressNanos;
  }

  void send(PendingBatch batch, long request, long ackedThrough, long now) {
    if (unanswered.isEmpty()) {
      lastProgressNanos = now;
    }
    unanswered.put(request, batch);
    unansweredBytes += batch.wireBytes();
    try (OutboundFrame frame = batch.send(this, request, ackedThrough, descriptor)) {
      call.sendMessage(frame);
    }
    descriptor = null;
  }

  /** The batch that the answer is for, null for a request that this stream does not know. */
  @Nullable PendingBatch takeAnswered(long request, long now) {
    PendingBatch batch = unanswered.remove(request);
    unansweredBytes -= batch == null ? 0 : batch.wireBytes();
    lastProgressNanos = now;
    return batch;
  }

  /** Ends the call; {@link Events#closed} follows with this failure. */
  void cancel(SluiceException why) {
    if (!cancelled) {
      cancelled = true;
      call.cancel(why.getMessage(), why);
    }
  }

  /** Tells the server that no more comes. */
  void finish() {
    if (!cancelled) {
      call.halfClose();
    }
  }

  private SluiceException failure(Status status, Metadata trailers) {
    if (status.isOk()) {
      return new SluiceException(ErrorCode.UNAVAILABLE, "Server " + address + " ended the put");
    }
    SluiceException failure = StatusMapping.fromStatus(status, trailers);
    // A reset by the server looks like a cancellation, which is ours only when we cancelled.
    boolean reset = failure.code() == ErrorCode.CANCELLED && !cancelled;
    return new SluiceException(
        reset ? ErrorCode.UNAVAILABLE : failure.code(),
        "Put to server " + address + " failed: " + failure.getMessage(),
        failure.details(),
        failure);
  }

  private final class Listener extends ClientCall.Listener<Flight.PutResult> {
    private final Events events;

    Listener(Events events) {
      this.events = events;
    }

    @Override
    public void onReady() {
      if (waited) {
        events.ready();
      }
    }

    @Override
    public void onMessage(Flight.PutResult result) {
      call.request(1);
      events.answered(
          PutStream.this,
          WireMessages.parse(result.getAppMetadata(), PutAnswer.getDefaultInstance()));
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      events.closed(PutStream.this, failure(status, trailers));
    }
  }
}
