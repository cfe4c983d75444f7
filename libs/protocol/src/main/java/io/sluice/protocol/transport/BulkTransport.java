package io.sluice.protocol.transport;

import io.grpc.Attributes;
import io.grpc.ServerCall;
import io.grpc.ServerTransportFilter;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sockets and event loops for connections that carry batches: native ones where the platform has
 * them, and large frames and writes on every connection. Owned by whoever opened it, who closes it
 * after the servers and channels that use it.
 */
public final class BulkTransport implements AutoCloseable {
  private static final long CLOSE_SECONDS = 5;
  private static final Attributes.Key<Executor> LOOP = Attributes.Key.create("event-loop");

  /**
   * Bytes that may wait for the socket before frames wait in front of it. HTTP/2 makes a frame no
   * larger than what is free of this: the usual 64 KiB would cut large frames, each with a write to
   * the socket of its own.
   */
  private static final WriteBufferWaterMark WRITES =
      new WriteBufferWaterMark(2 * LargeFrames.FRAME_BYTES, 4 * LargeFrames.FRAME_BYTES);

  private final boolean epoll = Epoll.isAvailable();
  private final String name;
  private final EventLoopGroup loops;
  private @Nullable EventLoopGroup accepting;

  private BulkTransport(String name, int threads) {
    this.name = name;
    this.loops = group(name, threads);
  }

  /**
   * Event loops that start when they are first used.
   *
   * @param name prefix of the threads' names
   * @param threads event loops, at least 1
   */
  public static BulkTransport open(String name, int threads) {
    return new BulkTransport(name, threads);
  }

  private EventLoopGroup group(String threadName, int threads) {
    IoHandlerFactory sockets = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    return new MultiThreadIoEventLoopGroup(
        threads, new DefaultThreadFactory(threadName, true), sockets);
  }

  /** Has a server use these sockets and event loops. */
  public synchronized NettyServerBuilder use(NettyServerBuilder builder) {
    if (accepting == null) {
      accepting = group(name + "-accept", 1);
    }
    return builder
        .bossEventLoopGroup(accepting)
        .workerEventLoopGroup(loops)
        .channelFactory(this::serverChannel)
        .addTransportFilter(new LoopOfConnection());
  }

  /**
   * The event loop of the call's connection: what it sends from there needs no other thread. It
   * must never be made to wait.
   *
   * @return null for a call of a server that does not use a bulk transport
   */
  public static @Nullable Executor loopOf(ServerCall<?, ?> call) {
    return call.getAttributes().get(LOOP);
  }

  /** Has a channel use these sockets and event loops. */
  public NettyChannelBuilder use(NettyChannelBuilder builder) {
    return builder.eventLoopGroup(loops).channelFactory(this::clientChannel);
  }

  private ServerChannel serverChannel() {
    ServerChannel channel = epoll ? new EpollServerSocketChannel() : new NioServerSocketChannel();
    channel.pipeline().addLast(UnpacedLoopback.INSTANCE, new Accepted());
    return channel;
  }

  private Channel clientChannel() {
    Channel channel = epoll ? new EpollSocketChannel() : new NioSocketChannel();
    channel.pipeline().addLast(UnpacedLoopback.INSTANCE);
    prepare(channel);
    return channel;
  }

  /** Has a connection take large writes and {@link LargeFrames}. */
  private static void prepare(Channel connection) {
    connection.config().setWriteBufferWaterMark(WRITES);
    connection.pipeline().addFirst(new LargeFrames());
  }

  /** Prepares the connections that a server socket accepts. */
  private static final class Accepted extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof Channel connection) {
        prepare(connection);
      }
      context.fireChannelRead(message);
    }
  }

  /** Notes the event loop of each connection, on which gRPC reports that it is ready. */
  private final class LoopOfConnection extends ServerTransportFilter {
    @Override
    public Attributes transportReady(Attributes connection) {
      for (EventExecutor loop : loops) {
        if (loop.inEventLoop()) {
          return connection.toBuilder().set(LOOP, loop).build();
        }
      }
      return connection;
    }
  }

  /** Ends the event loops. Twice is harmless. */
  @Override
  public synchronized void close() {
    if (accepting != null) {
      accepting.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS);
    }
    loops.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS);
  }
}
