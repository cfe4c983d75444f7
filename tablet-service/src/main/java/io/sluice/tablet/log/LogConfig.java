package io.sluice.tablet.log;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;

/**
 * Sizes and times of a bucket's log.
 *
 * @param segmentBytes a segment that would grow beyond this is sealed; one batch may be larger
 * @param segmentAgeMs a segment whose first batch is older than this is sealed at the next append
 * @param indexIntervalBytes bytes of log between two index entries
 * @param indexEntries a segment with this many index entries is sealed
 * @param writerExpiryMs a writer that stored nothing for this long is forgotten; longer than any
 *     delivery time-out
 */
public record LogConfig(
    int segmentBytes,
    long segmentAgeMs,
    int indexIntervalBytes,
    int indexEntries,
    long writerExpiryMs) {
  /** 1 GiB segments of at most a week, an index entry every 16 KiB, writers kept for a week. */
  public static final LogConfig DEFAULT =
      new LogConfig(1 << 30, 7L * 86_400_000, 16 << 10, 1 << 18, 7L * 86_400_000);

  public LogConfig {
    between("sluice.tablet.storage.segment-bytes", segmentBytes, 64 << 10, 1 << 30);
    between("sluice.tablet.storage.segment-age", segmentAgeMs, 1, Long.MAX_VALUE);
    between("sluice.tablet.storage.index-interval-bytes", indexIntervalBytes, 1, 1 << 24);
    between("sluice.tablet.storage.index-entries", indexEntries, 2, 1 << 24);
    between("sluice.tablet.storage.writer-expiry", writerExpiryMs, 1, Long.MAX_VALUE);
  }

  private static void between(String name, long value, long low, long high) {
    if (value < low || value > high) {
      throw new SluiceException(
          ErrorCode.INVALID_OPTION,
          name + " is " + value + "; it must be between " + low + " and " + high);
    }
  }
}
