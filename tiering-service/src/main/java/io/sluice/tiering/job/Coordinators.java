package io.sluice.tiering.job;

import io.grpc.Channel;

/** Which coordinator to open a session with. Thread-safe. */
public interface Coordinators {
  /**
   * A coordinator.
   *
   * @param address {@code host:port}
   * @param channel carries the cluster token
   */
  record Target(String address, Channel channel) {}

  /** The one to try now. */
  Target target();

  /** Tells why a session ended, so that the next target is the leader or another coordinator. */
  void failed(Target target, Throwable failure);
}
