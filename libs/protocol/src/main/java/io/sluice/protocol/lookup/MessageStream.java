package io.sluice.protocol.lookup;

import com.google.protobuf.CodedOutputStream;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way to the transport, which drains it; read as a stream, as in-process
 * transports do, it is written to an array first. One reader.
 */
abstract class MessageStream extends InputStream implements Drainable, KnownLength {
  private static final int BUFFER_BYTES = 8 * 1024;

  private final int size;
  private @Nullable ByteArrayInputStream rest;
  private boolean drained;

  /**
   * @param size bytes that {@link #write} writes
   */
  MessageStream(int size) {
    this.size = size;
  }

  abstract void write(CodedOutputStream out) throws IOException;

  @Override
  public int drainTo(OutputStream target) throws IOException {
    ByteArrayInputStream left = rest;
    if (left != null) {
      return Math.toIntExact(left.transferTo(target));
    }
    if (drained) {
      return 0;
    }
    drained = true;
    CodedOutputStream out = CodedOutputStream.newInstance(target, Math.min(size, BUFFER_BYTES));
    write(out);
    out.flush();
    return size;
  }

  @Override
  public int available() {
    ByteArrayInputStream left = rest;
    return left != null ? left.available() : drained ? 0 : size;
  }

  @Override
  public int read() throws IOException {
    return bytes().read();
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    return bytes().read(target, offset, length);
  }

  private ByteArrayInputStream bytes() throws IOException {
    ByteArrayInputStream left = rest;
    if (left == null) {
      byte[] all = new byte[drained ? 0 : size];
      CodedOutputStream out = CodedOutputStream.newInstance(all);
      if (!drained) {
        write(out);
      }
      left = new ByteArrayInputStream(all);
      rest = left;
    }
    return left;
  }
}
