package io.sluice.tablet.kv;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Builds the representation of a RocksDB write batch, which is also what its write-ahead log holds:
 * a sequence number of 8 bytes, zero until it is written, the number of changes in 4, then each
 * change as a tag, the key and, of a put, the value, both with their length as a varint before
 * them. Numbers are little-endian.
 */
final class WriteBatchBytes {
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int HEADER_BYTES = 12;
  private static final int COUNT_AT = 8;
  private static final byte DELETION = 0;
  private static final byte VALUE = 1;
  private static final int MAX_VARINT_BYTES = 5;
  private static final int INITIAL_BYTES = 8 * 1024;

  private byte[] bytes = new byte[INITIAL_BYTES];
  private int length = HEADER_BYTES;
  private int count;

  void put(byte[] key, byte[] value) {
    reserve(1 + 2 * MAX_VARINT_BYTES + key.length + value.length);
    bytes[length++] = VALUE;
    append(key);
    append(value);
    count++;
  }

  void delete(byte[] key) {
    reserve(1 + MAX_VARINT_BYTES + key.length);
    bytes[length++] = DELETION;
    append(key);
    count++;
  }

  private void reserve(int more) {
    long end = (long) length + more;
    if (end > bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.max(end, Math.min(2L * bytes.length, 1 << 30)));
    }
  }

  private void append(byte[] text) {
    int rest = text.length;
    while (rest >= 0x80) {
      bytes[length++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[length++] = (byte) rest;
    System.arraycopy(text, 0, bytes, length, text.length);
    length += text.length;
  }

  byte[] toByteArray() {
    INTS.set(bytes, COUNT_AT, count);
    return Arrays.copyOf(bytes, length);
  }
}
