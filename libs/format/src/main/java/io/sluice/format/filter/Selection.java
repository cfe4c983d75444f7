package io.sluice.format.filter;

import java.util.Arrays;

/** Which rows of a batch were chosen: a bit for each. Reusable; not thread-safe. */
public final class Selection {
  private long[] words = new long[0];
  private int rows;

  /** Forgets everything: no row of so many is chosen. */
  Selection reset(int rows) {
    int needed = SelectionBits.words(rows);
    if (words.length < needed) {
      words = new long[needed];
    } else {
      Arrays.fill(words, 0, needed, 0);
    }
    this.rows = rows;
    return this;
  }

  /** Bits, lowest first; bits past the rows are 0. */
  long[] words() {
    return words;
  }

  /** Rows of the batch. */
  public int rows() {
    return rows;
  }

  /** Rows that were chosen. */
  public int count() {
    int count = 0;
    for (int i = 0; i < SelectionBits.words(rows); i++) {
      count += Long.bitCount(words[i]);
    }
    return count;
  }

  /** Whether that row, from 0, was chosen. */
  public boolean contains(int row) {
    return (words[row >> 6] >>> row & 1) != 0;
  }

  /** The first chosen row at or after that one, {@link #rows} when there is none. */
  public int next(int from) {
    if (from >= rows) {
      return rows;
    }
    int word = from >> 6;
    long bits = words[word] & -1L << from;
    while (bits == 0) {
      if (++word == SelectionBits.words(rows)) {
        return rows;
      }
      bits = words[word];
    }
    return (word << 6) + Long.numberOfTrailingZeros(bits);
  }
}
