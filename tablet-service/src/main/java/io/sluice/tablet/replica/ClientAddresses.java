package io.sluice.tablet.replica;

import org.jspecify.annotations.Nullable;

/** Where clients reach the servers of the cluster, for refusals that name another one. */
@FunctionalInterface
public interface ClientAddresses {
  /** For servers without others around them. */
  ClientAddresses NONE = serverId -> null;

  /**
   * {@code host:port} of a server that is alive; null when it is not, or nothing is known of it.
   */
  @Nullable String clientAddress(int serverId);
}
