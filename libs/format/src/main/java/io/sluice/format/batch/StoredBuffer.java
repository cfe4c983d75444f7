package io.sluice.format.batch;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reads the values of one stored body buffer without the rest of its batch. */
public final class StoredBuffer {
  private StoredBuffer() {}

  /**
   * Copies the first values of a buffer, decompressed. Never reads outside of the stored bytes nor
   * writes outside of the wanted ones.
   *
   * @param codec of the batch
   * @param source direct; holds the stored bytes, prefix included, at {@code sourceAt}
   * @param target direct; gets exactly {@code wanted} bytes at {@code targetAt}
   * @throws SluiceException CORRUPT_BATCH when the buffer holds fewer bytes, far more, or no frame
   */
  public static void read(
      BatchCodec codec,
      ByteBuffer source,
      int sourceAt,
      int length,
      ByteBuffer target,
      int targetAt,
      int wanted) {
    if (codec == BatchCodec.NONE) {
      checkLength(length, wanted);
      target.put(targetAt, source, sourceAt, wanted);
      return;
    }
    if (length < BatchStructure.PREFIX_BYTES) {
      throw corrupt(length + " bytes are too few for its length prefix");
    }
    long prefix = source.duplicate().order(ByteOrder.LITTLE_ENDIAN).getLong(sourceAt);
    int from = sourceAt + BatchStructure.PREFIX_BYTES;
    int stored = length - BatchStructure.PREFIX_BYTES;
    if (prefix == BatchStructure.RAW_PREFIX) {
      checkLength(stored, wanted);
      target.put(targetAt, source, from, wanted);
      return;
    }
    checkLength(prefix, wanted);
    try (BufferCodec decoder = open(codec)) {
      if (prefix == wanted) {
        decoder.decompress(source, from, stored, target, targetAt, wanted);
      } else {
        // Other writers leave spare bytes behind the values.
        ByteBuffer all = ByteBuffer.allocateDirect((int) prefix);
        decoder.decompress(source, from, stored, all, 0, (int) prefix);
        target.put(targetAt, all, 0, wanted);
      }
    }
  }

  private static BufferCodec open(BatchCodec codec) {
    BufferCodec decoder = BufferCodec.open(CompressionSettings.of(codec));
    if (decoder == null) {
      throw new IllegalArgumentException(codec + " compresses nothing");
    }
    return decoder;
  }

  private static void checkLength(long length, int wanted) {
    if (length < wanted || length > 2L * wanted + 1024) {
      throw corrupt("it holds " + length + " bytes, its rows need " + wanted);
    }
  }

  private static SluiceException corrupt(String what) {
    return new SluiceException(ErrorCode.CORRUPT_BATCH, "A body buffer is damaged: " + what);
  }
}
