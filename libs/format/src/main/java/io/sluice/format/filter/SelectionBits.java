package io.sluice.format.filter;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;

/** Bits of rows, 64 in a word, lowest first. */
final class SelectionBits {
  private SelectionBits() {}

  /** Words for so many rows. */
  static int words(int rows) {
    return rows + 63 >>> 6;
  }

  /** Sets the bits of all rows and clears those past them. */
  static void fill(int rows, long[] words) {
    int count = words(rows);
    Arrays.fill(words, 0, count, -1L);
    trim(rows, words);
  }

  /** Clears the bits past the rows. */
  static void trim(int rows, long[] words) {
    if ((rows & 63) != 0) {
      words[rows >> 6] &= (1L << rows) - 1;
    }
  }

  static boolean isEmpty(int rows, long[] words) {
    for (int i = 0; i < words(rows); i++) {
      if (words[i] != 0) {
        return false;
      }
    }
    return true;
  }

  /** Keeps the rows that are not NULL in the vector itself. */
  static void andValidity(FieldVector vector, int rows, long[] words) {
    if (rows == 0 || vector.getNullCount() == 0) {
      return;
    }
    ByteBuffer validity = bytes(vector.getValidityBuffer(), rows + 7 >> 3);
    for (int i = 0; i < words(rows); i++) {
      words[i] &= word(validity, i);
    }
  }

  /** Bits of a buffer of bits; those past its end are 0. */
  static long word(ByteBuffer bits, int word) {
    int at = 8 * word;
    if (at + 8 <= bits.limit()) {
      return bits.getLong(at);
    }
    long value = 0;
    for (int i = bits.limit() - 1; i >= at; i--) {
      value = value << 8 | (bits.get(i) & 0xFF);
    }
    return value;
  }

  static ByteBuffer bytes(ArrowBuf buffer, long length) {
    return buffer.nioBuffer(0, Math.toIntExact(length)).order(ByteOrder.LITTLE_ENDIAN);
  }
}
