package io.sluice.tablet.replication.stream;

import io.grpc.Channel;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.replication.ReplicationMethods;
import io.sluice.protocol.replication.v1.FetchLane;
import io.sluice.protocol.transport.BulkTransport;
import io.sluice.tablet.replication.stream.PeerAddresses.Peer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Connections to other servers, made on first use: for each of them one for what is in sync, and
 * one for everything that catches up, so that neither waits behind the other's bytes. Callbacks
 * come on the transport's threads. Thread-safe.
 */
public final class PeerConnections implements AutoCloseable {
  /** Window of a stream and of its connection: as large as an answer as a rule is. */
  private static final int FLOW_CONTROL_WINDOW_BYTES = 8 << 20;

  private final PeerAddresses addresses;
  private final BulkTransport transport;
  private final ClientInterceptor token;
  private final Map<Key, Connection> connections = new HashMap<>();
  private boolean closed;

  private record Key(int serverId, FetchLane lane) {}

  private record Connection(String address, ManagedChannel channel) {}

  /**
   * @param transport outlives the connections
   * @param token adds the cluster token to every call
   */
  public PeerConnections(
      PeerAddresses addresses, BulkTransport transport, ClientInterceptor token) {
    this.addresses = addresses;
    this.transport = transport;
    this.token = token;
  }

  /** Where servers are. */
  PeerAddresses addresses() {
    return addresses;
  }

  /**
   * The connection for everything that catches up.
   *
   * @throws SluiceException UNAVAILABLE when the server's address is not known
   */
  public Channel bulk(int serverId) {
    return channel(serverId, FetchLane.FETCH_LANE_CATCH_UP);
  }

  /** The connection of a lane; UNAVAILABLE when the server's address is not known. */
  synchronized Channel channel(int serverId, FetchLane lane) {
    if (closed) {
      throw new SluiceException(ErrorCode.UNAVAILABLE, "This server is stopping");
    }
    Peer peer = addresses.peer(serverId);
    if (peer == null) {
      throw new SluiceException(
          ErrorCode.UNAVAILABLE, "The address of server " + serverId + " is not known yet");
    }
    Key key = new Key(serverId, lane);
    Connection known = connections.get(key);
    if (known != null && known.address().equals(peer.address())) {
      // Pauses are the caller's own; gRPC's grow to minutes.
      known.channel().resetConnectBackoff();
      return ClientInterceptors.intercept(known.channel(), token);
    }
    if (known != null) {
      known.channel().shutdown();
    }
    Connection made = new Connection(peer.address(), open(peer.address()));
    connections.put(key, made);
    return ClientInterceptors.intercept(made.channel(), token);
  }

  private ManagedChannel open(String address) {
    return transport
        .use(NettyChannelBuilder.forTarget(address))
        .usePlaintext()
        .directExecutor()
        .disableRetry()
        .flowControlWindow(FLOW_CONTROL_WINDOW_BYTES)
        .maxInboundMessageSize(ReplicationMethods.MAX_ANSWER_BYTES)
        .build();
  }

  /** Has the next call of a lane connect anew: what is connected now does not answer. */
  synchronized void renew(int serverId, FetchLane lane) {
    Connection known = connections.get(new Key(serverId, lane));
    if (known != null) {
      known.channel().enterIdle();
    }
  }

  @Override
  public void close() {
    List<Connection> open;
    synchronized (this) {
      closed = true;
      open = new ArrayList<>(connections.values());
      connections.clear();
    }
    open.forEach(each -> each.channel().shutdownNow());
  }
}
