package io.sluice.client;

/** When an append counts as done. */
public enum Acks {
  /** When every in-sync replica has the rows and readers see them. */
  ALL,
  /** When the leader has written the rows. */
  LEADER
}
