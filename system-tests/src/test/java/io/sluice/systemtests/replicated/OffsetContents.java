package io.sluice.systemtests.replicated;

import java.util.Arrays;

/**
 * What clients know of the offsets of one bucket: the content of each record in one number, 0 where
 * nobody was told anything. The same offset has the same content for ever, whoever tells: writers
 * that were acknowledged, readers of any server at any time. Thread-safe.
 */
final class OffsetContents {
  private static final int FIRST_SIZE = 1024;

  private long[] contents = new long[FIRST_SIZE];
  private int end;

  /**
   * Notes the content of an offset.
   *
   * @param content not 0
   * @return what was known of the offset before, when that was something else; else 0
   */
  synchronized long tell(long offset, long content) {
    if (content == 0) {
      throw new IllegalArgumentException("Content of offset " + offset + " is 0");
    }
    int at = Math.toIntExact(offset);
    if (at >= contents.length) {
      contents = Arrays.copyOf(contents, Math.max(at + 1, contents.length * 2));
    }
    end = Math.max(end, at + 1);
    long before = contents[at];
    if (before != 0 && before != content) {
      return before;
    }
    contents[at] = content;
    return 0;
  }

  /** The content of an offset, 0 when nothing is known of it. */
  synchronized long at(long offset) {
    return offset < end ? contents[Math.toIntExact(offset)] : 0;
  }

  /** The offset after the last one of which something is known. */
  synchronized long end() {
    return end;
  }
}
