package io.sluice.bench.harness;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.BitSet;

/**
 * Sets of numbers from 0 on in the portable RoaringBitmap format (32 bit): containers of numbers
 * with equal upper halves, each a sorted array of the lower halves, a bitmap or runs.
 */
final class PortableBitmap {
  private static final int NO_RUNS = 12_346;
  private static final int WITH_RUNS = 12_347;

  /** With runs and fewer containers than this there are no offsets of containers. */
  private static final int OFFSETS_FROM = 4;

  /** A container of more numbers is a bitmap. */
  private static final int LONGEST_ARRAY = 4_096;

  private static final int BITMAP_LONGS = 1_024;

  private PortableBitmap() {}

  /** The set of one number. */
  static byte[] of(int value) {
    ByteBuffer bytes = ByteBuffer.allocate(18).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(NO_RUNS).putInt(1);
    bytes.putShort((short) (value >>> 16)).putShort((short) 0);
    bytes.putInt(16).putShort((short) value);
    return bytes.array();
  }

  /** The numbers of a set. */
  static BitSet decode(byte[] serialized) {
    ByteBuffer bytes = ByteBuffer.wrap(serialized).order(ByteOrder.LITTLE_ENDIAN);
    int cookie = bytes.getInt();
    boolean runs = (cookie & 0xFFFF) == WITH_RUNS;
    if (!runs && cookie != NO_RUNS) {
      throw new IllegalArgumentException("Not a portable bitmap: it begins with " + cookie);
    }
    int containers = runs ? (cookie >>> 16) + 1 : bytes.getInt();
    byte[] runFlags = new byte[runs ? (containers + 7) / 8 : 0];
    bytes.get(runFlags);
    int[] uppers = new int[containers];
    int[] counts = new int[containers];
    for (int i = 0; i < containers; i++) {
      uppers[i] = unsigned(bytes) << 16;
      counts[i] = unsigned(bytes) + 1;
    }
    if (!runs || containers >= OFFSETS_FROM) {
      bytes.position(bytes.position() + containers * Integer.BYTES);
    }
    BitSet isRun = BitSet.valueOf(runFlags);
    BitSet numbers = new BitSet();
    for (int i = 0; i < containers; i++) {
      if (isRun.get(i)) {
        addRuns(bytes, uppers[i], numbers);
      } else if (counts[i] <= LONGEST_ARRAY) {
        for (int j = 0; j < counts[i]; j++) {
          numbers.set(uppers[i] + unsigned(bytes));
        }
      } else {
        addBitmap(bytes, uppers[i], numbers);
      }
    }
    return numbers;
  }

  private static void addRuns(ByteBuffer bytes, int upper, BitSet numbers) {
    int runs = unsigned(bytes);
    for (int i = 0; i < runs; i++) {
      int first = upper + unsigned(bytes);
      numbers.set(first, first + unsigned(bytes) + 1);
    }
  }

  private static void addBitmap(ByteBuffer bytes, int upper, BitSet numbers) {
    for (int i = 0; i < BITMAP_LONGS; i++) {
      long word = bytes.getLong();
      for (int bit = 0; bit < Long.SIZE; bit++) {
        if ((word >>> bit & 1) == 1) {
          numbers.set(upper + i * Long.SIZE + bit);
        }
      }
    }
  }

  private static int unsigned(ByteBuffer bytes) {
    return Short.toUnsignedInt(bytes.getShort());
  }
}
