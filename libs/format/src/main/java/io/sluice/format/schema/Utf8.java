package io.sluice.format.schema;

import org.apache.arrow.memory.ArrowBuf;

/** Checks UTF-8 as the Unicode standard defines it: shortest form, no surrogates, to U+10FFFF. */
final class Utf8 {
  private static final long HIGH_BITS = 0x8080808080808080L;

  private Utf8() {}

  /** Code points in the bytes, or -1 when they are not UTF-8. */
  static int characters(ArrowBuf bytes, long start, int length) {
    long at = start;
    long end = start + length;
    int count = 0;
    while (at < end) {
      if (at + 8 <= end && (bytes.getLong(at) & HIGH_BITS) == 0) {
        at += 8;
        count += 8;
        continue;
      }
      int size = characterSize(bytes, at, end);
      if (size < 0) {
        return -1;
      }
      at += size;
      count++;
    }
    return count;
  }

  private static int characterSize(ArrowBuf bytes, long at, long end) {
    int first = bytes.getByte(at) & 0xFF;
    if (first < 0x80) {
      return 1;
    }
    int size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || at + size > end) {
      return -1;
    }
    int second = bytes.getByte(at + 1) & 0xFF;
    int low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    int high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (second < low || second > high) {
      return -1;
    }
    for (int i = 2; i < size; i++) {
      if ((bytes.getByte(at + i) & 0xC0) != 0x80) {
        return -1;
      }
    }
    return size;
  }
}
