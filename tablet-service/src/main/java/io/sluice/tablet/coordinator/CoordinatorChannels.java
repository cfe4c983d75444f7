package io.sluice.tablet.coordinator;

import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.ErrorCode;
import io.sluice.common.HostPort;
import io.sluice.common.SluiceException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Connections to the coordinators, made on first use, and the choice of the one to ask: the last
 * that answered, else the next of the configured list. Thread-safe.
 */
public final class CoordinatorChannels implements AutoCloseable {
  private static final long KEEP_ALIVE_SECONDS = 20;
  private static final long KEEP_ALIVE_TIMEOUT_SECONDS = 5;
  // An image of a large cluster is one message.
  private static final int MAX_MESSAGE_BYTES = 256 << 20;

  private static final String LEADER_DETAIL = "leader";
  private static final String LEADER_ID_DETAIL = "leader_id";

  private final List<String> configured;
  // Addresses by the coordinators' ids, as far as they are configured with one.
  private final Map<String, String> byId = new HashMap<>();
  private final ClientInterceptor token;
  private final Map<String, ManagedChannel> channels = new LinkedHashMap<>();
  private String current;
  private boolean closed;

  /**
   * @param coordinators addresses, {@code host:port} each, or {@code id=host:port} with the id by
   *     which coordinators name each other: then a leader is reached here, whatever its own address
   * @param token adds the cluster token to every call
   */
  public CoordinatorChannels(List<String> coordinators, ClientInterceptor token) {
    this.configured = coordinators.stream().map(this::address).toList();
    this.token = token;
    if (configured.isEmpty()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "sluice.tablet.coordinators is empty; name at least one coordinator as host:port");
    }
    configured.forEach(CoordinatorChannels::checkAddress);
    this.current = configured.get(0);
  }

  private String address(String entry) {
    int equal = entry.indexOf('=');
    String address = entry.substring(equal + 1).strip();
    if (equal >= 0) {
      byId.put(entry.substring(0, equal).strip(), address);
    }
    return address;
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

  /**
   * Chooses whom to ask after a coordinator has failed: the leader that it named, else the next.
   *
   * @return whether it named another one
   */
  boolean moveOn(String failed, SluiceException why) {
    String leader = leader(why);
    if (leader == null || leader.equals(failed)) {
      advance(failed);
      return false;
    }
    follow(leader);
    return true;
  }

  /** The leader that a coordinator named, null when it named none that can be an address. */
  private @Nullable String leader(SluiceException why) {
    if (why.code() != ErrorCode.NOT_COORDINATOR_LEADER) {
      return null;
    }
    String known = byId.get(why.details().getOrDefault(LEADER_ID_DETAIL, ""));
    if (known != null) {
      return known;
    }
    String named = why.details().getOrDefault(LEADER_DETAIL, "");
    try {
      checkAddress(named);
      return named;
    } catch (SluiceException e) {
      return null;
    }
  }

  /** Has the next call connect anew: what is connected now does not answer. */
  synchronized void renew(String address) {
    ManagedChannel known = channels.get(address);
    if (known != null) {
      known.enterIdle();
    }
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
    // A leader that was named need not be configured: then the first one is next.
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
