package io.sluice.tablet.log;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * How a log begins whose first records are not there: what is to be known of them.
 *
 * @param offset first offset of the log
 * @param writers states of the writers as of that offset, as a writer snapshot has them; little
 *     endian
 * @param lastTimeMs append time of the last batch below the offset, 0 when there was none
 * @param epochs the epochs that began below the offset
 */
public record LogBeginning(
    long offset, ByteBuffer writers, long lastTimeMs, List<EpochHistory.Start> epochs) {
  /** A log that begins with the first record there ever was. */
  public static final LogBeginning EMPTY =
      new LogBeginning(0, new WriterStates().snapshot(0).asReadOnlyBuffer(), 0, List.of());

  public LogBeginning {
    epochs = List.copyOf(epochs);
  }
}
