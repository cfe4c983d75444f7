package io.sluice.tablet.kv.merge;

import java.util.Arrays;

/** Values of one container as intervals that grow and do not touch. Reused; not thread-safe. */
final class RoaringIntervals {
  // What is kept between two uses; a hostile container may have 32,768 intervals.
  private static final int KEPT = 8192;

  private int[] firsts = new int[16];
  private int[] lasts = new int[16];
  private int count;
  private int cardinality;

  void clear() {
    count = 0;
    cardinality = 0;
    if (firsts.length > KEPT) {
      firsts = new int[16];
      lasts = new int[16];
    }
  }

  /** Appends an interval; it begins at or behind the beginning of the one appended before. */
  void add(int first, int last) {
    int before = count - 1;
    if (before >= 0 && first <= lasts[before] + 1) {
      if (last > lasts[before]) {
        cardinality += last - lasts[before];
        lasts[before] = last;
      }
      return;
    }
    if (count == firsts.length) {
      firsts = Arrays.copyOf(firsts, 2 * count);
      lasts = Arrays.copyOf(lasts, 2 * count);
    }
    firsts[count] = first;
    lasts[count] = last;
    count++;
    cardinality += last - first + 1;
  }

  /** Appends the intervals of an ARRAY or RUN. */
  void addAll(RoaringCursor container) {
    int intervals = container.intervals();
    for (int i = 0; i < intervals; i++) {
      add(container.first(i), container.last(i));
    }
  }

  /** Appends the intervals of two containers that are ARRAY or RUN, this one being empty. */
  void addUnion(RoaringCursor one, RoaringCursor other) {
    int ofOne = one.intervals();
    int ofOther = other.intervals();
    int i = 0;
    int j = 0;
    while (i < ofOne || j < ofOther) {
      if (j == ofOther || i < ofOne && one.first(i) <= other.first(j)) {
        add(one.first(i), one.last(i));
        i++;
      } else {
        add(other.first(j), other.last(j));
        j++;
      }
    }
  }

  /** Appends the intervals of a bitmap. */
  void addAll(long[] words) {
    int first = -1;
    for (int value = 0; value < 64 * words.length; ) {
      long rest = (first < 0 ? words[value >> 6] : ~words[value >> 6]) >>> value;
      if (rest == 0) {
        value = (value | 63) + 1;
        continue;
      }
      value += Long.numberOfTrailingZeros(rest);
      if (first < 0) {
        first = value;
      } else {
        add(first, value - 1);
        first = -1;
      }
    }
    if (first >= 0) {
      add(first, 64 * words.length - 1);
    }
  }

  int count() {
    return count;
  }

  int cardinality() {
    return cardinality;
  }

  int first(int interval) {
    return firsts[interval];
  }

  int last(int interval) {
    return lasts[interval];
  }
}
