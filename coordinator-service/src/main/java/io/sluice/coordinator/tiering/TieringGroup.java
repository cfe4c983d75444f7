package io.sluice.coordinator.tiering;

/** The states as the console groups them. */
public enum TieringGroup {
  WAITING,
  READY,
  TIERING,
  DONE,
  FAILED
}
