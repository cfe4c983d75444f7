package io.sluice.protocol.flight;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.ReferenceManager;

/** A ByteBuf over memory of an Arrow buffer. It holds one reference to it until it is released. */
public final class ArrowByteBuf extends UnpooledDirectByteBuf {
  private final ReferenceManager owner;

  private ArrowByteBuf(ByteBuffer memory, ReferenceManager owner) {
    super(UnpooledByteBufAllocator.DEFAULT, memory, memory.remaining());
    this.owner = owner;
  }

  /**
   * The bytes {@code [index, index + length)} of the buffer, not copied. The caller keeps its own
   * reference; the content must not change while the result lives.
   */
  public static ByteBuf wrap(ArrowBuf source, long index, int length) {
    if (length == 0) {
      return Unpooled.EMPTY_BUFFER;
    }
    ByteBuffer memory = source.nioBuffer(index, length);
    source.getReferenceManager().retain();
    return new ArrowByteBuf(memory, source.getReferenceManager());
  }

  @Override
  protected void deallocate() {
    super.deallocate();
    owner.release();
  }
}
