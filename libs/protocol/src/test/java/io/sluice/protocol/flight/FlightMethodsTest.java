package io.sluice.protocol.flight;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.sluice.protocol.flight.v1.ScanMetadata;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.impl.FlightServiceGrpc;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Frames over real connections. */
class FlightMethodsTest {
  private static final int MESSAGES = 20;
  private static final int BODY_BYTES = 300_000;

  private final BufferAllocator allocator = new RootAllocator();
  private final AtomicInteger copies = new AtomicInteger();
  private final AtomicInteger drains = new AtomicInteger();
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void nothingLeaks() throws Exception {
    Collections.reverse(open);
    for (AutoCloseable each : open) {
      each.close();
    }
    allocator.close();
  }

  private ManagedChannel connect(ServerMethodDefinition<?, ?>... methods) throws Exception {
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .maxInboundMessageSize(FlightFrames.MAX_MESSAGE_BYTES)
            .addService(
                FlightMethods.replaceIn(
                    new FlightServiceGrpc.FlightServiceImplBase() {}.bindService(), methods))
            .build()
            .start();
    open.add(() -> server.shutdownNow().awaitTermination());
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
            .usePlaintext()
            .disableRetry()
            .maxInboundMessageSize(FlightFrames.MAX_MESSAGE_BYTES)
            .build();
    open.add(() -> channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS));
    return channel;
  }

  /** Counts how often the transport had to copy. */
  private Marshaller<OutboundFrame> counting(Marshaller<OutboundFrame> marshaller) {
    return new Marshaller<>() {
      @Override
      public InputStream stream(OutboundFrame value) {
        FrameInputStream stream = (FrameInputStream) marshaller.stream(value);
        class Counting extends InputStream implements io.grpc.Drainable {
          @Override
          public int drainTo(java.io.OutputStream target) throws java.io.IOException {
            int bytes = stream.drainTo(target);
            drains.incrementAndGet();
            copies.addAndGet(stream.copied() ? 1 : 0);
            return bytes;
          }

          @Override
          public int read() {
            return stream.read();
          }

          @Override
          public int available() {
            return stream.available();
          }

          @Override
          public void close() {
            stream.close();
          }
        }
        return new Counting();
      }

      @Override
      public OutboundFrame parse(InputStream stream) {
        return marshaller.parse(stream);
      }
    };
  }

  private static byte[] body(int index) {
    byte[] body = new byte[BODY_BYTES + index];
    Arrays.fill(body, (byte) index);
    return body;
  }

  private OutboundFrame frame(int index) {
    byte[] bytes = body(index);
    try (ArrowBuf body = allocator.buffer(bytes.length)) {
      body.setBytes(0, bytes);
      return OutboundFrame.of(
          null,
          ByteBuffer.wrap(new byte[] {(byte) index}),
          ScanMetadata.newBuilder().setBucket(index).build(),
          body,
          bytes.length);
    }
  }

  private ServerMethodDefinition<Flight.Ticket, OutboundFrame> doGet(
      Marshaller<OutboundFrame> marshaller) {
    MethodDescriptor<Flight.Ticket, OutboundFrame> method =
        FlightMethods.doGetServer().toBuilder(
                FlightMethods.doGetServer().getRequestMarshaller(), counting(marshaller))
            .build();
    ServerCallHandler<Flight.Ticket, OutboundFrame> handler =
        (call, headers) -> {
          call.request(1);
          return new ServerCall.Listener<>() {
            @Override
            public void onHalfClose() {
              call.sendHeaders(new Metadata());
              for (int i = 0; i < MESSAGES; i++) {
                try (OutboundFrame frame = frame(i)) {
                  call.sendMessage(frame);
                }
              }
              call.close(Status.OK, new Metadata());
            }
          };
        };
    return ServerMethodDefinition.create(method, handler);
  }

  private void receiveAll(ManagedChannel channel) throws Exception {
    ClientCall<Flight.Ticket, FlightFrame> call =
        channel.newCall(
            FlightMethods.doGetClient(allocator, FlightFrames.MAX_MESSAGE_BYTES),
            CallOptions.DEFAULT);
    CompletableFuture<Status> end = new CompletableFuture<>();
    AtomicInteger received = new AtomicInteger();
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(FlightFrame frame) {
            try (frame) {
              int index = received.getAndIncrement();
              byte[] bytes = new byte[frame.bodyLength()];
              frame.body().getBytes(0, bytes);
              assertThat(bytes).isEqualTo(body(index));
              assertThat(frame.dataHeader().get()).isEqualTo((byte) index);
            }
            call.request(1);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            end.complete(status);
          }
        },
        new Metadata());
    call.sendMessage(Flight.Ticket.getDefaultInstance());
    call.halfClose();
    call.request(1);
    assertThat(end.get(30, TimeUnit.SECONDS).isOk()).isTrue();
    assertThat(received).hasValue(MESSAGES);
  }

  @Test
  void bodiesLeaveWithoutACopy() throws Exception {
    receiveAll(connect(doGet(FlightFrames.outbound())));
    assertThat(drains).hasValue(MESSAGES);
    assertThat(copies).hasValue(0);
  }

  @Test
  void copiedBodiesAreTheSame() throws Exception {
    receiveAll(connect(doGet(FlightFrames.outboundCopying())));
    assertThat(copies).hasValue(MESSAGES);
  }

  /** Answers each message with its body's length, a damaged one with its error. */
  private ServerMethodDefinition<FlightFrame, Flight.PutResult> doPut() {
    ServerCallHandler<FlightFrame, Flight.PutResult> handler =
        (call, headers) -> {
          call.sendHeaders(new Metadata());
          call.request(MESSAGES);
          return new ServerCall.Listener<>() {
            private boolean failed;

            @Override
            public void onMessage(FlightFrame frame) {
              try (frame) {
                call.sendMessage(
                    Flight.PutResult.newBuilder()
                        .setAppMetadata(ByteString.copyFromUtf8("" + frame.bodyLength()))
                        .build());
              } catch (StatusRuntimeException e) {
                failed = true;
                call.close(e.getStatus(), e.getTrailers());
              }
            }

            @Override
            public void onHalfClose() {
              if (!failed) {
                call.close(Status.OK, new Metadata());
              }
            }
          };
        };
    return ServerMethodDefinition.create(
        FlightMethods.doPutServer(allocator, FlightFrames.MAX_MESSAGE_BYTES), handler);
  }

  private record Answers(List<String> results, Status status) {}

  private <Q> Answers put(
      ManagedChannel channel, MethodDescriptor<Q, Flight.PutResult> method, List<Q> messages)
      throws Exception {
    ClientCall<Q, Flight.PutResult> call = channel.newCall(method, CallOptions.DEFAULT);
    CompletableFuture<Status> end = new CompletableFuture<>();
    List<String> results = Collections.synchronizedList(new ArrayList<>());
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(Flight.PutResult result) {
            results.add(result.getAppMetadata().toStringUtf8());
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            end.complete(status);
          }
        },
        new Metadata());
    call.request(MESSAGES);
    for (Q message : messages) {
      call.sendMessage(message);
    }
    call.halfClose();
    return new Answers(results, end.get(30, TimeUnit.SECONDS));
  }

  @Test
  void putsArriveFromUs() throws Exception {
    ManagedChannel channel = connect(doPut());
    List<OutboundFrame> frames = List.of(frame(0), frame(1), frame(2));
    Answers answers = put(channel, FlightMethods.doPutClient(), frames);
    frames.forEach(OutboundFrame::close);
    assertThat(answers.status().isOk()).isTrue();
    assertThat(answers.results())
        .containsExactly("" + BODY_BYTES, "" + (BODY_BYTES + 1), "" + (BODY_BYTES + 2));
  }

  @Test
  void putsArriveFromStockMessages() throws Exception {
    Answers answers =
        put(
            connect(doPut()),
            FlightServiceGrpc.getDoPutMethod(),
            List.of(
                Flight.FlightData.newBuilder().setDataBody(ByteString.copyFrom(body(7))).build()));
    assertThat(answers.status().isOk()).isTrue();
    assertThat(answers.results()).containsExactly("" + (BODY_BYTES + 7));
  }

  @Test
  void aDamagedMessageEndsTheCallWithInvalidArgument() throws Exception {
    MethodDescriptor<byte[], Flight.PutResult> raw =
        FlightServiceGrpc.getDoPutMethod().toBuilder(
                new Marshaller<byte[]>() {
                  @Override
                  public InputStream stream(byte[] value) {
                    return new java.io.ByteArrayInputStream(value);
                  }

                  @Override
                  public byte[] parse(InputStream stream) {
                    throw new UnsupportedOperationException();
                  }
                },
                FlightServiceGrpc.getDoPutMethod().getResponseMarshaller())
            .build();
    Answers answers = put(connect(doPut()), raw, List.of(new byte[] {0x12, 0x55, 1}));
    assertThat(answers.status().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(answers.status().getDescription()).contains("FlightData");
  }
}
