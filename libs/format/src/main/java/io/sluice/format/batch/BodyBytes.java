package io.sluice.format.batch;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The bytes of a body in one buffer or several, one after the other, read mostly from the beginning
 * to the end. Positions and limits of the buffers are kept. One owner, not thread-safe.
 */
final class BodyBytes {
  private final ByteBuffer[] parts;
  private final int[] starts;

  /** The part that was read last. */
  private int current;

  private BodyBytes(ByteBuffer[] parts, int[] starts) {
    this.parts = parts;
    this.starts = starts;
  }

  /** The bytes between position and limit of each buffer. */
  static BodyBytes of(List<ByteBuffer> buffers) {
    ByteBuffer[] parts = new ByteBuffer[buffers.size()];
    int[] starts = new int[parts.length + 1];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = buffers.get(i).slice().order(ByteOrder.LITTLE_ENDIAN);
      starts[i + 1] = Math.addExact(starts[i], parts[i].capacity());
    }
    return new BodyBytes(parts, starts);
  }

  /** Number of bytes. */
  int length() {
    return starts[parts.length];
  }

  /** The byte at an index inside of the body. */
  byte get(int at) {
    seek(at);
    return parts[current].get(at - starts[current]);
  }

  /** The 8 bytes from an index on, little endian; all inside of the body. */
  long getLong(int at) {
    seek(at);
    int inPart = at - starts[current];
    if (inPart + Long.BYTES <= parts[current].capacity()) {
      return parts[current].getLong(inPart);
    }
    long value = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      value |= (get(at + i) & 0xFFL) << (8 * i);
    }
    return value;
  }

  /** Adds bytes to a checksum; all inside of the body. */
  void update(CRC32C crc, int at, int length) {
    int from = at;
    int left = length;
    while (left > 0) {
      seek(from);
      int inPart = from - starts[current];
      int count = Math.min(left, parts[current].capacity() - inPart);
      ByteBuffer part = parts[current];
      crc.update(part.limit(inPart + count).position(inPart));
      part.clear();
      from += count;
      left -= count;
    }
  }

  private void seek(int at) {
    while (at >= starts[current + 1] && current + 1 < parts.length) {
      current++;
    }
    while (at < starts[current]) {
      current--;
    }
  }
}
