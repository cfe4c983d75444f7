package io.sluice.coordinator.metadata;

/**
 * A tablet server that has registered at least once.
 *
 * @param registration what it said when it registered last
 * @param registeredMs when that was, epoch milliseconds
 * @param alive whether its session is open
 */
public record TabletServer(Registration registration, long registeredMs, boolean alive) {
  /**
   * What a tablet server says of itself.
   *
   * @param serverId configured id, from 1
   * @param host where clients reach it
   * @param flightPort port of Arrow Flight and gRPC
   * @param httpPort port of its REST API
   * @param rack failure domain, empty when unknown
   * @param incarnation new for every start of the process
   * @param bootId the operating system's boot id
   * @param cleanStop whether the previous process stopped in order
   */
  public record Registration(
      int serverId,
      String host,
      int flightPort,
      int httpPort,
      String rack,
      String incarnation,
      String bootId,
      boolean cleanStop) {}

  /** Configured id. */
  public int serverId() {
    return registration.serverId();
  }

  TabletServer gone() {
    return new TabletServer(registration, registeredMs, false);
  }
}
