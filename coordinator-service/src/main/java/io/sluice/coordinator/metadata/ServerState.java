package io.sluice.coordinator.metadata;

/** What an operator wants with a tablet server. */
public enum ServerState {
  /** It is given replicas and leads. */
  ACTIVE,
  /** It is given no replicas any more, and leads only what nobody else could lead. */
  DRAINING,
  /** As draining; it holds no replica and is about to be taken away. */
  DECOMMISSIONED
}
