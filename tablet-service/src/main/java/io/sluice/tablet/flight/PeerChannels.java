package io.sluice.tablet.flight;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Connections to the Flight ports of other tablets, made on first use. Thread-safe. */
final class PeerChannels implements AutoCloseable {
  private static final long IDLE_MINUTES = 5;

  /** A machine that is gone does not refuse a connection, it says nothing. */
  private static final int CONNECT_TIMEOUT_MS = 3_000;

  /** Nor does it end one; servers allow pings every 10 s. */
  private static final long KEEP_ALIVE_SECONDS = 15;

  private static final long KEEP_ALIVE_TIMEOUT_SECONDS = 5;

  private final Map<String, ManagedChannel> channels = new HashMap<>();
  private boolean closed;

  /** The connection to that address, {@code host:port}. */
  synchronized ManagedChannel channel(String address) {
    if (closed) {
      throw new SluiceException(ErrorCode.UNAVAILABLE, "This server is stopping");
    }
    return channels.computeIfAbsent(
        address,
        target ->
            NettyChannelBuilder.forTarget(target)
                .usePlaintext()
                // A frame is serialized once, so a call cannot be replayed.
                .disableRetry()
                .flowControlWindow(FlightSettings.FLOW_CONTROL_WINDOW_BYTES)
                .maxInboundMessageSize(FlightSettings.MAX_MESSAGE_BYTES)
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MS)
                .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(KEEP_ALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .idleTimeout(IDLE_MINUTES, TimeUnit.MINUTES)
                .build());
  }

  @Override
  public void close() {
    List<ManagedChannel> open;
    synchronized (this) {
      closed = true;
      open = new ArrayList<>(channels.values());
      channels.clear();
    }
    open.forEach(ManagedChannel::shutdownNow);
  }
}
