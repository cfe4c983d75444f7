package io.sluice.protocol.error;

import java.nio.charset.StandardCharsets;

/** Cuts texts to what may travel in trailers. */
final class WireText {
  private static final String CUT = "...";

  private WireText() {}

  /** The text, or its beginning and "..." when it takes more bytes in UTF-8. */
  static String cut(String text, int maxBytes) {
    if (text.length() * 3L <= maxBytes
        || text.getBytes(StandardCharsets.UTF_8).length <= maxBytes) {
      return text;
    }
    int bytes = CUT.length();
    int end = 0;
    while (end < text.length()) {
      int point = text.codePointAt(end);
      bytes += utf8Length(point);
      if (bytes > maxBytes) {
        break;
      }
      end += Character.charCount(point);
    }
    return text.substring(0, end) + CUT;
  }

  private static int utf8Length(int point) {
    if (point < 0x80) {
      return 1;
    }
    if (point < 0x800) {
      return 2;
    }
    return point < 0x10000 ? 3 : 4;
  }
}
