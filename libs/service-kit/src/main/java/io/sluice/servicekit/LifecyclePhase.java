package io.sluice.servicekit;

/**
 * The order in which the parts of a service start; they stop in reverse. The servers that take
 * requests (HTTP, gRPC) start after {@link #MEMBERSHIP} and stop before it, so a part in {@code
 * ENGINE} never sees a request while it is not running.
 */
public enum LifecyclePhase {
  /** Storage, Raft: what every request needs. Starts before the servers, stops after them. */
  ENGINE(0),
  /** What uses the engine and other services. Starts after it, before the servers. */
  MEMBERSHIP(1000),
  /**
   * Starts once the servers listen, so that it knows their ports, and stops before they do: streams
   * to end, leaderships to hand over.
   */
  SERVING(2000);

  private final int phase;

  LifecyclePhase(int phase) {
    this.phase = phase;
  }

  /** The number Spring orders by. */
  int phase() {
    return phase;
  }
}
