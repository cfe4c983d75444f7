package io.sluice.protocol.replication;

import io.netty.buffer.ByteBuf;
import io.sluice.protocol.replication.v1.BucketAnswer;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One bucket of an answer. Thread-safe. */
public final class ReceivedBucket implements AutoCloseable {
  private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0).asReadOnlyBuffer();

  private final BucketAnswer fields;
  private final AtomicReference<@Nullable ByteBuf> memory;

  /** Takes over the memory. */
  ReceivedBucket(BucketAnswer fields, @Nullable ByteBuf memory) {
    this.fields = fields;
    this.memory = new AtomicReference<>(memory);
  }

  /** Everything but the batches, which are always empty here. */
  public BucketAnswer fields() {
    return fields;
  }

  /** The batches in one direct buffer, valid until this is closed. */
  public ByteBuffer batches() {
    ByteBuf held = memory.get();
    return held == null ? NOTHING.duplicate() : held.nioBuffer();
  }

  /** Gives the memory back. Twice is harmless. */
  @Override
  public void close() {
    ByteBuf held = memory.getAndSet(null);
    if (held != null) {
      held.release();
    }
  }
}
