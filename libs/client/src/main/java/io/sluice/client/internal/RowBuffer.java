package io.sluice.client.internal;

import io.sluice.format.row.ColumnWriters;
import io.sluice.format.schema.TableSchema;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/** Vectors of one batch and the typed writers into them, reused from batch to batch. */
final class RowBuffer implements AutoCloseable {
  private final VectorSchemaRoot root;
  private final ColumnWriters writers;
  private int ownReferences = -1;

  RowBuffer(BufferAllocator allocator, TableSchema schema, Schema arrow, int expectedRows) {
    VectorSchemaRoot created = VectorSchemaRoot.create(arrow, allocator);
    try {
      this.writers = ColumnWriters.of(schema, created, expectedRows);
    } catch (RuntimeException | Error e) {
      created.close();
      throw e;
    }
    this.root = created;
  }

  ColumnWriters writers() {
    return writers;
  }

  /** The rows written since the last reset. */
  VectorSchemaRoot finish() {
    return writers.finish();
  }

  /** As {@link #finish}, for an encoder that may refer to the memory of the rows. */
  VectorSchemaRoot lend() {
    VectorSchemaRoot rows = writers.finish();
    ownReferences = references();
    return rows;
  }

  /** Whether somebody still refers to memory that was lent. */
  boolean isHeldElsewhere() {
    return ownReferences >= 0 && references() != ownReferences;
  }

  private int references() {
    int count = 0;
    for (FieldVector vector : root.getFieldVectors()) {
      for (ArrowBuf buffer : vector.getBuffers(false)) {
        count += buffer.refCnt();
      }
    }
    return count;
  }

  /** For a buffer of one row: sets the length of its vectors for good, see {@link #row}. */
  void keepOneRow() {
    writers.finish();
    root.setRowCount(1);
    writers.reset();
  }

  /** The one row of a buffer that keeps one; cheaper than {@link #finish} where it can be. */
  VectorSchemaRoot row() {
    return writers.isFlat() ? root : writers.finish();
  }

  /** Makes room for the next row of a buffer that keeps one. */
  void clearRow() {
    if (writers.isFlat()) {
      writers.clear();
    } else {
      writers.reset();
    }
  }

  /** Bytes of memory that the vectors hold. */
  long capacityBytes() {
    long bytes = 0;
    for (FieldVector vector : root.getFieldVectors()) {
      for (ArrowBuf buffer : vector.getFieldBuffers()) {
        bytes += buffer.capacity();
      }
    }
    return bytes;
  }

  /** Forgets the rows and keeps the memory. */
  void reset() {
    ownReferences = -1;
    writers.reset();
  }

  @Override
  public void close() {
    root.close();
  }
}
