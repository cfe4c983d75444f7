package io.sluice.tablet.coordinator;

import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.ErrorCode;
import io.sluice.common.HostPort;
import io.sluice.common.SluiceException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Connections to the coordinators, made on first use, and the choice of the one to ask: the last
 * that answered, else the next of the configured list. Thread-safe.
 */
public final class CoordinatorChannels implements AutoCloseable {
  private static final long KEEP_ALIVE_SECONDS = 20;
  private static final long KEEP_ALIVE_TIMEOUT_SECONDS = 5;
  // An image of a large cluster is one message.
  private static final int MAX_MESSAGE_BYTES = 256 << 20;

  private final List<String> configured;
  private final ClientInterceptor token;
  private final Map<String, ManagedChannel> channels = new LinkedHashMap<>();
  private String current;
  private boolean closed;

  /**
   * @param coordinators addresses, {@code host:port} each
   * @param token adds the cluster token to every call
   */
  public CoordinatorChannels(List<String> coordinators, ClientInterceptor token) {
    this.configured = List.copyOf(coordinators);
    this.token = token;
    if (configured.isEmpty()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "sluice.tablet.coordinators is empty; name at least one coordinator as host:port");
    }
    configured.forEach(CoordinatorChannels::checkAddress);
    this.current = configured.get(0);
  }

  /** The coordinator to ask now. */
  synchronized String current() {
    return current;
  }

  /** How many coordinators are configured. */
  int size() {
    return configured.size();
  }

  /** The connection to that address. */
  synchronized ManagedChannel channel(String address) {
    if (closed) {
      throw new SluiceException(ErrorCode.UNAVAILABLE, "This server is stopping");
    }
    return channels.computeIfAbsent(address, this::open);
  }

  /** Chooses the leader that a coordinator named. */
  synchronized void follow(String leader) {
    checkAddress(leader);
    current = leader;
  }

  /** Chooses the next coordinator, unless somebody did since {@code failed} was chosen. */
  synchronized void advance(String failed) {
    if (!current.equals(failed)) {
      return;
    }
    int at = configured.indexOf(failed);
    current = configured.get((at + 1) % configured.size());
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

  private ManagedChannel open(String address) {
    return NettyChannelBuilder.forTarget(address)
        .usePlaintext()
        .intercept(token)
        .maxInboundMessageSize(MAX_MESSAGE_BYTES)
        .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
        .keepAliveTimeout(KEEP_ALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .build();
  }

  private static void checkAddress(String address) {
    var unused = HostPort.parse("Coordinator address", address);
  }
}
