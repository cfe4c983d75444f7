package io.sluice.tablet.replication.checkpoint;

import io.grpc.Channel;
import io.sluice.common.SluiceException;

/** Connections to other tablet servers, which carry the cluster token. Thread-safe. */
@FunctionalInterface
public interface LeaderChannels {
  /**
   * The connection to a server.
   *
   * @throws SluiceException UNAVAILABLE while its address is not known
   */
  Channel channel(int serverId);
}
