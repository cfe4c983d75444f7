package io.sluice.format.batch;

import java.nio.ByteBuffer;

/**
 * Decodes an LZ4 block whose matches may reach into the blocks before it. The native binding has no
 * call for that; encoders outside this project use such blocks in frames of several blocks.
 */
final class Lz4LinkedBlock {
  private static final int MIN_MATCH = 4;

  private Lz4LinkedBlock() {}

  /**
   * @param windowStart first byte of the target that a match may copy from
   * @param room bytes the block may fill from {@code targetAt}
   * @return bytes filled
   */
  static int decode(
      ByteBuffer source,
      int at,
      int size,
      ByteBuffer target,
      int windowStart,
      int targetAt,
      int room) {
    int in = at;
    int inEnd = at + size;
    int out = targetAt;
    int outEnd = targetAt + room;
    while (in < inEnd) {
      int token = source.get(in++) & 0xFF;
      int literals = token >>> 4;
      if (literals == 15) {
        int next;
        do {
          check(in < inEnd && literals <= room);
          next = source.get(in++) & 0xFF;
          literals += next;
        } while (next == 255);
      }
      check(literals <= inEnd - in && literals <= outEnd - out);
      target.put(out, source, in, literals);
      in += literals;
      out += literals;
      if (in == inEnd) {
        return out - targetAt;
      }
      check(inEnd - in >= 2);
      int distance = (source.get(in) & 0xFF) | (source.get(in + 1) & 0xFF) << 8;
      in += 2;
      int match = (token & 0xF) + MIN_MATCH;
      if ((token & 0xF) == 15) {
        int next;
        do {
          check(in < inEnd && match <= room);
          next = source.get(in++) & 0xFF;
          match += next;
        } while (next == 255);
      }
      check(distance > 0 && distance <= out - windowStart && match <= outEnd - out);
      copyMatch(target, out, distance, match);
      out += match;
    }
    throw BufferCodec.corruptFrame("an lz4 block ends without its last literals", null);
  }

  /** A match may overlap what it writes: it then repeats its first {@code distance} bytes. */
  private static void copyMatch(ByteBuffer target, int out, int distance, int match) {
    int from = out - distance;
    int done = 0;
    while (done < match) {
      int count = Math.min(match - done, distance + done);
      target.put(out + done, target, from, count);
      done += count;
    }
  }

  private static void check(boolean good) {
    if (!good) {
      throw BufferCodec.corruptFrame("an lz4 block points outside its bytes", null);
    }
  }
}
