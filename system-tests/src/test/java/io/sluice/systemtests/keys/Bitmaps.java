package io.sluice.systemtests.keys;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.LongStream;

/**
 * Small bitmaps in the portable RoaringBitmap format, written and read by hand: what other clients
 * send and expect, not what the servers use.
 */
public final class Bitmaps {
  private static final int WITHOUT_RUNS = 12346;
  private static final int WITH_RUNS = 12347;
  private static final int LARGEST_ARRAY = 4096;
  private static final int OFFSETS_FROM = 4;

  private Bitmaps() {}

  /** A 32-bit bitmap of arrays. */
  public static byte[] of(long... numbers) {
    ByteBuffer bytes = buffer(16 + 16 * numbers.length);
    write32(bytes, LongStream.of(numbers).sorted().distinct().boxed().toList());
    return written(bytes);
  }

  /** A 64-bit bitmap. */
  static byte[] of64(long... numbers) {
    TreeSet<Long> sorted = new TreeSet<>(LongStream.of(numbers).boxed().toList());
    List<Long> upper = sorted.stream().map(number -> number >>> 32).distinct().toList();
    ByteBuffer bytes = buffer(8 + 40 * (numbers.length + 1));
    bytes.putLong(upper.size());
    for (long half : upper) {
      bytes.putInt((int) half);
      write32(
          bytes, sorted.stream().filter(n -> n >>> 32 == half).map(n -> n & 0xFFFFFFFFL).toList());
    }
    return written(bytes);
  }

  private static void write32(ByteBuffer bytes, List<Long> numbers) {
    List<Long> keys = numbers.stream().map(number -> number >>> 16).distinct().toList();
    bytes.putInt(WITHOUT_RUNS).putInt(keys.size());
    List<List<Long>> containers =
        keys.stream().map(key -> numbers.stream().filter(n -> n >>> 16 == key).toList()).toList();
    for (int i = 0; i < keys.size(); i++) {
      bytes.putShort(keys.get(i).shortValue()).putShort((short) (containers.get(i).size() - 1));
    }
    int offset = 8 + 8 * keys.size();
    for (List<Long> container : containers) {
      bytes.putInt(offset);
      offset += 2 * container.size();
    }
    containers.forEach(container -> container.forEach(n -> bytes.putShort(n.shortValue())));
  }

  /** The numbers of a 32-bit bitmap of arrays and runs. */
  public static List<Long> numbers(byte[] bitmap) {
    ByteBuffer bytes = ByteBuffer.wrap(bitmap).order(ByteOrder.LITTLE_ENDIAN);
    return read32(bytes);
  }

  /** The numbers of a 64-bit bitmap. */
  static List<Long> numbers64(byte[] bitmap) {
    ByteBuffer bytes = ByteBuffer.wrap(bitmap).order(ByteOrder.LITTLE_ENDIAN);
    List<Long> numbers = new ArrayList<>();
    for (long parts = bytes.getLong(); parts > 0; parts--) {
      long upper = (long) bytes.getInt() << 32;
      read32(bytes).forEach(lower -> numbers.add(upper | lower));
    }
    return numbers;
  }

  private static List<Long> read32(ByteBuffer bytes) {
    int cookie = bytes.getInt();
    boolean runs = (cookie & 0xFFFF) == WITH_RUNS;
    if (!runs && cookie != WITHOUT_RUNS) {
      throw new AssertionError("No bitmap begins with " + cookie);
    }
    int size = runs ? (cookie >>> 16) + 1 : bytes.getInt();
    byte[] isRun = new byte[(size + 7) / 8];
    if (runs) {
      bytes.get(isRun);
    }
    int[] keys = new int[size];
    int[] counts = new int[size];
    for (int i = 0; i < size; i++) {
      keys[i] = Short.toUnsignedInt(bytes.getShort());
      counts[i] = Short.toUnsignedInt(bytes.getShort()) + 1;
    }
    if (!runs || size >= OFFSETS_FROM) {
      bytes.position(bytes.position() + 4 * size);
    }
    List<Long> numbers = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      boolean run = (isRun[i / 8] >> (i % 8) & 1) == 1;
      readContainer(bytes, (long) keys[i] << 16, counts[i], run, numbers);
    }
    return numbers;
  }

  private static void readContainer(
      ByteBuffer bytes, long upper, int count, boolean run, List<Long> numbers) {
    if (run) {
      for (int left = Short.toUnsignedInt(bytes.getShort()); left > 0; left--) {
        long start = upper | Short.toUnsignedInt(bytes.getShort());
        long last = start + Short.toUnsignedInt(bytes.getShort());
        LongStream.rangeClosed(start, last).forEach(numbers::add);
      }
    } else if (count <= LARGEST_ARRAY) {
      for (int i = 0; i < count; i++) {
        numbers.add(upper | Short.toUnsignedInt(bytes.getShort()));
      }
    } else {
      for (int word = 0; word < 1024; word++) {
        long bits = bytes.getLong();
        for (int bit = 0; bit < 64; bit++) {
          if ((bits >>> bit & 1) == 1) {
            numbers.add(upper | (word * 64L + bit));
          }
        }
      }
    }
  }

  private static ByteBuffer buffer(int capacity) {
    return ByteBuffer.allocate(capacity).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static byte[] written(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.position()];
    bytes.flip().get(copy);
    return copy;
  }
}
