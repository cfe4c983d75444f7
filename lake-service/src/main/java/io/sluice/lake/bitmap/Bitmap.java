package io.sluice.lake.bitmap;

import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.roaringbitmap.RoaringBitmap;

/**
 * A set of numbers of 64 bits without a sign: for each upper half that occurs, in the order of the
 * halves as numbers without a sign, a bitmap of the lower ones. A set of 32-bit numbers has the
 * upper half 0 alone. For one thread.
 */
public final class Bitmap {
  private static final long LOWER = 0xFFFF_FFFFL;

  /** No part is empty. */
  private final NavigableMap<Long, RoaringBitmap> parts = new TreeMap<>();

  /** Adds a number. */
  public void add(long number) {
    parts.computeIfAbsent(number >>> 32, upper -> new RoaringBitmap()).add((int) number);
  }

  /**
   * Adds numbers of 63 bits, fastest when they grow.
   *
   * @param count how many of the array
   */
  void addAll(long[] numbers, int count) {
    long upper = -1;
    RoaringBitmap part = new RoaringBitmap();
    for (int i = 0; i < count; i++) {
      if (numbers[i] >>> 32 != upper) {
        upper = numbers[i] >>> 32;
        part = parts.computeIfAbsent(upper, any -> new RoaringBitmap());
      }
      part.add((int) numbers[i]);
    }
  }

  /** Whether a number is in it. */
  public boolean contains(long number) {
    RoaringBitmap part = parts.get(number >>> 32);
    return part != null && part.contains((int) number);
  }

  /** How many numbers are in it. */
  public long cardinality() {
    long total = 0;
    for (RoaringBitmap part : parts.values()) {
      total += part.getLongCardinality();
    }
    return total;
  }

  /** Adds the numbers of another one, which must not be used after. */
  public void or(Bitmap other) {
    other.parts.forEach(
        (upper, part) -> {
          RoaringBitmap own = parts.putIfAbsent(upper, part);
          if (own != null) {
            own.or(part);
          }
        });
  }

  /** Keeps the numbers that are in the other one too. */
  public void and(Bitmap other) {
    for (Iterator<Map.Entry<Long, RoaringBitmap>> all = parts.entrySet().iterator();
        all.hasNext(); ) {
      Map.Entry<Long, RoaringBitmap> own = all.next();
      RoaringBitmap part = other.parts.get(own.getKey());
      if (part != null) {
        own.getValue().and(part);
      }
      if (part == null || own.getValue().isEmpty()) {
        all.remove();
      }
    }
  }

  /** Keeps what is in one of the two alone; the other one must not be used after. */
  public void xor(Bitmap other) {
    other.parts.forEach(
        (upper, part) -> {
          RoaringBitmap own = parts.putIfAbsent(upper, part);
          if (own != null) {
            own.xor(part);
          }
        });
    parts.values().removeIf(RoaringBitmap::isEmpty);
  }

  /** Takes away the numbers of the other one. */
  public void andNot(Bitmap other) {
    other.parts.forEach(
        (upper, part) -> {
          RoaringBitmap own = parts.get(upper);
          if (own != null) {
            own.andNot(part);
          }
        });
    parts.values().removeIf(RoaringBitmap::isEmpty);
  }

  /** Gives every number, the smallest first; those beyond {@link Long#MAX_VALUE} are negative. */
  public void forEach(LongConsumer consumer) {
    parts.forEach(
        (upper, part) ->
            part.forEach(
                (org.roaringbitmap.IntConsumer)
                    lower -> consumer.accept((upper << 32) | (lower & LOWER))));
  }

  NavigableMap<Long, RoaringBitmap> parts() {
    return parts;
  }
}
