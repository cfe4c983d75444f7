package io.sluice.tablet.flight;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
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
