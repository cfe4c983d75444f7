package io.sluice.protocol.flight;

import io.grpc.Drainable;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.arrow.flight.grpc.AddWritableBuffer;

/**
 * A frame on its way into gRPC, which drains it once and closes it. It must not have a known
 * length: only then gRPC drains it into the chain of buffers to which ours can be added as it is.
 */
final class FrameInputStream extends InputStream implements Drainable {
  private final ByteBuf content;
  private final BodyTransfer transfer;
  private boolean closed;
  private boolean copied;

  /** Takes over one reference to the content. */
  FrameInputStream(ByteBuf content, BodyTransfer transfer) {
    this.content = content;
    this.transfer = transfer;
  }

  @Override
  public int drainTo(OutputStream target) throws IOException {
    int bytes = content.readableBytes();
    if (bytes == 0) {
      return 0;
    }
    // It copies from index 0, so a partly read stream cannot be handed over as it is.
    ByteBuf rest = content.readerIndex() == 0 ? content : content.slice();
    copied = !AddWritableBuffer.add(rest, target, transfer == BodyTransfer.ZERO_COPY);
    content.skipBytes(copied ? bytes : 0);
    return bytes;
  }

  /** Whether the last drain had to copy. */
  boolean copied() {
    return copied;
  }

  @Override
  public int read() {
    return content.isReadable() ? content.readByte() & 0xFF : -1;
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    if (length == 0) {
      return 0;
    }
    int count = Math.min(length, content.readableBytes());
    if (count == 0) {
      return -1;
    }
    content.readBytes(target, offset, count);
    return count;
  }

  @Override
  public int available() {
    return content.readableBytes();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      content.release();
    }
  }
}
