package io.sluice.format.projection;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;

/** Fills projected bodies as a server does, from a stored body in memory. */
final class Bodies {
  private static final byte UNWRITTEN = (byte) 0xEE;

  private Bodies() {}

  static ArrowBuf fill(BufferAllocator allocator, ProjectedBatch projected, ByteBuffer stored) {
    ArrowBuf body = allocator.buffer(Math.max(8, projected.bodyLength()));
    ByteBuffer target = body.nioBuffer(0, projected.bodyLength()).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < target.limit(); i++) {
      target.put(i, UNWRITTEN);
    }
    try {
      for (int read = 0; read < projected.readCount(); read++) {
        int offset = projected.readOffset(read);
        int length = projected.readLength(read);
        int direct = projected.directTarget(read);
        if (direct >= 0) {
          target.put(direct, stored, offset, length);
          projected.checkDirect(read, target);
        } else {
          ByteBuffer scratch = ByteBuffer.allocateDirect(length);
          scratch.put(0, stored, offset, length);
          projected.checkScratch(read, scratch);
          projected.place(read, scratch, target);
        }
      }
      projected.complete(target);
    } catch (RuntimeException e) {
      body.close();
      throw e;
    }
    body.writerIndex(projected.bodyLength());
    return body;
  }
}
