package io.sluice.format.batch;

/** Single characters in UTF-8, for rounding a text bound up. */
final class Utf8 {
  /** The bytes are no character. */
  static final int MALFORMED = -2;

  /** There is no such character. */
  static final int NONE = -1;

  private static final int LAST = 0x10FFFF;

  private Utf8() {}

  /** The code point in exactly the bytes from start to end, or {@link #MALFORMED}. */
  static int decode(byte[] bytes, int start, int end) {
    int first = bytes[start] & 0xFF;
    int length = end - start;
    if (length == 1) {
      return first < 0x80 ? first : MALFORMED;
    }
    if (length > 4 || first >> (7 - length) != (1 << (length + 1)) - 2) {
      return MALFORMED;
    }
    int point = first & (0x7F >> length);
    for (int i = start + 1; i < end; i++) {
      if ((bytes[i] & 0xC0) != 0x80) {
        return MALFORMED;
      }
      point = point << 6 | (bytes[i] & 0x3F);
    }
    boolean surrogate = point >= 0xD800 && point <= 0xDFFF;
    return surrogate || point > LAST || length(point) != length ? MALFORMED : point;
  }

  /** The code point after this one in the order of UTF-8 bytes, {@link #NONE} after the last. */
  static int next(int point) {
    if (point == MALFORMED) {
      return MALFORMED;
    }
    if (point == LAST) {
      return NONE;
    }
    return point == 0xD7FF ? 0xE000 : point + 1;
  }

  /** Bytes of the code point. */
  static int length(int point) {
    return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }

  /** Writes the code point; returns its length. */
  static int encode(int point, byte[] target, int at) {
    int length = length(point);
    if (length == 1) {
      target[at] = (byte) point;
      return 1;
    }
    for (int i = length - 1; i > 0; i--) {
      target[at + i] = (byte) (0x80 | point & 0x3F);
      point >>= 6;
    }
    target[at] = (byte) ((0xF00 >> length & 0xFF) | point);
    return length;
  }
}
