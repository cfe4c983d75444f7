package io.sluice.tiering.write;

import com.github.luben.zstd.ZstdCompressCtx;
import java.io.IOException;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;

/**
 * Compresses pages with zstd. One context serves all files of a round, so the memory outside of the
 * heap does not grow with the number of buckets. For one thread; {@link #close} frees it.
 */
final class ZstdPages implements BytesInputCompressor, AutoCloseable {
  /** Parquet's own default. */
  private static final int LEVEL = 3;

  private final ZstdCompressCtx context = new ZstdCompressCtx().setLevel(LEVEL);

  @Override
  public BytesInput compress(BytesInput bytes) throws IOException {
    return BytesInput.from(context.compress(bytes.toByteArray()));
  }

  @Override
  public CompressionCodecName getCodecName() {
    return CompressionCodecName.ZSTD;
  }

  /** Does nothing: row groups come and go, the context stays. */
  @Override
  public void release() {}

  @Override
  public void close() {
    context.close();
  }
}
