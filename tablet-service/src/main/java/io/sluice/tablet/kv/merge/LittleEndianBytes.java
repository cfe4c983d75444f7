package io.sluice.tablet.kv.merge;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Bytes in an array that grows as they are appended, and how numbers lie in arrays. */
final class LittleEndianBytes {
  // What a buffer keeps between two uses; one that had to grow beyond is let go.
  private static final int KEPT_BYTES = 256 * 1024;

  private static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private byte[] bytes;
  private int length;

  LittleEndianBytes(int capacity) {
    this.bytes = new byte[capacity];
  }

  static int unsignedShort(byte[] bytes, int at) {
    return (short) SHORTS.get(bytes, at) & 0xFFFF;
  }

  static int getInt(byte[] bytes, int at) {
    return (int) INTS.get(bytes, at);
  }

  static long getLong(byte[] bytes, int at) {
    return (long) LONGS.get(bytes, at);
  }

  int length() {
    return length;
  }

  /** Forgets what was appended, and a large array too. */
  void clear() {
    length = 0;
    if (bytes.length > KEPT_BYTES) {
      bytes = new byte[256];
    }
  }

  /** Makes room for so many more bytes at once. */
  void reserve(int count) {
    int end = Math.addExact(length, count);
    if (end > bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.max(end, Math.min(bytes.length * 2L, 1 << 30)));
    }
  }

  void putShort(int value) {
    reserve(2);
    SHORTS.set(bytes, length, (short) value);
    length += 2;
  }

  void putInt(int value) {
    reserve(4);
    INTS.set(bytes, length, value);
    length += 4;
  }

  void putLong(long value) {
    reserve(8);
    LONGS.set(bytes, length, value);
    length += 8;
  }

  void setLong(int at, long value) {
    LONGS.set(bytes, at, value);
  }

  void put(byte[] source, int at, int count) {
    reserve(count);
    System.arraycopy(source, at, bytes, length, count);
    length += count;
  }

  void put(LittleEndianBytes source) {
    put(source.bytes, 0, source.length);
  }

  /** The bytes in an array of their own. */
  byte[] copy() {
    return Arrays.copyOf(bytes, length);
  }

  /** The bytes in an array of their own, or the array itself when it is full: append no more. */
  byte[] toBytes() {
    return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
  }
}
