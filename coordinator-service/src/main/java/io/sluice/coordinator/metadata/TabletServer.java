package io.sluice.coordinator.metadata;

/**
 * A tablet server that has registered at least once.
 *
 * @param registration what it said when it registered last
 * @param registeredMs when that was, epoch milliseconds
 * @param alive whether its session is open
 * @param leaving whether it said in this incarnation that it is about to stop
 * @param state what an operator wants with it
 */
public record TabletServer(
    Registration registration,
    long registeredMs,
    boolean alive,
    boolean leaving,
    ServerState state) {
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

  /** One that goes on and nobody wants away. */
  public TabletServer(Registration registration, long registeredMs, boolean alive) {
    this(registration, registeredMs, alive, false, ServerState.ACTIVE);
  }

  /** Configured id. */
  public int serverId() {
    return registration.serverId();
  }

  /** Whether this process is the one that is registered, and its session is open. */
  public boolean isLive(String incarnation) {
    return alive && registration.incarnation().equals(incarnation);
  }

  /** Whether it may be given replicas. */
  public boolean takesReplicas() {
    return alive && !leaving && state == ServerState.ACTIVE;
  }

  TabletServer gone() {
    return new TabletServer(registration, registeredMs, false, leaving, state);
  }

  TabletServer aboutToLeave() {
    return new TabletServer(registration, registeredMs, alive, true, state);
  }

  TabletServer withState(ServerState changed) {
    return new TabletServer(registration, registeredMs, alive, leaving, changed);
  }
}
