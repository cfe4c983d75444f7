package io.sluice.client.internal;

import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayDeque;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.types.pojo.Schema;

/** Keeps a few row buffers of ordinary size for the next batches. Thread-safe. */
final class RowBufferPool implements AutoCloseable {
  private static final int MAX_KEPT = 8;
  private static final int EXPECTED_ROWS = 1024;
  private static final int KEPT_BATCHES = 4;

  private final BufferAllocator allocator;
  private final TableSchema schema;
  private final Schema arrow;
  private final long maxKeptBytes;
  private final ArrayDeque<RowBuffer> kept = new ArrayDeque<>();
  private boolean closed;

  RowBufferPool(BufferAllocator allocator, TableSchema schema, int batchBytes) {
    this.allocator = allocator;
    this.schema = schema;
    this.arrow = ArrowSchemas.toArrow(schema);
    this.maxKeptBytes = (long) KEPT_BATCHES * batchBytes;
  }

  /** An empty buffer. */
  RowBuffer take() {
    synchronized (this) {
      RowBuffer buffer = kept.pollLast();
      if (buffer != null) {
        return buffer;
      }
    }
    return new RowBuffer(allocator, schema, arrow, EXPECTED_ROWS);
  }

  /** A buffer that keeps one row, which does not come back here. */
  RowBuffer single() {
    RowBuffer single = new RowBuffer(allocator, schema, arrow, 1);
    single.keepOneRow();
    return single;
  }

  /** Takes a buffer back. */
  void give(RowBuffer buffer) {
    // After one giant row a buffer would hold its memory for ever. What a broken connection has not
    // let go of yet must not change.
    boolean ordinary = buffer.capacityBytes() <= maxKeptBytes && !buffer.isHeldElsewhere();
    if (ordinary) {
      buffer.reset();
    }
    synchronized (this) {
      if (ordinary && !closed && kept.size() < MAX_KEPT) {
        kept.addLast(buffer);
        return;
      }
    }
    buffer.close();
  }

  @Override
  public synchronized void close() {
    closed = true;
    kept.forEach(RowBuffer::close);
    kept.clear();
  }
}
