package io.sluice.format.batch;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Zstandard frames. Contexts are had at first use: most owners need only one direction. That for
 * compressing is this codec's own, that for decompressing is shared, see {@link ZstdContexts}.
 */
final class ZstdBufferCodec implements BufferCodec {
  private final int level;
  private @Nullable ZstdCompressCtx compressor;
  private @Nullable ZstdDecompressCtx decompressor;

  ZstdBufferCodec(int level) {
    this.level = level;
  }

  @Override
  public int bound(int length) {
    return Math.toIntExact(Zstd.compressBound(length));
  }

  @Override
  public int compress(
      ByteBuffer source, int sourceAt, int length, ByteBuffer target, int targetAt) {
    ZstdCompressCtx context = compressor;
    if (context == null) {
      context = new ZstdCompressCtx().setLevel(level);
      compressor = context;
    }
    try {
      return context.compressDirectByteBuffer(
          target, targetAt, target.capacity() - targetAt, source, sourceAt, length);
    } catch (ZstdException e) {
      throw new SluiceException(
          ErrorCode.INTERNAL, "Compressing " + length + " bytes with zstd failed", e);
    }
  }

  @Override
  public void decompress(
      ByteBuffer source, int sourceAt, int length, ByteBuffer target, int targetAt, int expected) {
    ZstdDecompressCtx context = decompressor;
    if (context == null) {
      context = ZstdContexts.SHARED.take();
      decompressor = context;
    }
    int found;
    try {
      found =
          context.decompressDirectByteBuffer(target, targetAt, expected, source, sourceAt, length);
    } catch (ZstdException e) {
      throw BufferCodec.corruptFrame("zstd says: " + e.getMessage(), e);
    }
    if (found != expected) {
      throw BufferCodec.corruptFrame(
          "it holds " + found + " bytes, its prefix says " + expected, null);
    }
  }

  @Override
  public void rest() {
    ZstdDecompressCtx context = decompressor;
    if (context != null) {
      decompressor = null;
      ZstdContexts.SHARED.give(context);
    }
  }

  @Override
  public void close() {
    if (compressor != null) {
      compressor.close();
      compressor = null;
    }
    rest();
  }
}
