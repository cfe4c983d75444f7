package io.sluice.format.batch;

import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * Encoders that many owners share. Each holds scratch memory and the contexts of its codec, too
 * much for one in every bucket and every open stream: as many are at work as there are threads that
 * encode, and a few wait for the next batch. Thread-safe; {@link #close} twice is harmless.
 */
public final class BatchEncoders implements AutoCloseable {
  /** Room for a batch of several rows. An encoder that has grown beyond it is not kept. */
  private static final long MAX_KEPT_BYTES = 4L << 20;

  private final BufferAllocator allocator;
  private final int maxIdle;
  // Guarded by this; the one used last comes first.
  private final ArrayDeque<Idle> idle = new ArrayDeque<>();
  private boolean closed;

  private record Idle(BatchFormat format, LogBatchEncoder encoder) {}

  /**
   * @param allocator pays for scratch memory and batches
   * @param maxIdle encoders that are kept while nobody encodes, each with at most 4 MiB
   */
  public BatchEncoders(BufferAllocator allocator, int maxIdle) {
    this.allocator = allocator;
    this.maxIdle = maxIdle;
  }

  /**
   * As {@link LogBatchEncoder#encode(VectorSchemaRoot, TableSchema, ByteBuffer, BatchWriter)}, by
   * an encoder of that format.
   */
  public EncodedBatch encode(
      BatchFormat format,
      VectorSchemaRoot root,
      TableSchema schema,
      ByteBuffer changeTypes,
      BatchWriter writer) {
    LogBatchEncoder encoder = take(format);
    try {
      return encoder.encode(root, schema, changeTypes, writer);
    } finally {
      give(format, encoder);
    }
  }

  /** Scratch memory of the encoders that nobody uses now. */
  public synchronized long idleBytes() {
    long bytes = 0;
    for (Idle each : idle) {
      bytes += each.encoder().scratchBytes();
    }
    return bytes;
  }

  private LogBatchEncoder take(BatchFormat format) {
    synchronized (this) {
      for (Iterator<Idle> each = idle.iterator(); each.hasNext(); ) {
        Idle next = each.next();
        if (next.format().equals(format)) {
          each.remove();
          return next.encoder();
        }
      }
    }
    return new LogBatchEncoder(allocator, format.compression(), format.statistics());
  }

  private void give(BatchFormat format, LogBatchEncoder encoder) {
    LogBatchEncoder left =
        encoder.scratchBytes() <= MAX_KEPT_BYTES ? keep(format, encoder) : encoder;
    if (left != null) {
      left.close();
    }
  }

  /** Keeps an encoder; returns one that is not kept, if there is one. */
  private synchronized @Nullable LogBatchEncoder keep(BatchFormat format, LogBatchEncoder encoder) {
    if (closed) {
      return encoder;
    }
    idle.addFirst(new Idle(format, encoder));
    return idle.size() > maxIdle ? idle.removeLast().encoder() : null;
  }

  @Override
  public synchronized void close() {
    closed = true;
    idle.forEach(each -> each.encoder().close());
    idle.clear();
  }
}
