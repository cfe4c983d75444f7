package io.sluice.format.batch;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Checks stored body buffers against their checksums. */
public final class BodyChecksums {
  private BodyChecksums() {}

  /**
   * CORRUPT_BATCH naming the buffer when its crc32c is not the expected one.
   *
   * @param crc scratch, reset here
   * @param body position and limit are kept
   * @param at absolute index of the buffer's first byte in {@code body}
   * @param buffer number of the buffer in its batch, for the message
   */
  public static void check(
      CRC32C crc, ByteBuffer body, int at, int length, int expected, int buffer) {
    crc.reset();
    if (length > 0) {
      crc.update(body.slice(at, length));
    }
    check(crc, length, expected, buffer);
  }

  /** As the other, of a buffer whose bytes the checksum has taken. */
  static void check(CRC32C crc, int length, int expected, int buffer) {
    int found = (int) crc.getValue();
    if (found != expected) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BATCH,
          String.format(
              "Checksum of body buffer %d is 0x%08x, its %d bytes give 0x%08x",
              buffer, expected, length, found));
    }
  }
}
