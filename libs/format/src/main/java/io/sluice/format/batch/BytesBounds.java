package io.sluice.format.batch;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Finds the smallest and largest byte string of a column, in unsigned order, and writes them cut to
 * {@link StatisticsFormat#MAX_BOUND_BYTES}. Most comparisons are decided by the first 8 bytes held
 * in a long. Reusable; not thread-safe.
 */
final class BytesBounds {
  private static final int LIMIT = StatisticsFormat.MAX_BOUND_BYTES;

  /** By length, what of a big-endian word belongs to a value of at most 8 bytes. */
  private static final long[] HEAD_MASKS = new long[9];

  static {
    for (int length = 1; length <= 8; length++) {
      HEAD_MASKS[length] = -1L << (64 - 8 * length);
    }
  }

  private final byte[] bound = new byte[LIMIT];

  private ByteBuffer data = ByteBuffer.allocate(0);
  private int minAt;
  private int minLength;
  private long minHead;
  private int maxAt;
  private int maxLength;
  private long maxHead;

  /** Scans values of one width; at least one is not NULL. */
  void scanFixed(ByteBuffer values, int width, int rows, @Nullable ByteBuffer validity) {
    begin(values);
    for (int i = 0; i < rows; i++) {
      if (validity == null || StatisticsCollector.isSet(validity, i)) {
        add(i * width, width, head(i * width, width));
      }
    }
  }

  /** Scans values between offsets; at least one is not NULL. */
  void scanVariable(
      ByteBuffer values, ByteBuffer offsets, int rows, @Nullable ByteBuffer validity) {
    begin(values);
    ByteBuffer bytes = data;
    int lastWord = bytes.limit() - 8;
    int start = offsets.getInt(0);
    for (int i = 0; i < rows; i++) {
      int at = start;
      int end = offsets.getInt(4 * i + 4);
      start = end;
      if (validity != null && !StatisticsCollector.isSet(validity, i)) {
        continue;
      }
      int length = end - at;
      long head =
          at <= lastWord
              ? order(bytes.getLong(at) & HEAD_MASKS[Math.min(length, 8)])
              : head(at, length);
      // Most values lie strictly between the bounds by their heads alone.
      if (head <= minHead || head >= maxHead) {
        add(at, length, head);
      }
    }
  }

  /**
   * Writes minimum and maximum at the target's position.
   *
   * @param text whether the values are UTF-8, so that bounds must be too
   * @return the flags of what was written
   */
  int write(boolean text, ByteBuffer target) {
    int flags = StatisticsFormat.HAS_MIN;
    int length = cut(minAt, minLength, text);
    if (length < minLength) {
      flags |= StatisticsFormat.MIN_CUT;
    }
    target.put((byte) length).put(bound, 0, length);
    length = cut(maxAt, maxLength, text);
    if (length < maxLength) {
      length = text ? roundUpText(length) : roundUpBytes(length);
      flags |= length > 0 ? StatisticsFormat.MAX_CUT : 0;
      if (length == 0) {
        return flags;
      }
    }
    target.put((byte) length).put(bound, 0, length);
    return flags | StatisticsFormat.HAS_MAX;
  }

  private void begin(ByteBuffer values) {
    data = values.duplicate().order(ByteOrder.BIG_ENDIAN);
    minAt = -1;
    maxAt = -1;
    minHead = Long.MAX_VALUE;
    maxHead = Long.MIN_VALUE;
  }

  private void add(int at, int length, long head) {
    if (minAt < 0 || compare(at, length, head, minAt, minLength, minHead) < 0) {
      minAt = at;
      minLength = length;
      minHead = head;
    }
    if (maxAt < 0 || compare(at, length, head, maxAt, maxLength, maxHead) > 0) {
      maxAt = at;
      maxLength = length;
      maxHead = head;
    }
  }

  /** The first 8 bytes as a long that orders like them, zeros after the end. */
  private long head(int at, int length) {
    long word = 0;
    for (int i = 0; i < Math.min(8, length); i++) {
      word |= (data.get(at + i) & 0xFFL) << (56 - 8 * i);
    }
    return order(word);
  }

  private static long order(long word) {
    return word ^ Long.MIN_VALUE;
  }

  private int compare(int at, int length, long head, int otherAt, int otherLength, long otherHead) {
    if (head != otherHead) {
      return head < otherHead ? -1 : 1;
    }
    int common = Math.min(length, otherLength);
    int i = 8;
    // Texts that all begin alike, such as addresses, are told apart far behind their heads.
    for (; i + 8 <= common; i += 8) {
      long word = data.getLong(at + i);
      long otherWord = data.getLong(otherAt + i);
      if (word != otherWord) {
        return Long.compareUnsigned(word, otherWord);
      }
    }
    for (; i < common; i++) {
      int difference = (data.get(at + i) & 0xFF) - (data.get(otherAt + i) & 0xFF);
      if (difference != 0) {
        return difference;
      }
    }
    return length - otherLength;
  }

  /** Copies at most {@link #LIMIT} bytes, whole characters when text; returns how many. */
  private int cut(int at, int length, boolean text) {
    int cut = Math.min(length, LIMIT);
    data.get(at, bound, 0, cut);
    if (text && cut < length) {
      int end = cut;
      while (end > 0 && (data.get(at + end) & 0xC0) == 0x80) {
        end--;
      }
      return end;
    }
    return cut;
  }

  /** Raises the last byte that can be raised and drops those after it; 0 when there is none. */
  private int roundUpBytes(int length) {
    for (int end = length; end > 0; end--) {
      if (bound[end - 1] != (byte) 0xFF) {
        bound[end - 1]++;
        return end;
      }
    }
    return 0;
  }

  /** As {@link #roundUpBytes} with whole characters; 0 also for bytes that are no UTF-8. */
  private int roundUpText(int length) {
    int end = length;
    while (end > 0) {
      int start = end - 1;
      while (start > 0 && (bound[start] & 0xC0) == 0x80) {
        start--;
      }
      int next = Utf8.next(Utf8.decode(bound, start, end));
      if (next == Utf8.MALFORMED) {
        return 0;
      }
      if (next != Utf8.NONE && start + Utf8.length(next) <= LIMIT) {
        return start + Utf8.encode(next, bound, start);
      }
      end = start;
    }
    return 0;
  }
}
