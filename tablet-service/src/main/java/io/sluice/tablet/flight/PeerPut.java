package io.sluice.tablet.flight;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.protocol.error.PutErrors;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.flight.FlightMethods;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.flight.PutFrames;
import io.sluice.protocol.flight.WireMessages;
import io.sluice.protocol.flight.v1.Command;
import io.sluice.protocol.flight.v1.NativePut;
import io.sluice.protocol.flight.v1.PutAnswer;
import io.sluice.tablet.replica.AppendCallback;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.impl.Flight.FlightDescriptor;
import org.apache.arrow.flight.impl.Flight.PutResult;
import org.jspecify.annotations.Nullable;

/**
 * A native put stream to another tablet, for batches whose bucket it leads. Thread-safe. Callbacks
 * run without a lock held; when the stream ends, every put without an answer is refused with the
 * stream's failure. It ends by itself when the tablet leaves a put unanswered for too long. It
 * never recovers: {@link #ended} says that a new one is due.
 */
final class PeerPut extends ClientCall.Listener<PutResult> implements AutoCloseable {
  private final ClientCall<OutboundFrame, PutResult> call;
  private final String address;
  private final FlightDescriptor descriptor;
  private final PutContext context;
  private final long timeoutNanos;
  // Guarded by this.
  private final ArrayDeque<OutboundFrame> waiting = new ArrayDeque<>();
  private final Map<Long, Unanswered> unanswered = new LinkedHashMap<>();
  private @Nullable ScheduledFuture<?> watch;
  private boolean described;
  private boolean ended;
  private long nextRequest = 1;

  /** A put on its way. */
  private record Unanswered(AppendCallback callback, long sinceNanos) {}

  private PeerPut(Channel channel, String address, NativePut put, PutContext context) {
    this.address = address;
    this.call = channel.newCall(FlightMethods.doPutClient(), CallOptions.DEFAULT);
    this.descriptor = PutFrames.descriptor(Command.newBuilder().setNativePut(put).build());
    this.context = context;
    this.timeoutNanos = context.settings().peerTimeout().toNanos();
  }

  /** Opens a stream for the command. */
  static PeerPut open(Channel channel, String address, NativePut put, PutContext context) {
    PeerPut stream = new PeerPut(channel, address, put, context);
    stream.call.start(stream, new Metadata());
    stream.call.request(Integer.MAX_VALUE);
    return stream;
  }

  /** Whether this stream takes no more puts. */
  synchronized boolean ended() {
    return ended;
  }

  /** Sends a batch; it may be closed when the callback has run. */
  void put(EncodedBatch batch, TableBucket bucket, long ackedThrough, AppendCallback callback) {
    synchronized (this) {
      if (!ended) {
        long request = nextRequest++;
        unanswered.put(request, new Unanswered(callback, context.clock().nanoTime()));
        waiting.add(frame(batch, bucket, ackedThrough, request));
        flush();
        watch();
        return;
      }
    }
    callback.refused(
        new SluiceException(ErrorCode.UNAVAILABLE, "The put stream to " + address + " has ended"));
  }

  @Override
  public synchronized void onReady() {
    flush();
  }

  @Override
  public void onMessage(PutResult result) {
    PutAnswer answer = WireMessages.parse(result.getAppMetadata(), PutAnswer.getDefaultInstance());
    Unanswered put;
    synchronized (this) {
      put = unanswered.remove(answer.getRequestId());
    }
    if (put == null) {
      return;
    }
    AppendCallback callback = put.callback();
    if (answer.hasError()) {
      callback.refused(PutErrors.fromPutError(answer.getError()));
    } else {
      callback.stored(answer.getBaseOffset(), answer.getDuplicate(), answer.getLeaderEpoch());
    }
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    SluiceException why =
        status.isOk()
            ? new SluiceException(
                ErrorCode.UNAVAILABLE, "The put stream to " + address + " was ended by the server")
            : StatusMapping.fromStatus(status, trailers);
    List<Unanswered> left;
    synchronized (this) {
      end();
      left = new ArrayList<>(unanswered.values());
      unanswered.clear();
    }
    left.forEach(put -> put.callback().refused(why));
  }

  /** Ends the stream; puts without an answer are refused by the end of the call. */
  @Override
  public void close() {
    synchronized (this) {
      if (ended) {
        return;
      }
      end();
      if (unanswered.isEmpty()) {
        call.halfClose();
        return;
      }
    }
    call.cancel("The upload has ended", null);
  }

  /** Sees to it that {@link #look} comes when the oldest put is due. */
  private void watch() {
    if (watch != null || ended || unanswered.isEmpty()) {
      return;
    }
    try {
      watch =
          context
              .retries()
              .schedule(this::look, timeoutNanos - waitedNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException stopping) {
      // The server stops: the connection ends soon, and this stream with it.
    }
  }

  /** How long the oldest put has had no answer. */
  private long waitedNanos() {
    return context.clock().nanoTime() - unanswered.values().iterator().next().sinceNanos();
  }

  private void look() {
    synchronized (this) {
      watch = null;
      if (ended || unanswered.isEmpty() || waitedNanos() < timeoutNanos) {
        watch();
        return;
      }
      end();
    }
    SluiceException silent =
        new SluiceException(
            ErrorCode.UNAVAILABLE,
            "Tablet "
                + address
                + " has not answered a put for "
                + TimeUnit.NANOSECONDS.toMillis(timeoutNanos)
                + " ms; whether it is stored is not known, put it again");
    // The end of the call hands it to every put.
    call.cancel(silent.getMessage(), silent);
  }

  /** gRPC serializes a message when it is sent only once the call is ready; until then it waits. */
  private void flush() {
    while (!ended && call.isReady() && !waiting.isEmpty()) {
      try (OutboundFrame frame = waiting.remove()) {
        call.sendMessage(frame);
      }
    }
  }

  private void end() {
    ended = true;
    ScheduledFuture<?> looking = watch;
    if (looking != null) {
      looking.cancel(false);
    }
    waiting.forEach(OutboundFrame::close);
    waiting.clear();
  }

  private OutboundFrame frame(
      EncodedBatch batch, TableBucket bucket, long ackedThrough, long request) {
    @Nullable FlightDescriptor first = described ? null : descriptor;
    described = true;
    return PutFrames.batch(
        first, request, bucket.partitionId(), bucket.bucket(), ackedThrough, batch);
  }
}
