package io.sluice.format.filter;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A LIKE pattern: {@code %} stands for any text, {@code _} for any one character, every other
 * character for itself. Works on UTF-8.
 */
final class LikePattern {
  private static final byte ANY_TEXT = '%';
  private static final byte ANY_CHARACTER = '_';

  private final byte[] pattern;

  LikePattern(String pattern) {
    this.pattern = pattern.getBytes(StandardCharsets.UTF_8);
  }

  /** What every match begins with, up to the first wildcard. */
  ByteText prefix() {
    int end = wildcard();
    byte[] prefix = new byte[end];
    System.arraycopy(pattern, 0, prefix, 0, end);
    return new ByteText(prefix);
  }

  private int wildcard() {
    int at = 0;
    while (at < pattern.length && pattern[at] != ANY_TEXT && pattern[at] != ANY_CHARACTER) {
      at++;
    }
    return at;
  }

  /** The matches as intervals, when the pattern is a plain text or one followed by %. */
  @Nullable Intervals<ByteText> intervals() {
    int end = wildcard();
    if (end == pattern.length) {
      return Intervals.of(prefix(), prefix().next());
    }
    return end == pattern.length - 1 && pattern[end] == ANY_TEXT ? startingWith(prefix()) : null;
  }

  /** All values that begin so. */
  static Intervals<ByteText> startingWith(ByteText prefix) {
    byte[] bytes = prefix.bytes();
    int end = bytes.length;
    while (end > 0 && bytes[end - 1] == (byte) 0xFF) {
      end--;
    }
    if (end == 0) {
      return Intervals.of(prefix, null);
    }
    byte[] after = Arrays.copyOf(bytes, end);
    after[end - 1]++;
    return Intervals.of(prefix, new ByteText(after));
  }

  /** Whether the value between both indices has the form of the pattern. */
  boolean matches(ByteBuffer data, int from, int end) {
    int at = from;
    int p = 0;
    int resumePattern = -1;
    int resumeAt = 0;
    while (at < end) {
      if (p < pattern.length && pattern[p] == ANY_TEXT) {
        resumePattern = ++p;
        resumeAt = at;
      } else if (p < pattern.length && pattern[p] == ANY_CHARACTER) {
        at = afterCharacter(data, at, end);
        p++;
      } else if (p < pattern.length && pattern[p] == data.get(at)) {
        at++;
        p++;
      } else if (resumePattern >= 0) {
        resumeAt = afterCharacter(data, resumeAt, end);
        at = resumeAt;
        p = resumePattern;
      } else {
        return false;
      }
    }
    while (p < pattern.length && pattern[p] == ANY_TEXT) {
      p++;
    }
    return p == pattern.length;
  }

  private static int afterCharacter(ByteBuffer data, int from, int end) {
    int at = from + 1;
    while (at < end && (data.get(at) & 0xC0) == 0x80) {
      at++;
    }
    return at;
  }
}
