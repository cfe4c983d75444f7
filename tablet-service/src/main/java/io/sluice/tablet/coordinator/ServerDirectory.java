package io.sluice.tablet.coordinator;

import io.sluice.common.ErrorCode;
import io.sluice.common.HostPort;
import io.sluice.common.SluiceException;
import io.sluice.protocol.cluster.v1.ServerAddress;
import io.sluice.tablet.replica.ClientAddresses;
import io.sluice.tablet.replication.stream.PeerAddresses;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The servers of the cluster as the coordinator describes them. Updates come from the session's
 * thread; everything else is for any thread.
 */
public final class ServerDirectory implements PeerAddresses, ClientAddresses {
  private final Map<Integer, String> overrides;
  private final Map<Integer, Server> servers = new ConcurrentHashMap<>();
  private final List<IntConsumer> listeners = new CopyOnWriteArrayList<>();

  /**
   * @param told what the server says of itself: where clients reach it
   */
  private record Server(Peer peer, String told, boolean alive) {}

  /**
   * @param overrides where this server reaches others, {@code id=host:port} each, in place of what
   *     they say of themselves
   */
  public ServerDirectory(List<String> overrides) {
    Map<Integer, String> byId = new HashMap<>();
    for (String each : overrides) {
      int equal = each.indexOf('=');
      String address = each.substring(equal + 1).strip();
      var unused = HostPort.parse("Address in sluice.replication.peer-addresses", address);
      byId.put(id(each, equal), address);
    }
    this.overrides = Map.copyOf(byId);
  }

  private static int id(String entry, int equal) {
    try {
      int id = Integer.parseInt(entry.substring(0, Math.max(0, equal)).strip());
      if (id > 0) {
        return id;
      }
    } catch (NumberFormatException e) {
      throw malformed(entry, e);
    }
    throw malformed(entry, null);
  }

  private static SluiceException malformed(String entry, @Nullable Throwable cause) {
    return new SluiceException(
        ErrorCode.INVALID_OPTION,
        "sluice.replication.peer-addresses has '"
            + entry
            + "'; each entry is the id of a tablet and where it is reached: id=host:port",
        cause);
  }

  /** Takes over what the coordinator says of some servers. */
  void update(List<ServerAddress> addresses) {
    for (ServerAddress address : addresses) {
      int id = address.getServerId();
      String told = address.getHost() + ":" + address.getFlightPort();
      Server now =
          new Server(
              new Peer(overrides.getOrDefault(id, told), address.getIncarnation()),
              told,
              address.getAlive());
      Server before = servers.put(id, now);
      if (before == null || !before.peer().equals(now.peer())) {
        listeners.forEach(listener -> listener.accept(id));
      }
    }
  }

  @Override
  public @Nullable Peer peer(int serverId) {
    Server known = servers.get(serverId);
    if (known != null) {
      return known.peer();
    }
    String override = overrides.get(serverId);
    return override == null ? null : new Peer(override, "");
  }

  @Override
  public @Nullable String clientAddress(int serverId) {
    Server known = servers.get(serverId);
    return known != null && known.alive() ? known.told() : null;
  }

  /** Whether the coordinator has a session with the server. */
  boolean alive(int serverId) {
    Server known = servers.get(serverId);
    return known != null && known.alive();
  }

  @Override
  public void onChange(IntConsumer listener) {
    listeners.add(listener);
  }
}
