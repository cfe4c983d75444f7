package io.sluice.client.internal;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TimeSource;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.flight.FlightFrame;
import io.sluice.protocol.flight.FlightFrames;
import io.sluice.protocol.flight.FlightMethods;
import io.sluice.protocol.flight.WireMessages;
import io.sluice.protocol.flight.v1.ScanMetadata;
import io.sluice.protocol.flight.v1.ScanTicket;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * One DoGet call to a server, on a channel of its own. Messages and the end are reported on the
 * transport's thread; the first message is the schema, which stays here.
 */
final class ScanStream {
  private static final int FIRST_MESSAGES = 2;

  /** What a stream reports; must not block. */
  interface Events {
    /** Any message, for counting. */
    void received(int wireBytes);

    /** A batch; the frame is taken over. The receiver asks for the next message. */
    void batch(ScanStream stream, Schema schema, ScanMetadata position, FlightFrame frame);

    /** A position without rows. */
    void progress(ScanStream stream, ScanMetadata position);

    /** The end, null when the server has sent all that was asked for. */
    void closed(ScanStream stream, @Nullable SluiceException why);
  }

  private final String address;
  private final String table;
  private final List<BucketPosition> positions;
  private final ManagedChannel channel;
  private final ClientCall<Flight.Ticket, FlightFrame> call;
  private final TimeSource time;
  private volatile boolean cancelled;
  private volatile boolean served;
  private volatile long servedSinceNanos;
  private volatile long lastMessageNanos;

  private ScanStream(
      String address,
      String table,
      List<BucketPosition> positions,
      ManagedChannel channel,
      ClientCall<Flight.Ticket, FlightFrame> call,
      TimeSource time) {
    this.address = address;
    this.table = table;
    this.positions = List.copyOf(positions);
    this.channel = channel;
    this.call = call;
    this.time = time;
    this.lastMessageNanos = time.nanoTime();
  }

  /** Opens the call without sending anything yet; {@link #start} does. */
  static ScanStream open(
      Channels channels,
      String address,
      String table,
      List<BucketPosition> positions,
      BufferAllocator allocator,
      TimeSource time) {
    ManagedChannel channel = channels.openScan(address);
    ClientCall<Flight.Ticket, FlightFrame> call =
        channel.newCall(
            FlightMethods.doGetClient(allocator, FlightFrames.MAX_MESSAGE_BYTES),
            CallOptions.DEFAULT);
    return new ScanStream(address, table, positions, channel, call, time);
  }

  void start(ScanTicket ticket, Events events) {
    call.start(new Listener(events), new Metadata());
    call.sendMessage(Flight.Ticket.newBuilder().setTicket(ticket.toByteString()).build());
    call.halfClose();
    call.request(FIRST_MESSAGES);
  }

  String address() {
    return address;
  }

  /** How long nothing has come, which is no failure of a scan that follows. */
  long silentNanos() {
    return time.nanoTime() - lastMessageNanos;
  }

  /** The buckets it reads. */
  List<BucketPosition> positions() {
    return positions;
  }

  boolean reads(TableBucket bucket) {
    for (BucketPosition position : positions) {
      if (position.bucket().equals(bucket)) {
        return true;
      }
    }
    return false;
  }

  /** How long ago the server began to serve it, 0 when it never did. */
  long servedNanos() {
    return served ? time.nanoTime() - servedSinceNanos : 0;
  }

  /** Lets the server send so many more messages. */
  void request(int messages) {
    call.request(messages);
  }

  /** Ends the call; nothing more is reported but its end. */
  void cancel() {
    cancelled = true;
    call.cancel("The scan was closed", null);
    channel.shutdown();
  }

  private @Nullable SluiceException failure(Status status, Metadata trailers) {
    if (status.isOk()) {
      return null;
    }
    SluiceException failure = StatusMapping.fromStatus(status, trailers);
    // A reset by the server looks like a cancellation, which is ours only when we cancelled.
    boolean reset = failure.code() == ErrorCode.CANCELLED && !cancelled;
    return new SluiceException(
        reset ? ErrorCode.UNAVAILABLE : failure.code(),
        "Scan of " + table + " at server " + address + " failed: " + failure.getMessage(),
        failure.details(),
        failure);
  }

  private final class Listener extends ClientCall.Listener<FlightFrame> {
    private final Events events;
    private @Nullable Schema schema;
    private @Nullable SluiceException broken;

    Listener(Events events) {
      this.events = events;
    }

    @Override
    public void onMessage(FlightFrame frame) {
      lastMessageNanos = time.nanoTime();
      if (broken != null) {
        frame.close();
        return;
      }
      if (!served) {
        servedSinceNanos = time.nanoTime();
        served = true;
      }
      try {
        events.received(frame.wireBytes());
        message(frame);
      } catch (RuntimeException e) {
        frame.close();
        // Another try would meet the same: it is reported as it is, not as a lost connection.
        broken =
            e instanceof SluiceException known
                ? known
                : new SluiceException(
                    ErrorCode.INTERNAL, "A message of server " + address + " is damaged: " + e, e);
        call.cancel(broken.getMessage(), broken);
      } catch (Error e) {
        frame.close();
        throw e;
      }
    }

    private void message(FlightFrame frame) {
      ByteBuffer header = frame.dataHeader();
      if (!frame.appMetadata().hasRemaining()) {
        if (header.hasRemaining()) {
          schema = schema(header);
        }
        frame.close();
        call.request(1);
        return;
      }
      ScanMetadata position =
          WireMessages.parse(frame.appMetadata(), ScanMetadata.getDefaultInstance());
      if (!header.hasRemaining()) {
        frame.close();
        events.progress(ScanStream.this, position);
        call.request(1);
        return;
      }
      if (schema == null) {
        throw new SluiceException(
            ErrorCode.INTERNAL, "Server " + address + " sent rows before their schema");
      }
      events.batch(ScanStream.this, schema, position, frame);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      channel.shutdown();
      events.closed(ScanStream.this, broken != null ? broken : failure(status, trailers));
    }

    private Schema schema(ByteBuffer header) {
      try {
        Message message = Message.getRootAsMessage(header);
        if (message.headerType() == MessageHeader.Schema) {
          return MessageSerializer.deserializeSchema(message);
        }
      } catch (RuntimeException e) {
        // Flatbuffers are not checked as they are read; damage shows as any unchecked exception.
        throw new SluiceException(
            ErrorCode.INTERNAL, "Server " + address + " sent a damaged schema: " + e, e);
      }
      throw new SluiceException(
          ErrorCode.INTERNAL, "Server " + address + " did not begin with a schema");
    }
  }
}
