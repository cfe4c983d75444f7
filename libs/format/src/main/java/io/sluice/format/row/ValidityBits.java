package io.sluice.format.row;

import org.apache.arrow.memory.util.MemoryUtil;

/**
 * Bits in memory that are written in row order. The first bit of a byte clears the others, so the
 * memory need not be zeroed before.
 */
final class ValidityBits {
  private ValidityBits() {}

  static void set(long address, int row) {
    long at = address + (row >>> 3);
    int bit = row & 7;
    if (bit == 0) {
      MemoryUtil.putByte(at, (byte) 1);
    } else {
      MemoryUtil.putByte(at, (byte) (MemoryUtil.getByte(at) | (1 << bit)));
    }
  }

  static boolean isSet(long address, int row) {
    return (MemoryUtil.getByte(address + (row >>> 3)) >> (row & 7) & 1) != 0;
  }

  static void clear(long address, int row) {
    long at = address + (row >>> 3);
    int bit = row & 7;
    if (bit == 0) {
      MemoryUtil.putByte(at, (byte) 0);
    } else {
      MemoryUtil.putByte(at, (byte) (MemoryUtil.getByte(at) & ~(1 << bit)));
    }
  }
}
