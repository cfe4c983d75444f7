package io.sluice.protocol.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.sluice.testkit.Await;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BulkTransportTest {
  private static final int MAX_MESSAGE_BYTES = 4 << 20;
  private static final int WINDOW_BYTES = 4 << 20;
  private static final long SEED = 20_261_129;

  private static final MethodDescriptor<byte[], byte[]> ECHO =
      MethodDescriptor.newBuilder(new Bytes(), new Bytes())
          .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
          .setFullMethodName("test.Echo/Echo")
          .build();

  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    Collections.reverse(open);
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  @Test
  void messagesOfAllSizesTravelWhole() throws Exception {
    BulkTransport transport = transport();
    Server server = serve(transport);
    assertThat(echoes(connect(transport.use(builder(server))))).isEmpty();
  }

  @Test
  void otherClientsAndServersAreServed() throws Exception {
    BulkTransport transport = transport();
    assertThat(echoes(connect(builder(serve(transport))))).isEmpty();
    assertThat(echoes(connect(transport.use(builder(serve(null)))))).isEmpty();
  }

  @Test
  void aConnectionIsAllowedLargeFrames() throws Exception {
    Server server = serve(transport());
    AtomicReference<Channel> socket = new AtomicReference<>();
    ManagedChannel channel = connect(builder(server), socket::set);
    assertThat(echoes(channel)).isEmpty();
    Await.until(
        "the server to allow large frames",
        Duration.ofSeconds(10),
        () ->
            socket
                    .get()
                    .pipeline()
                    .get(Http2ConnectionHandler.class)
                    .encoder()
                    .configuration()
                    .frameSizePolicy()
                    .maxFrameSize()
                == LargeFrames.FRAME_BYTES);
  }

  @Test
  void largeMessagesArriveInLargeFrames() throws Exception {
    Server server = serve(transport());
    DataFrames frames = new DataFrames();
    ManagedChannel channel =
        connect(
            builder(server),
            socket -> socket.pipeline().addFirst(new LargeFrames()).addFirst(frames));
    assertThat(echoes(channel)).isEmpty();
    assertThat(frames.largest).isEqualTo(LargeFrames.FRAME_BYTES);
  }

  /** Reads the heads of the frames that arrive (RFC 9113, section 4.1). */
  private static final class DataFrames extends ChannelInboundHandlerAdapter {
    private static final int HEAD_BYTES = 9;

    private final ByteBuf head = Unpooled.buffer(HEAD_BYTES, HEAD_BYTES);
    private int payloadLeft;
    volatile int largest;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf arrived = ((ByteBuf) message).duplicate();
      while (arrived.isReadable()) {
        int skipped = Math.min(payloadLeft, arrived.readableBytes());
        payloadLeft -= skipped;
        arrived.skipBytes(skipped);
        arrived.readBytes(head, Math.min(head.writableBytes(), arrived.readableBytes()));
        if (head.readableBytes() == HEAD_BYTES) {
          payloadLeft = head.getMedium(0);
          if (head.getByte(3) == Http2FrameTypes.DATA) {
            largest = Math.max(largest, payloadLeft);
          }
          head.clear();
        }
      }
      context.fireChannelRead(message);
    }
  }

  /** Sends messages there and back; the numbers of those that came back different. */
  private static List<Integer> echoes(ManagedChannel channel) throws Exception {
    Random random = new Random(SEED);
    LinkedBlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
    StreamObserver<byte[]> requests =
        ClientCalls.asyncBidiStreamingCall(
            channel.newCall(ECHO, CallOptions.DEFAULT),
            new StreamObserver<>() {
              @Override
              public void onNext(byte[] value) {
                received.add(value);
              }

              @Override
              public void onError(Throwable failure) {
                received.add(String.valueOf(failure).getBytes(StandardCharsets.UTF_8));
              }

              @Override
              public void onCompleted() {}
            });
    List<Integer> different = new ArrayList<>();
    int[] limits = {10, 1_000, 20_000, 300_000, MAX_MESSAGE_BYTES};
    List<byte[]> sent = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      byte[] message = new byte[random.nextInt(limits[i % limits.length])];
      random.nextBytes(message);
      sent.add(message);
      requests.onNext(message);
    }
    for (int i = 0; i < sent.size(); i++) {
      if (!Arrays.equals(sent.get(i), received.poll(20, TimeUnit.SECONDS))) {
        different.add(i);
      }
    }
    requests.onCompleted();
    return different;
  }

  private BulkTransport transport() {
    BulkTransport transport = BulkTransport.open("test-bulk", 1);
    open.add(transport);
    return transport;
  }

  private Server serve(@Nullable BulkTransport transport) throws IOException {
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .flowControlWindow(WINDOW_BYTES)
            .addService(
                ServerServiceDefinition.builder("test.Echo")
                    .addMethod(ECHO, ServerCalls.asyncBidiStreamingCall(BulkTransportTest::echo))
                    .build());
    Server server = (transport == null ? builder : transport.use(builder)).build().start();
    open.add(() -> server.shutdownNow().awaitTermination());
    return server;
  }

  private static StreamObserver<byte[]> echo(StreamObserver<byte[]> answers) {
    return new StreamObserver<>() {
      @Override
      public void onNext(byte[] value) {
        answers.onNext(value);
      }

      @Override
      public void onError(Throwable failure) {}

      @Override
      public void onCompleted() {
        answers.onCompleted();
      }
    };
  }

  private static NettyChannelBuilder builder(Server server) {
    return NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
        .usePlaintext()
        .maxInboundMessageSize(MAX_MESSAGE_BYTES)
        .flowControlWindow(WINDOW_BYTES);
  }

  /** Connects with a plain socket, given to the consumer before it is used. */
  private ManagedChannel connect(NettyChannelBuilder builder, Consumer<Channel> prepare) {
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    open.add(() -> loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync());
    return connect(
        builder
            .eventLoopGroup(loops)
            .channelFactory(
                () -> {
                  Channel socket = new NioSocketChannel();
                  prepare.accept(socket);
                  return socket;
                }));
  }

  private ManagedChannel connect(NettyChannelBuilder builder) {
    ManagedChannel channel = builder.build();
    open.add(() -> channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS));
    return channel;
  }

  private static final class Bytes implements Marshaller<byte[]> {
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
  }
}
