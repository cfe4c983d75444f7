package io.sluice.format.batch;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.xxhash.XXHash32;

/**
 * LZ4 frames around the native block codec. A frame written here has independent blocks of the
 * smallest standard size that holds the buffer, no content size and no checksums: the Arrow prefix
 * has the size and the batch has the checksums.
 */
final class Lz4BufferCodec implements BufferCodec {
  private static final int HEADER_BYTES = 7;
  private static final int FLAGS = Lz4Frame.VERSION | Lz4Frame.INDEPENDENT_BLOCKS;

  private final LZ4Compressor compressor = Lz4Library.BLOCKS.fastCompressor();
  private final XXHash32 hash = Lz4Library.HASHES.hash32();
  private final Lz4FrameDecoder decoder = new Lz4FrameDecoder();

  @Override
  public int bound(int length) {
    int blocks = length / Lz4Frame.MAX_BLOCK_BYTES + 1;
    return HEADER_BYTES + blocks * 4 + compressor.maxCompressedLength(length) + blocks * 16 + 4;
  }

  @Override
  public int compress(
      ByteBuffer source, int sourceAt, int length, ByteBuffer targetBuffer, int targetAt) {
    ByteBuffer target = targetBuffer.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    int blockId = Lz4Frame.blockId(length);
    int blockBytes = Lz4Frame.blockBytes(blockId);
    target.putInt(targetAt, Lz4Frame.MAGIC);
    target.put(targetAt + 4, (byte) FLAGS);
    target.put(targetAt + 5, (byte) (blockId << 4));
    target.put(targetAt + 6, (byte) (hash.hash(target, targetAt + 4, 2, 0) >>> 8));
    int at = targetAt + HEADER_BYTES;
    for (int done = 0; done < length; ) {
      int block = Math.min(blockBytes, length - done);
      int size =
          compressor.compress(
              source, sourceAt + done, block, target, at + 4, target.capacity() - at - 4);
      if (size >= block) {
        target.put(at + 4, source, sourceAt + done, block);
        target.putInt(at, block | Lz4Frame.RAW_BLOCK);
        size = block;
      } else {
        target.putInt(at, size);
      }
      at += 4 + size;
      done += block;
    }
    target.putInt(at, 0);
    return at + 4 - targetAt;
  }

  @Override
  public void decompress(
      ByteBuffer source, int sourceAt, int length, ByteBuffer target, int targetAt, int expected) {
    decoder.decode(source, sourceAt, length, target, targetAt, expected);
  }

  @Override
  public void rest() {
    // Nothing is kept.
  }

  @Override
  public void close() {
    // The block codec keeps no native state.
  }
}
