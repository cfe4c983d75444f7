package io.sluice.tablet.kv.merge;

import io.sluice.tablet.kv.merge.RoaringCursor.Kind;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Unites 32-bit bitmaps in the bytes of their portable format: containers that only one of them has
 * are copied, so that a small bitmap costs a large one a copy and no more. Work and memory are
 * bounded by the bytes given. Reused; not thread-safe.
 */
final class RoaringUnion {
  private final RoaringWriter writer = new RoaringWriter();
  private final RoaringIntervals intervals = new RoaringIntervals();
  private long @Nullable [] words;

  /**
   * Reads a bitmap of unknown origin to its end and begins the same in the one form that is stored.
   *
   * @param bitmap just opened
   * @param expectedBytes about its size
   * @return the bitmap, valid until the next call
   */
  RoaringWriter canonical(RoaringCursor bitmap, int expectedBytes) {
    writer.begin(expectedBytes);
    while (bitmap.next()) {
      bitmap.checkContent();
      if (bitmap.kind() == Kind.BITMAP) {
        long[] bits = cleared();
        addTo(bits, bitmap);
        writer.put(bitmap.key(), bits);
      } else {
        intervals.clear();
        intervals.addAll(bitmap);
        writer.put(bitmap.key(), intervals);
      }
    }
    return writer;
  }

  /**
   * Whether the first bitmap surely has all values of the other; both just opened. False may mean
   * that it is not known.
   */
  static boolean contains(RoaringCursor all, RoaringCursor part) {
    while (part.next()) {
      if (part.kind() == Kind.BITMAP) {
        return false;
      }
      do {
        if (!all.next()) {
          return false;
        }
      } while (all.key() < part.key());
      if (all.key() != part.key() || !containsIntervals(all, part)) {
        return false;
      }
    }
    return true;
  }

  private static boolean containsIntervals(RoaringCursor all, RoaringCursor part) {
    int intervals = part.intervals();
    for (int i = 0; i < intervals; i++) {
      if (!all.contains(part.first(i), part.last(i))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Unites two bitmaps of the stored form, both just opened.
   *
   * @param expectedBytes about the size of the result
   * @return the union, valid until the next call; null when {@code before} has all values
   */
  @Nullable RoaringWriter union(RoaringCursor before, RoaringCursor put, int expectedBytes) {
    writer.begin(expectedBytes);
    boolean changed = false;
    boolean inBefore = before.next();
    boolean inPut = put.next();
    while (inBefore || inPut) {
      if (!inPut || inBefore && before.key() < put.key()) {
        writer.copy(before);
        inBefore = before.next();
      } else if (!inBefore || put.key() < before.key()) {
        writer.copy(put);
        changed = true;
        inPut = put.next();
      } else {
        changed |= unite(before, put) != before.cardinality();
        inBefore = before.next();
        inPut = put.next();
      }
    }
    return changed ? writer : null;
  }

  /** Appends the union of two containers and returns how many values it has. */
  private int unite(RoaringCursor one, RoaringCursor other) {
    if (one.kind() == Kind.BITMAP || other.kind() == Kind.BITMAP) {
      long[] bits = cleared();
      addTo(bits, one);
      addTo(bits, other);
      return writer.put(one.key(), bits);
    }
    intervals.clear();
    intervals.addUnion(one, other);
    writer.put(one.key(), intervals);
    return intervals.cardinality();
  }

  private long[] cleared() {
    long[] bits = words;
    if (bits == null) {
      bits = new long[RoaringCursor.WORDS];
      words = bits;
    }
    Arrays.fill(bits, 0);
    return bits;
  }

  private static void addTo(long[] bits, RoaringCursor container) {
    if (container.kind() == Kind.BITMAP) {
      for (int i = 0; i < bits.length; i++) {
        bits[i] |= container.word(i);
      }
      return;
    }
    int intervals = container.intervals();
    for (int i = 0; i < intervals; i++) {
      RoaringWriter.setAll(bits, container.first(i), container.last(i));
    }
  }
}
