package io.sluice.tablet.kv.merge;

import static io.sluice.tablet.kv.merge.RoaringCursor.BITMAP_BYTES;
import static io.sluice.tablet.kv.merge.RoaringCursor.FEW_CONTAINERS;
import static io.sluice.tablet.kv.merge.RoaringCursor.MAX_ARRAY;
import static io.sluice.tablet.kv.merge.RoaringCursor.NO_RUN_COOKIE;
import static io.sluice.tablet.kv.merge.RoaringCursor.RUN_COOKIE;
import static io.sluice.tablet.kv.merge.RoaringCursor.WORDS;

import io.sluice.tablet.kv.merge.RoaringCursor.Kind;
import java.util.Arrays;

/**
 * Writes a 32-bit bitmap in the one form that its values have here: every container is of the kind
 * with the fewest bytes, of two equal ones not RUN. This is what the library's {@code runOptimize}
 * gives. Reused; not thread-safe.
 */
final class RoaringWriter {
  // What is kept between two bitmaps; one may have 65,536 containers.
  private static final int KEPT_CONTAINERS = 4096;

  private final LittleEndianBytes content = new LittleEndianBytes(256);
  private final RoaringIntervals scratch = new RoaringIntervals();
  private int[] descriptions = new int[4];
  private int[] ends = new int[4];
  private byte[] runFlags = new byte[1];
  private int count;
  private boolean anyRun;

  /** Begins a bitmap of about so many bytes. */
  void begin(int expectedBytes) {
    content.clear();
    content.reserve(expectedBytes);
    if (descriptions.length > KEPT_CONTAINERS) {
      descriptions = new int[4];
      ends = new int[4];
      runFlags = new byte[1];
    }
    Arrays.fill(runFlags, (byte) 0);
    count = 0;
    anyRun = false;
  }

  /** Appends a container as it is; it is in the one form already. */
  void copy(RoaringCursor container) {
    container.copyContent(content);
    describe(container.key(), container.cardinality(), container.kind());
  }

  /** Appends a container of these values, of which there is at least one. */
  void put(int key, RoaringIntervals values) {
    Kind kind = smallest(values.cardinality(), values.count());
    switch (kind) {
      case ARRAY -> putArray(values);
      case RUN -> putRuns(values);
      case BITMAP -> putWords(words(values));
    }
    describe(key, values.cardinality(), kind);
  }

  /**
   * Appends a container of these values, of which there is at least one.
   *
   * @return how many there are
   */
  int put(int key, long[] words) {
    int cardinality = 0;
    int runs = 0;
    long carry = 0;
    for (long word : words) {
      cardinality += Long.bitCount(word);
      runs += Long.bitCount(word & ~(word << 1 | carry));
      carry = word >>> 63;
    }
    if (smallest(cardinality, runs) == Kind.BITMAP) {
      putWords(words);
      describe(key, cardinality, Kind.BITMAP);
    } else {
      scratch.clear();
      scratch.addAll(words);
      put(key, scratch);
    }
    return cardinality;
  }

  private static Kind smallest(int cardinality, int runs) {
    int plain = cardinality > MAX_ARRAY ? BITMAP_BYTES : 2 * cardinality;
    if (2 + 4 * runs < plain) {
      return Kind.RUN;
    }
    return cardinality > MAX_ARRAY ? Kind.BITMAP : Kind.ARRAY;
  }

  private void putArray(RoaringIntervals values) {
    content.reserve(2 * values.cardinality());
    for (int i = 0; i < values.count(); i++) {
      for (int value = values.first(i); value <= values.last(i); value++) {
        content.putShort(value);
      }
    }
  }

  private void putRuns(RoaringIntervals values) {
    content.putShort(values.count());
    for (int i = 0; i < values.count(); i++) {
      content.putShort(values.first(i));
      content.putShort(values.last(i) - values.first(i));
    }
  }

  private void putWords(long[] words) {
    content.reserve(BITMAP_BYTES);
    for (long word : words) {
      content.putLong(word);
    }
  }

  private static long[] words(RoaringIntervals values) {
    long[] words = new long[WORDS];
    for (int i = 0; i < values.count(); i++) {
      setAll(words, values.first(i), values.last(i));
    }
    return words;
  }

  /** Sets the bits from {@code first} to {@code last}. */
  static void setAll(long[] words, int first, int last) {
    int low = first >> 6;
    int high = last >> 6;
    long lowBits = -1L << first;
    long highBits = -1L >>> 63 - last;
    if (low == high) {
      words[low] |= lowBits & highBits;
      return;
    }
    words[low] |= lowBits;
    Arrays.fill(words, low + 1, high, -1L);
    words[high] |= highBits;
  }

  private void describe(int key, int cardinality, Kind kind) {
    if (count == descriptions.length) {
      descriptions = Arrays.copyOf(descriptions, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count);
      runFlags = Arrays.copyOf(runFlags, (2 * count + 7) / 8);
    }
    descriptions[count] = key | cardinality - 1 << 16;
    ends[count] = content.length();
    if (kind == Kind.RUN) {
      runFlags[count / 8] |= (byte) (1 << count % 8);
      anyRun = true;
    }
    count++;
  }

  /** Whether no container was appended. */
  boolean isEmpty() {
    return count == 0;
  }

  /** Bytes of the bitmap. */
  int size() {
    return headerSize() + content.length();
  }

  private int headerSize() {
    int cookie = anyRun ? 4 + (count + 7) / 8 : 8;
    return cookie + (hasOffsets() ? 8 : 4) * count;
  }

  private boolean hasOffsets() {
    return !anyRun || count >= FEW_CONTAINERS;
  }

  /** Appends the bitmap to the bytes. */
  void finish(LittleEndianBytes out) {
    out.reserve(size());
    if (anyRun) {
      out.putInt(RUN_COOKIE | count - 1 << 16);
      out.put(runFlags, 0, (count + 7) / 8);
    } else {
      out.putInt(NO_RUN_COOKIE);
      out.putInt(count);
    }
    for (int i = 0; i < count; i++) {
      out.putInt(descriptions[i]);
    }
    if (hasOffsets()) {
      int header = headerSize();
      for (int i = 0; i < count; i++) {
        out.putInt(header + (i == 0 ? 0 : ends[i - 1]));
      }
    }
    out.put(content);
  }
}
