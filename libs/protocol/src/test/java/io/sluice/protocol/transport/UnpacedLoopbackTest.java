package io.sluice.protocol.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class UnpacedLoopbackTest {
  /** What the machine has for other connections is left out of it: it may be the same. */
  private static final String RENO = "reno";

  @Test
  void bothEndsOfAConnectionWithinAMachineHaveReno() throws Exception {
    assumeTrue(Epoll.isAvailable(), "There are native sockets on Linux only");
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    LinkedBlockingQueue<String> found = new LinkedBlockingQueue<>();
    try {
      Channel server =
          new ServerBootstrap()
              .group(loops)
              .channel(EpollServerSocketChannel.class)
              .handler(UnpacedLoopback.INSTANCE)
              .childHandler(reporting(found))
              .bind(new InetSocketAddress("127.0.0.1", 0))
              .sync()
              .channel();
      new Bootstrap()
          .group(loops)
          .channel(EpollSocketChannel.class)
          .handler(reporting(found))
          .connect(server.localAddress())
          .sync();
      assertThat(found.poll(20, TimeUnit.SECONDS)).isEqualTo(RENO);
      assertThat(found.poll(20, TimeUnit.SECONDS)).isEqualTo(RENO);
    } finally {
      loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    }
  }

  @Test
  void addressesOfOtherMachinesAreNotMeant() throws Exception {
    assertThat(UnpacedLoopback.isOfThisMachine(InetAddress.getByName("127.0.0.2"))).isTrue();
    assertThat(UnpacedLoopback.isOfThisMachine(InetAddress.getByName("::1"))).isTrue();
    // Of a block that documents use and no machine has (RFC 5737).
    assertThat(UnpacedLoopback.isOfThisMachine(InetAddress.getByName("192.0.2.1"))).isFalse();
    assertThat(UnpacedLoopback.isOfThisMachine(null)).isFalse();
    for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
      for (InetAddress own : Collections.list(each.getInetAddresses())) {
        assertThat(UnpacedLoopback.isOfThisMachine(own)).isTrue();
      }
    }
  }

  /** Adds the handler, and one that says what a connection has once it is open. */
  private static ChannelInitializer<Channel> reporting(LinkedBlockingQueue<String> found) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel connection) {
        connection
            .pipeline()
            .addLast(
                UnpacedLoopback.INSTANCE,
                new ChannelInboundHandlerAdapter() {
                  @Override
                  public void channelActive(ChannelHandlerContext context) {
                    found.add(
                        StandardCharsets.US_ASCII
                            .decode(
                                context.channel().config().getOption(UnpacedLoopback.CONGESTION))
                            .toString());
                  }
                });
      }
    };
  }
}
