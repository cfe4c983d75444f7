package io.sluice.protocol.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has connections within a machine send as fast as their readers take. Where the machine's
 * congestion control is BBR, the kernel estimates the rate of the path and holds segments back with
 * timers until they are due; within a machine there is no path that could be congested, and the
 * timers cost an eighth of the throughput. Reno, which every Linux has and lets everybody choose,
 * has no timers. It must be chosen before the connection is there: the kernel would pace on.
 *
 * <p>For a socket that connects to an address of this machine, and one that listens at a loopback
 * address, whose connections inherit it. All others are sent as the machine says.
 */
@ChannelHandler.Sharable
final class UnpacedLoopback extends ChannelOutboundHandlerAdapter {
  static final UnpacedLoopback INSTANCE = new UnpacedLoopback();

  private static final Logger log = LoggerFactory.getLogger(UnpacedLoopback.class);
  private static final byte[] RENO = "reno".getBytes(StandardCharsets.US_ASCII);

  // Numbers of <netinet/tcp.h> of Linux.
  private static final int IPPROTO_TCP = 6;
  private static final int TCP_CONGESTION = 13;

  static final RawUnixChannelOption CONGESTION =
      new RawUnixChannelOption("TCP_CONGESTION", IPPROTO_TCP, TCP_CONGESTION, RENO.length);

  private UnpacedLoopback() {}

  @Override
  public void connect(
      ChannelHandlerContext context,
      SocketAddress remote,
      @Nullable SocketAddress local,
      ChannelPromise promise) {
    if (context.channel() instanceof EpollSocketChannel socket
        && remote instanceof InetSocketAddress server
        && isOfThisMachine(server.getAddress())) {
      choose(socket);
    }
    context.connect(remote, local, promise);
  }

  @Override
  public void bind(ChannelHandlerContext context, SocketAddress local, ChannelPromise promise) {
    if (context.channel() instanceof EpollServerSocketChannel socket
        && local instanceof InetSocketAddress address
        && address.getAddress() != null
        && address.getAddress().isLoopbackAddress()) {
      choose(socket);
    }
    context.bind(local, promise);
  }

  private static void choose(Channel socket) {
    try {
      socket.config().setOption(CONGESTION, ByteBuffer.wrap(RENO));
    } catch (ChannelException e) {
      // It works without, as on any other platform.
      log.debug("{} keeps the machine's congestion control", socket, e);
    }
  }

  /**
   * Whether the address is one of this machine's.
   *
   * @param address null when its name has not been resolved
   */
  static boolean isOfThisMachine(@Nullable InetAddress address) {
    if (address == null) {
      return false;
    }
    try {
      return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException e) {
      log.debug("The addresses of this machine are not known", e);
      return false;
    }
  }
}
