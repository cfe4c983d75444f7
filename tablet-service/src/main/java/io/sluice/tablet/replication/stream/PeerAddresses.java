package io.sluice.tablet.replication.stream;

import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Where other servers are reached. Thread-safe. */
public interface PeerAddresses {
  /** The server as it is known now; null when nothing is known of it. */
  @Nullable Peer peer(int serverId);

  /** Calls the listener with the id of each server whose address or process has changed. */
  void onChange(IntConsumer listener);

  /**
   * A server.
   *
   * @param address {@code host:port} of its gRPC services
   * @param incarnation the process that is registered, empty when that is not known
   */
  record Peer(String address, String incarnation) {}
}
