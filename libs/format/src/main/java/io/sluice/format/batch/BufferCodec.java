package io.sluice.format.batch;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Compresses and decompresses single buffers between direct buffers, with contexts that are reused
 * from call to call. Positions and limits of the buffers are neither used nor changed. One owner,
 * not thread-safe; {@link #close} twice is harmless.
 */
interface BufferCodec extends AutoCloseable {
  /** The most bytes that compressing {@code length} bytes may take. */
  int bound(int length);

  /**
   * Compresses into {@code target}, which has at least {@link #bound} bytes from {@code targetAt}.
   *
   * @return bytes written
   */
  int compress(ByteBuffer source, int sourceAt, int length, ByteBuffer target, int targetAt);

  /**
   * Fills exactly {@code expected} bytes of the target. Never reads or writes outside the two
   * ranges; CORRUPT_BATCH when the bytes are no frame of exactly that content.
   */
  void decompress(
      ByteBuffer source, int sourceAt, int length, ByteBuffer target, int targetAt, int expected);

  /**
   * Gives back what decompressing needs, until it is needed again: this is not used for a while.
   */
  void rest();

  @Override
  void close();

  /** A codec for the settings, or null for {@link BatchCodec#NONE}. */
  static @Nullable BufferCodec open(CompressionSettings settings) {
    return switch (settings.codec()) {
      case NONE -> null;
      case LZ4 -> new Lz4BufferCodec();
      case ZSTD -> new ZstdBufferCodec(settings.level());
    };
  }

  /** The failure of a frame that does not decode. */
  static SluiceException corruptFrame(String what, @Nullable Throwable cause) {
    return new SluiceException(
        ErrorCode.CORRUPT_BATCH, "Compressed buffer is damaged: " + what, cause);
  }
}
