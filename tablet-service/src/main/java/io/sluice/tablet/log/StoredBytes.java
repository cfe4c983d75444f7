package io.sluice.tablet.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Stored batches that are to be checked: those of a file, or those that a leader has sent. */
interface StoredBytes {
  /** The most that {@link #view} shows at once. */
  int CHUNK = 64 << 10;

  /** So many bytes from a position on, to be looked at until the next call. */
  ByteBuffer view(long position, int length) throws IOException;

  /** So many bytes from a position on, which stay. */
  ByteBuffer take(long position, int length) throws IOException;

  /** The bytes of a file. */
  static StoredBytes of(FileChannel channel) {
    ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
    return new StoredBytes() {
      @Override
      public ByteBuffer view(long position, int length) throws IOException {
        return fill(channel, chunk.clear().limit(length), position);
      }

      @Override
      public ByteBuffer take(long position, int length) throws IOException {
        return fill(channel, ByteBuffer.allocate(length), position);
      }
    };
  }

  private static ByteBuffer fill(FileChannel channel, ByteBuffer target, long position)
      throws IOException {
    int bytes = DurableFiles.readFully(channel, target, position);
    if (target.hasRemaining()) {
      throw new IOException("The file ended while it was checked, at " + (position + bytes));
    }
    return target.flip();
  }

  /** Bytes in memory; positions count from the buffer's own one. */
  static StoredBytes of(ByteBuffer bytes) {
    int start = bytes.position();
    return new StoredBytes() {
      @Override
      public ByteBuffer view(long position, int length) {
        return bytes.slice(Math.toIntExact(start + position), length);
      }

      @Override
      public ByteBuffer take(long position, int length) {
        return view(position, length);
      }
    };
  }
}
