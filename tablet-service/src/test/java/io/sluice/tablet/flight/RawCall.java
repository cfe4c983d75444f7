package io.sluice.tablet.flight;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.StatusMapping;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A Flight call of bytes: sends what no client would, sees what no client shows. */
final class RawCall extends ClientCall.Listener<byte[]> {
  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
          return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
          try {
            return stream.readAllBytes();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  private final ClientCall<byte[], byte[]> call;
  private final List<byte[]> answers = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Status> end = new CompletableFuture<>();
  private volatile Metadata trailers = new Metadata();

  private RawCall(ClientCall<byte[], byte[]> call) {
    this.call = call;
  }

  static RawCall put(Channel channel) {
    return open(channel, "DoPut", MethodDescriptor.MethodType.BIDI_STREAMING);
  }

  /** A DoGet, which takes in nothing before {@link #request}. */
  static RawCall get(Channel channel, byte[] ticketMessage) {
    RawCall get = open(channel, "DoGet", MethodDescriptor.MethodType.SERVER_STREAMING);
    get.send(ticketMessage);
    get.halfClose();
    return get;
  }

  private static RawCall open(Channel channel, String method, MethodDescriptor.MethodType type) {
    RawCall raw =
        new RawCall(
            channel.newCall(
                MethodDescriptor.<byte[], byte[]>newBuilder(BYTES, BYTES)
                    .setType(type)
                    .setFullMethodName("arrow.flight.protocol.FlightService/" + method)
                    .build(),
                CallOptions.DEFAULT));
    raw.call.start(raw, new Metadata());
    if (method.equals("DoPut")) {
      raw.request(Integer.MAX_VALUE);
    }
    return raw;
  }

  void request(int messages) {
    call.request(messages);
  }

  void send(byte[] message) {
    call.sendMessage(message);
  }

  void halfClose() {
    call.halfClose();
  }

  void cancel() {
    call.cancel("test", null);
  }

  List<byte[]> answers() {
    return answers;
  }

  /** How the call ended. */
  Status status() {
    try {
      return end.get(FlightHarness.SOON.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError("The call has not ended", e);
    }
  }

  /** The failure that the call ended with. */
  SluiceException failure() {
    return StatusMapping.fromStatus(status(), trailers);
  }

  @Override
  public void onMessage(byte[] message) {
    answers.add(message);
  }

  @Override
  public void onClose(Status status, Metadata sent) {
    trailers = sent;
    end.complete(status);
  }
}
