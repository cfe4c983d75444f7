package io.sluice.client.internal;

import io.sluice.format.row.ColumnWriters;
import io.sluice.format.schema.TableSchema;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/** Vectors of one batch and the typed writers into them, reused from batch to batch. */
final class RowBuffer implements AutoCloseable {
  private final VectorSchemaRoot root;
  private final ColumnWriters writers;

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

  /** Bytes of memory that the vectors hold. */
  long capacityBytes() {
    long bytes = 0;
    for (FieldVector vector : root.getFieldVectors()) {
      for (var buffer : vector.getFieldBuffers()) {
        bytes += buffer.capacity();
      }
    }
    return bytes;
  }

  /** Forgets the rows and keeps the memory. */
  void reset() {
    writers.reset();
  }

  @Override
  public void close() {
    root.close();
  }
}
