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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flight.impl.Flight.FlightDescriptor;
import org.apache.arrow.flight.impl.Flight.PutResult;
import org.jspecify.annotations.Nullable;

/**
 * A native put stream to another tablet, for batches whose bucket it leads. Thread-safe. Callbacks
 * run without a lock held; when the stream ends, every put without an answer is refused with the
 * stream's failure. It never recovers: {@link #ended} says that a new one is due.
 */
final class PeerPut extends ClientCall.Listener<PutResult> implements AutoCloseable {
  private final ClientCall<OutboundFrame, PutResult> call;
  private final String address;
  private final ArrayDeque<OutboundFrame> waiting = new ArrayDeque<>();
  private final Map<Long, AppendCallback> unanswered = new HashMap<>();
  private final FlightDescriptor descriptor;
  private boolean described;
  private boolean ended;
  private long nextRequest = 1;

  private PeerPut(Channel channel, String address, NativePut put) {
    this.address = address;
    this.call = channel.newCall(FlightMethods.doPutClient(), CallOptions.DEFAULT);
    this.descriptor = PutFrames.descriptor(Command.newBuilder().setNativePut(put).build());
  }

  /** Opens a stream for the command. */
  static PeerPut open(Channel channel, String address, NativePut put) {
    PeerPut stream = new PeerPut(channel, address, put);
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
        unanswered.put(request, callback);
        waiting.add(frame(batch, bucket, ackedThrough, request));
        flush();
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
    AppendCallback callback;
    synchronized (this) {
      callback = unanswered.remove(answer.getRequestId());
    }
    if (callback == null) {
      return;
    }
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
    List<AppendCallback> left;
    synchronized (this) {
      ended = true;
      left = new ArrayList<>(unanswered.values());
      unanswered.clear();
      dropWaiting();
    }
    left.forEach(callback -> callback.refused(why));
  }

  /** Ends the stream; puts without an answer are refused by the end of the call. */
  @Override
  public void close() {
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
      dropWaiting();
      if (unanswered.isEmpty()) {
        call.halfClose();
        return;
      }
    }
    call.cancel("The upload has ended", null);
  }

  /** gRPC serializes a message when it is sent only once the call is ready; until then it waits. */
  private void flush() {
    while (!ended && call.isReady() && !waiting.isEmpty()) {
      try (OutboundFrame frame = waiting.remove()) {
        call.sendMessage(frame);
      }
    }
  }

  private void dropWaiting() {
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
