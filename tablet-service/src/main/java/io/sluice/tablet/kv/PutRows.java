package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.row.VectorRow;
import java.nio.ByteBuffer;
import org.apache.arrow.vector.VectorSchemaRoot;

/** The rows of one put and what is to become of each. Not thread-safe. */
final class PutRows {
  private final PutShape shape;
  private final PutMapping mapping;
  private final VectorSchemaRoot root;
  private final VectorRow row;
  private final ByteBuffer changeTypes;

  /**
   * @param changeTypes a code a row, empty when all are put
   */
  PutRows(PutShape shape, PutMapping mapping, VectorSchemaRoot root, ByteBuffer changeTypes) {
    this.shape = shape;
    this.mapping = mapping;
    this.root = root;
    this.row = new VectorRow(root);
    this.changeTypes = changeTypes;
  }

  PutMapping mapping() {
    return mapping;
  }

  VectorSchemaRoot root() {
    return root;
  }

  /** A cursor over the rows, always the same. */
  VectorRow row() {
    return row;
  }

  int count() {
    return root.getRowCount();
  }

  /** Whether deletes keep the row. */
  boolean partial() {
    return shape.partial();
  }

  /** Whether the row may be one that deletes; the type is checked when its turn comes. */
  boolean deletes(int index) {
    return changeTypes.hasRemaining()
        && changeTypes.get(changeTypes.position() + index) == ChangeType.DELETE.code();
  }

  /** Whether the row deletes. INVALID_ARGUMENT for a change type that no put has. */
  boolean isDelete(int index) {
    if (!changeTypes.hasRemaining()) {
      return false;
    }
    ChangeType type = ChangeType.of(changeTypes.get(changeTypes.position() + index));
    return switch (type) {
      case APPEND, INSERT, UPDATE_AFTER -> false;
      case DELETE -> true;
      case UPDATE_BEFORE ->
          throw new SluiceException(
              ErrorCode.INVALID_ARGUMENT,
              "its change type is -U; a put takes +I, +U and -D, the server finds the row before");
    };
  }
}
