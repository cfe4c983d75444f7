package io.sluice.format.row;

import java.util.Arrays;

/** A byte array that grows as bytes are appended, for callers that encode many keys or rows. */
public final class ByteAccumulator {
  private byte[] bytes;
  private int length;

  /**
   * @param capacity bytes to make room for at first
   */
  public ByteAccumulator(int capacity) {
    this.bytes = new byte[Math.max(16, capacity)];
  }

  /** The array behind, valid up to {@link #length} and until the next append. */
  public byte[] array() {
    return bytes;
  }

  /** Bytes appended since the last {@link #clear}. */
  public int length() {
    return length;
  }

  /** Forgets all bytes, keeps the memory. */
  public void clear() {
    length = 0;
  }

  /** A copy of the bytes appended. */
  public byte[] toByteArray() {
    return Arrays.copyOf(bytes, length);
  }

  /** Appends {@code count} bytes whose content is undefined; returns where they start. */
  int extend(int count) {
    int start = length;
    int end = Math.addExact(start, count);
    if (end > bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.max(end, Math.min(bytes.length * 2L, 1 << 30)));
    }
    length = end;
    return start;
  }

  void putByte(int value) {
    int at = extend(1);
    bytes[at] = (byte) value;
  }

  void put(byte[] value) {
    int start = extend(value.length);
    System.arraycopy(value, 0, bytes, start, value.length);
  }

  void put(byte[] source, int from, int count) {
    int start = extend(count);
    System.arraycopy(source, from, bytes, start, count);
  }

  /** The lowest {@code width} bytes of {@code value}, highest first. */
  void putBigEndian(long value, int width) {
    int start = extend(width);
    for (int i = 0; i < width; i++) {
      bytes[start + i] = (byte) (value >>> (8 * (width - 1 - i)));
    }
  }
}
