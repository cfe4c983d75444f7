package io.sluice.coordinator.tiering;

/** Where a table stands in the queue; {@link TieringQueue} lists the transitions. */
public enum TieringState {
  /** Never in the lake; waits one freshness. */
  NEW(TieringGroup.WAITING),
  /** In the lake before this coordinator led; waits for what is left of its freshness. */
  INITIALIZED(TieringGroup.WAITING),
  /** Waits one freshness after its last round. */
  SCHEDULED(TieringGroup.WAITING),
  /** Due, waits for a worker. */
  PENDING(TieringGroup.READY),
  /** A worker has it. */
  TIERING(TieringGroup.TIERING),
  /** Its round is in the lake; the worker has still to let go. */
  TIERED(TieringGroup.DONE),
  /** Its round failed; waits before the next attempt. */
  FAILED(TieringGroup.FAILED);

  private final TieringGroup group;

  TieringState(TieringGroup group) {
    this.group = group;
  }

  /** What the console calls it. */
  public TieringGroup group() {
    return group;
  }
}
