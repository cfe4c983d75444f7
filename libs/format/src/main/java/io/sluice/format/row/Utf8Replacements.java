package io.sluice.format.row;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Finds out whether encoding a text as UTF-8 put '?' in place of half a surrogate pair. */
final class Utf8Replacements {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long LOWEST_BITS = 0x0101010101010101L;
  private static final long HIGHEST_BITS = 0x8080808080808080L;
  private static final long QUESTION_MARKS = 0x3F3F3F3F3F3F3F3FL;

  private Utf8Replacements() {}

  /**
   * Whether the bytes are all of the text. False also when that is not known: the text is not ASCII
   * and has a '?' of its own.
   */
  static boolean none(String text, byte[] utf8) {
    int words = utf8.length & -8;
    for (int at = 0; at < words; at += 8) {
      if (hasQuestionMark((long) LONGS.get(utf8, at)) && !same(text, utf8, at, at + 8)) {
        return false;
      }
    }
    return same(text, utf8, words, utf8.length);
  }

  /** Whether a byte of the word is '?'. */
  private static boolean hasQuestionMark(long word) {
    long zeroWhereEqual = word ^ QUESTION_MARKS;
    return ((zeroWhereEqual - LOWEST_BITS) & ~zeroWhereEqual & HIGHEST_BITS) != 0;
  }

  /** With as many bytes as characters each byte is one character: ASCII, or a replacement. */
  private static boolean same(String text, byte[] utf8, int from, int to) {
    boolean ascii = utf8.length == text.length();
    for (int i = from; i < to; i++) {
      if (utf8[i] == '?' && !(ascii && text.charAt(i) == '?')) {
        return false;
      }
    }
    return true;
  }
}
