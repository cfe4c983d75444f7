package io.sluice.format.projection;

import java.util.Arrays;

/** Wanted stored buffers in the order of the new body, as a growing list of flat numbers. */
final class BufferRanges {
  private static final int FIELDS = 6;

  /** Stands for "not converted". */
  static final int COPIED = -1;

  private int[] values = new int[FIELDS * 32];
  private int count;
  private long bytes;

  /** A range whose bytes are taken as they are. */
  void add(int source, int length, int target, int crc, int buffer) {
    add(source, length, target, crc, buffer, COPIED);
  }

  /**
   * @param conversion number of the converted buffer that the bytes go to, or {@link #COPIED}
   */
  void add(int source, int length, int target, int crc, int buffer, int conversion) {
    int at = FIELDS * count;
    if (at == values.length) {
      values = Arrays.copyOf(values, 2 * at);
    }
    values[at] = source;
    values[at + 1] = length;
    values[at + 2] = target;
    values[at + 3] = crc;
    values[at + 4] = buffer;
    values[at + 5] = conversion;
    count++;
    bytes += length;
  }

  int count() {
    return count;
  }

  /** Bytes of all ranges. */
  long bytes() {
    return bytes;
  }

  int source(int range) {
    return values[FIELDS * range];
  }

  int length(int range) {
    return values[FIELDS * range + 1];
  }

  int target(int range) {
    return values[FIELDS * range + 2];
  }

  int crc(int range) {
    return values[FIELDS * range + 3];
  }

  /** Number of the buffer in the stored batch. */
  int buffer(int range) {
    return values[FIELDS * range + 4];
  }

  /** Number of the converted buffer that the range goes to, or {@link #COPIED}. */
  int conversion(int range) {
    return values[FIELDS * range + 5];
  }
}
