package io.sluice.format.projection;

import io.sluice.format.schema.DataType;
import org.jspecify.annotations.Nullable;

/** Where the next nodes of a new batch, with their buffers, come from. */
sealed interface ProjectionStep {
  /** Stored nodes as they are. */
  record Copy(int firstNode, int endNode) implements ProjectionStep {}

  /**
   * Nodes that the stored schema does not have, NULL everywhere.
   *
   * @param firstNode of the wanted layout
   * @param endNode of the wanted layout
   * @param storedParent stored ROW they belong to, -1 for a column
   */
  record Nulls(int firstNode, int endNode, int storedParent) implements ProjectionStep {}

  /**
   * A scalar column that the stored schema does not have, the same value everywhere.
   *
   * @param value of the class that {@link io.sluice.format.schema.DefaultValues#parse} gives
   */
  record Constant(DataType type, Object value) implements ProjectionStep {}

  /** A stored scalar node whose values become wider. */
  record Widen(int node, BufferWidening widening, String name) implements ProjectionStep {}

  /** A stored BINARY node that becomes BYTES. */
  record Loosen(int node, int valueBytes) implements ProjectionStep {}

  /** The step for both, when stored nodes follow one another. */
  static @Nullable Copy joined(@Nullable ProjectionStep before, Copy next) {
    return before instanceof Copy copy && copy.endNode() == next.firstNode()
        ? new Copy(copy.firstNode(), next.endNode())
        : null;
  }
}
