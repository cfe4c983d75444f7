package io.sluice.format.bucket;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.apache.arrow.memory.util.MemoryUtil;

/**
 * MurmurHash3, variant x86 with 32 bits, seed 0, as Austin Appleby put it in the public domain and
 * as the Iceberg specification, appendix B, uses it.
 */
public final class Murmur3 {
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int C1 = 0xCC9E2D51;
  private static final int C2 = 0x1B873593;

  private Murmur3() {}

  /** The hash of {@code length} bytes from {@code offset} on. */
  public static int hash(byte[] bytes, int offset, int length) {
    int hash = 0;
    int blocks = length & ~3;
    for (int i = 0; i < blocks; i += 4) {
      hash = block(hash, (int) INTS.get(bytes, offset + i));
    }
    int tail = 0;
    for (int i = length - 1; i >= blocks; i--) {
      tail = (tail << 8) | (bytes[offset + i] & 0xFF);
    }
    return finish(hash, tail, length);
  }

  /** The hash of all bytes. */
  public static int hash(byte[] bytes) {
    return hash(bytes, 0, bytes.length);
  }

  /** The hash of a value as 8 bytes, lowest first. */
  public static int hashLong(long value) {
    return finish(block(block(0, (int) value), (int) (value >>> 32)), 0, 8);
  }

  /** The hash of memory outside of the heap; the caller vouches for address and length. */
  static int hashMemory(long address, int length) {
    int hash = 0;
    int blocks = length & ~3;
    for (int i = 0; i < blocks; i += 4) {
      int word = MemoryUtil.getInt(address + i);
      hash = block(hash, MemoryUtil.LITTLE_ENDIAN ? word : Integer.reverseBytes(word));
    }
    int tail = 0;
    for (int i = length - 1; i >= blocks; i--) {
      tail = (tail << 8) | (MemoryUtil.getByte(address + i) & 0xFF);
    }
    return finish(hash, tail, length);
  }

  private static int block(int hash, int word) {
    return Integer.rotateLeft(hash ^ mixed(word), 13) * 5 + 0xE6546B64;
  }

  private static int mixed(int word) {
    return Integer.rotateLeft(word * C1, 15) * C2;
  }

  /** An absent tail is 0, which leaves the hash as it is. */
  private static int finish(int hash, int tail, int length) {
    int h = hash ^ mixed(tail) ^ length;
    h = (h ^ (h >>> 16)) * 0x85EBCA6B;
    h = (h ^ (h >>> 13)) * 0xC2B2AE35;
    return h ^ (h >>> 16);
  }
}
