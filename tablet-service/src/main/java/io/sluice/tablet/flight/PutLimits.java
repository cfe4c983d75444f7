package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchLimits;

/** How large a batch that is put may be. */
final class PutLimits {
  private PutLimits() {}

  /** Throws ROW_TOO_LARGE or BATCH_TOO_LARGE when the batch is larger than it may be. */
  static void check(int rows, long bytes) {
    if (rows <= 1 && bytes > BatchLimits.MAX_SINGLE_ROW_BYTES) {
      throw rowTooLarge(bytes);
    }
    if (rows > 1 && bytes > BatchLimits.MAX_BATCH_BYTES) {
      throw new SluiceException(
          ErrorCode.BATCH_TOO_LARGE,
          "Batch of "
              + rows
              + " rows has "
              + bytes
              + " bytes; the limit is "
              + BatchLimits.MAX_BATCH_BYTES
              + ", send fewer rows in a batch");
    }
  }

  static SluiceException rowTooLarge(long bytes) {
    return new SluiceException(
        ErrorCode.ROW_TOO_LARGE,
        "A row takes "
            + bytes
            + " bytes; a row may take at most "
            + BatchLimits.MAX_SINGLE_ROW_BYTES
            + " (32 MiB)");
  }
}
