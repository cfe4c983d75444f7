package io.sluice.tiering.write;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;

/**
 * How files of a round are cut and how much memory they may take.
 *
 * @param targetFileBytes a file that has reached this size ends after the batch in hand
 * @param rowGroupBytes encoded bytes at which a row group is written out
 * @param bufferBytes encoded bytes that all open files of one round may hold; above that the
 *     largest row group is written out early
 */
public record WriteSettings(long targetFileBytes, long rowGroupBytes, long bufferBytes) {
  public WriteSettings {
    if (targetFileBytes < 1 || rowGroupBytes < 1 || bufferBytes < 1) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Target file size, row group size and buffer of a round must be positive, not "
              + targetFileBytes
              + ", "
              + rowGroupBytes
              + " and "
              + bufferBytes);
    }
  }
}
