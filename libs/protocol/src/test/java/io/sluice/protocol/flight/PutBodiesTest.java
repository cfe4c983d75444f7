package io.sluice.protocol.flight;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.sluice.protocol.transport.BulkTransport;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.impl.FlightServiceGrpc;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bodies of puts that leave in pieces and stay where they arrive, over real connections. */
class PutBodiesTest {
  private static final int MESSAGES = 16;

  private final BufferAllocator sent = new RootAllocator();
  private final BufferAllocator received = new RootAllocator();
  private final List<FlightFrame> frames = Collections.synchronizedList(new ArrayList<>());
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void nothingLeaks() throws Exception {
    frames.forEach(FlightFrame::close);
    Collections.reverse(open);
    for (AutoCloseable each : open) {
      each.close();
    }
    sent.close();
    received.close();
  }

  private ManagedChannel connect() throws Exception {
    BulkTransport transport = BulkTransport.open("put-bodies", 2);
    open.add(transport);
    Server server =
        transport
            .use(NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0)))
            .maxInboundMessageSize(FlightFrames.MAX_MESSAGE_BYTES)
            .addService(
                FlightMethods.replaceIn(
                    new FlightServiceGrpc.FlightServiceImplBase() {}.bindService(), keeping()))
            .build()
            .start();
    open.add(() -> server.shutdownNow().awaitTermination());
    ManagedChannel channel =
        transport
            .use(NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()))
            .usePlaintext()
            .disableRetry()
            .build();
    open.add(() -> channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS));
    return channel;
  }

  /** Keeps every frame, and answers when all have come. */
  private ServerMethodDefinition<FlightFrame, Flight.PutResult> keeping() {
    ServerCallHandler<FlightFrame, Flight.PutResult> handler =
        (call, headers) -> {
          call.request(MESSAGES);
          return new ServerCall.Listener<>() {
            @Override
            public void onMessage(FlightFrame frame) {
              frames.add(frame);
            }

            @Override
            public void onHalfClose() {
              call.sendHeaders(new Metadata());
              call.close(Status.OK, new Metadata());
            }
          };
        };
    return ServerMethodDefinition.create(
        FlightMethods.doPutServer(received, FlightFrames.MAX_MESSAGE_BYTES), handler);
  }

  private static byte[] body(int message) {
    // The first ones are small.
    byte[] body = new byte[message < 4 ? 1 + message * 1000 : 50_000 * message + message];
    new SplittableRandom(message).nextBytes(body);
    return body;
  }

  private OutboundFrame frame(int message) {
    byte[] all = body(message);
    SplittableRandom random = new SplittableRandom(message);
    List<ArrowBuf> pieces = new ArrayList<>();
    int at = 0;
    while (at < all.length) {
      int length = Math.min(all.length - at, 1 + random.nextInt(60_000));
      ArrowBuf piece = sent.buffer(length);
      piece.writeBytes(all, at, length);
      pieces.add(piece);
      at += length;
    }
    try {
      return OutboundFrame.of(null, ByteBuffer.wrap(new byte[] {(byte) message}), null, pieces);
    } finally {
      pieces.forEach(ArrowBuf::close);
    }
  }

  private void sendAll() throws Exception {
    ClientCall<OutboundFrame, Flight.PutResult> call =
        connect().newCall(FlightMethods.doPutClient(), CallOptions.DEFAULT);
    CompletableFuture<Status> end = new CompletableFuture<>();
    CompletableFuture<Void> ready = new CompletableFuture<>();
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onReady() {
            ready.complete(null);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            end.complete(status);
          }
        },
        new Metadata());
    // Before it is connected gRPC would keep the messages and serialize them later.
    ready.get(30, TimeUnit.SECONDS);
    for (int message = 0; message < MESSAGES; message++) {
      try (OutboundFrame frame = frame(message)) {
        call.sendMessage(frame);
      }
    }
    call.halfClose();
    assertThat(end.get(30, TimeUnit.SECONDS).isOk()).isTrue();
    assertThat(frames).hasSize(MESSAGES);
  }

  private static byte[] joined(FlightFrame frame) {
    ByteBuffer all = ByteBuffer.allocate(frame.bodyLength());
    frame.bodyPieces().forEach(all::put);
    return all.array();
  }

  @Test
  void largeBodiesStayWhereTheyArrivedUntilTheirFramesAreClosed() throws Exception {
    sendAll();
    long copied = 0;
    for (int message = 0; message < MESSAGES; message++) {
      FlightFrame frame = frames.get(message);
      assertThat(frame.dataHeader().get()).isEqualTo((byte) message);
      assertThat(joined(frame)).as("message " + message).isEqualTo(body(message));
      boolean small = frame.bodyLength() < FlightDataReader.MIN_BYTES_IN_PLACE;
      copied += small ? frame.bodyLength() : 0;
    }
    assertThat(copied).isPositive();
    assertThat(received.getAllocatedMemory()).isLessThan(2 * copied + 64);
  }

  @Test
  void aBodyIsCopiedIntoOneBufferWhenThatIsAskedFor() throws Exception {
    sendAll();
    for (int message = 0; message < MESSAGES; message++) {
      FlightFrame frame = frames.get(message);
      @Nullable ArrowBuf whole = frame.body();
      byte[] bytes = new byte[frame.bodyLength()];
      whole.getBytes(0, bytes);
      assertThat(bytes).as("message " + message).isEqualTo(body(message));
      assertThat(frame.body()).isSameAs(whole);
      assertThat(joined(frame)).isEqualTo(bytes);
      frame.close();
    }
    assertThat(received.getAllocatedMemory()).isZero();
  }
}
