package io.sluice.format.batch;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4SafeDecompressor;
import net.jpountz.xxhash.XXHash32;

/**
 * Decodes one LZ4 frame as any encoder may write it: every block size, independent or linked
 * blocks, raw blocks, block checksums, content size, content checksum. Frames that need a
 * dictionary are refused. Every length is checked against the given ranges before it is used.
 */
final class Lz4FrameDecoder {
  private final LZ4SafeDecompressor blocks = Lz4Library.BLOCKS.safeDecompressor();
  private final XXHash32 hash = Lz4Library.HASHES.hash32();

  /** See {@link BufferCodec#decompress}. */
  void decode(
      ByteBuffer sourceBuffer,
      int sourceAt,
      int length,
      ByteBuffer target,
      int targetAt,
      int expected) {
    ByteBuffer source = sourceBuffer.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    int end = sourceAt + length;
    int at = sourceAt;
    need(at, 7, end);
    if (source.getInt(at) != Lz4Frame.MAGIC) {
      throw corrupt("no lz4 frame begins here");
    }
    int flags = source.get(at + 4);
    int blockId = (source.get(at + 5) >>> 4) & 0x7;
    checkFlags(flags, source.get(at + 5), blockId);
    boolean contentSize = (flags & Lz4Frame.CONTENT_SIZE) != 0;
    int descriptor = contentSize ? 10 : 2;
    need(at + 4, descriptor + 1, end);
    int check = (hash.hash(source, at + 4, descriptor, 0) >>> 8) & 0xFF;
    if (check != (source.get(at + 4 + descriptor) & 0xFF)) {
      throw corrupt("the checksum of its lz4 frame header is wrong");
    }
    if (contentSize && source.getLong(at + 6) != expected) {
      throw corrupt(
          "its lz4 frame holds " + source.getLong(at + 6) + " bytes, its prefix says " + expected);
    }
    at += 4 + descriptor + 1;
    at = decodeBlocks(source, at, end, target, targetAt, expected, flags, blockId);
    if ((flags & Lz4Frame.CONTENT_CHECKSUM) != 0) {
      need(at, 4, end);
      if (hash.hash(target, targetAt, expected, 0) != source.getInt(at)) {
        throw corrupt("the checksum of its lz4 frame's content is wrong");
      }
      at += 4;
    }
    if (at != end) {
      throw corrupt((end - at) + " bytes follow its lz4 frame");
    }
  }

  private int decodeBlocks(
      ByteBuffer source,
      int start,
      int end,
      ByteBuffer target,
      int targetAt,
      int expected,
      int flags,
      int blockId) {
    boolean independent = (flags & Lz4Frame.INDEPENDENT_BLOCKS) != 0;
    int blockBytes = Lz4Frame.blockBytes(blockId);
    int at = start;
    int done = 0;
    while (true) {
      need(at, 4, end);
      int word = source.getInt(at);
      at += 4;
      if (word == 0) {
        break;
      }
      int size = word & ~Lz4Frame.RAW_BLOCK;
      if (size > blockBytes) {
        throw corrupt("an lz4 block of " + size + " bytes is larger than the frame allows");
      }
      need(at, size, end);
      int room = Math.min(blockBytes, expected - done);
      if (word < 0) {
        if (size > room) {
          throw corrupt("it holds more than the " + expected + " bytes its prefix says");
        }
        target.put(targetAt + done, source, at, size);
        done += size;
      } else if (independent || done == 0) {
        done += decodeBlock(source, at, size, target, targetAt + done, room);
      } else {
        done += Lz4LinkedBlock.decode(source, at, size, target, targetAt, targetAt + done, room);
      }
      at += size;
      if ((flags & Lz4Frame.BLOCK_CHECKSUM) != 0) {
        need(at, 4, end);
        if (hash.hash(source, at - size, size, 0) != source.getInt(at)) {
          throw corrupt("the checksum of an lz4 block is wrong");
        }
        at += 4;
      }
    }
    if (done != expected) {
      throw corrupt("it holds " + done + " bytes, its prefix says " + expected);
    }
    return at;
  }

  private int decodeBlock(
      ByteBuffer source, int at, int size, ByteBuffer target, int targetAt, int room) {
    try {
      return blocks.decompress(source, at, size, target, targetAt, room);
    } catch (LZ4Exception e) {
      throw BufferCodec.corruptFrame("an lz4 block does not decode into " + room + " bytes", e);
    }
  }

  private static void checkFlags(int flags, int blockDescriptor, int blockId) {
    boolean good =
        (flags & Lz4Frame.VERSION_MASK) == Lz4Frame.VERSION
            && (flags & (Lz4Frame.RESERVED_FLAG | Lz4Frame.DICTIONARY)) == 0
            && (blockDescriptor & 0b1000_1111) == 0
            && Lz4Frame.isBlockId(blockId);
    if (!good) {
      throw corrupt(
          String.format(
              "lz4 frame flags %02x %02x are not supported", flags & 0xFF, blockDescriptor & 0xFF));
    }
  }

  private static void need(int at, int count, int end) {
    if (count > end - at) {
      throw corrupt("its lz4 frame ends early");
    }
  }

  private static RuntimeException corrupt(String what) {
    return BufferCodec.corruptFrame(what, null);
  }
}
