package io.sluice.tablet.kv;

import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.EncodedBatch;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The encoders that the buckets of a server share. Each holds scratch memory and the contexts of
 * its codec, too much for one in every bucket: as many are at work as there are threads that put,
 * and a few wait for the next put. Thread-safe.
 */
public final class ChangelogEncoders implements AutoCloseable {
  /** An encoder that has had a larger changelog is not kept: its scratch memory is as large. */
  private static final long MAX_KEPT_BYTES = 4L << 20;

  private final BufferAllocator allocator;
  private final int maxIdle;
  // Guarded by this; the one used last comes first.
  private final ArrayDeque<Idle> idle = new ArrayDeque<>();
  private boolean closed;

  private record Idle(ChangelogFormat format, ChangelogEncoder encoder) {}

  /**
   * @param allocator pays for scratch memory and batches
   * @param maxIdle encoders that are kept while nobody puts
   */
  public ChangelogEncoders(BufferAllocator allocator, int maxIdle) {
    this.allocator = allocator;
    this.maxIdle = maxIdle;
  }

  /** As {@link ChangelogEncoder#encode}. */
  public EncodedBatch encode(ChangelogFormat format, ChangelogPlan plan, BatchWriter writer) {
    ChangelogEncoder encoder = take(format);
    try {
      return encoder.encode(plan, writer);
    } finally {
      give(format, encoder, plan.records().bytes() <= MAX_KEPT_BYTES);
    }
  }

  private ChangelogEncoder take(ChangelogFormat format) {
    synchronized (this) {
      for (Iterator<Idle> each = idle.iterator(); each.hasNext(); ) {
        Idle next = each.next();
        if (next.format().equals(format)) {
          each.remove();
          return next.encoder();
        }
      }
    }
    return ChangelogEncoder.of(allocator, format);
  }

  private void give(ChangelogFormat format, ChangelogEncoder encoder, boolean small) {
    ChangelogEncoder left = small ? keep(format, encoder) : encoder;
    if (left != null) {
      left.close();
    }
  }

  /** Keeps an encoder; returns one that is not kept, if there is one. */
  private synchronized @Nullable ChangelogEncoder keep(
      ChangelogFormat format, ChangelogEncoder encoder) {
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
