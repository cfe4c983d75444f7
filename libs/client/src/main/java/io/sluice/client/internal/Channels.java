package io.sluice.client.internal;

import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.sluice.common.ErrorCode;
import io.sluice.common.HostPort;
import io.sluice.common.SluiceException;
import io.sluice.protocol.flight.FlightFrames;
import io.sluice.protocol.transport.BulkTransport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Connections to servers by address: one for control, one for lookups and one for puts to each,
 * shared; scans open their own, because a scan that is not read holds back everything else on its
 * connection. Thread-safe.
 */
final class Channels implements AutoCloseable {
  /** Window of streams, and connections, that carry batches. */
  private static final int BULK_WINDOW_BYTES = 4 * 1024 * 1024;

  private static final long CLOSE_SECONDS = 5;

  /** A machine that is gone does not refuse a connection, it says nothing. */
  private static final int CONNECT_TIMEOUT_MS = 3_000;

  /** Nor does it end one; servers allow pings every 10 s. */
  private static final long KEEP_ALIVE_SECONDS = 15;

  private static final long KEEP_ALIVE_TIMEOUT_SECONDS = 5;

  private final BulkTransport transport = BulkTransport.open("sluice-bulk", 2);
  private final Map<String, ManagedChannel> control = new HashMap<>();
  private final Map<String, ManagedChannel> lookups = new HashMap<>();
  private final Map<String, ManagedChannel> puts = new HashMap<>();
  private boolean closed;

  /** The channel for metadata, offsets and other small requests. */
  synchronized ManagedChannel control(String address) {
    requireOpen();
    return awake(control.computeIfAbsent(address, each -> builder(each).build()));
  }

  /**
   * The channel for lookups, on which no batch holds them up; callbacks as for {@link #put}. Its
   * window is fixed: finding one out would send a ping beside every answer.
   */
  synchronized ManagedChannel lookup(String address) {
    requireOpen();
    return awake(lookups.computeIfAbsent(address, this::bulk));
  }

  /** The channel for puts. Its callbacks run on the transport's thread and must not block. */
  synchronized ManagedChannel put(String address) {
    requireOpen();
    return awake(puts.computeIfAbsent(address, this::bulk));
  }

  /** A new channel for one scan, closed by the caller; callbacks as for {@link #put}. */
  synchronized ManagedChannel openScan(String address) {
    requireOpen();
    return bulk(address);
  }

  /**
   * A channel that could not connect waits up to two minutes before it tries again, and fails what
   * is sent meanwhile. Callers pause between their tries themselves, so each try may connect.
   */
  private static ManagedChannel awake(ManagedChannel channel) {
    if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
      channel.resetConnectBackoff();
    }
    return channel;
  }

  private void requireOpen() {
    if (closed) {
      throw new SluiceException(ErrorCode.CANCELLED, "The connection is closed");
    }
  }

  private ManagedChannel bulk(String address) {
    return transport
        .use(builder(address))
        .flowControlWindow(BULK_WINDOW_BYTES)
        .directExecutor()
        .build();
  }

  private static NettyChannelBuilder builder(String address) {
    // No retries by gRPC: it would serialize a message a second time when its body may be gone.
    HostPort target = HostPort.parse("Server address", address);
    return NettyChannelBuilder.forAddress(target.host(), target.port())
        .usePlaintext()
        .disableRetry()
        .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MS)
        .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
        .keepAliveTimeout(KEEP_ALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .maxInboundMessageSize(FlightFrames.MAX_MESSAGE_BYTES);
  }

  @Override
  public void close() {
    List<ManagedChannel> open = new ArrayList<>();
    synchronized (this) {
      closed = true;
      open.addAll(control.values());
      open.addAll(lookups.values());
      open.addAll(puts.values());
      control.clear();
      lookups.clear();
      puts.clear();
    }
    open.forEach(ManagedChannel::shutdownNow);
    open.forEach(Channels::awaitEnd);
    transport.close();
  }

  private static void awaitEnd(ManagedChannel channel) {
    try {
      // What the transport still holds of our memory is free after this.
      channel.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
