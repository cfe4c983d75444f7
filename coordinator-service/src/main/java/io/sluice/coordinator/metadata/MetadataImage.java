package io.sluice.coordinator.metadata;

/**
 * A state and the Raft log index of the last command in it.
 *
 * @param index index of the last applied command, 0 before the first
 * @param state the state after it
 */
public record MetadataImage(long index, ClusterState state) {
  /** Before the first command. */
  public static final MetadataImage EMPTY = new MetadataImage(0, ClusterState.EMPTY);
}
