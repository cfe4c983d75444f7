package io.sluice.client;

/**
 * Offsets of a bucket at one moment.
 *
 * @param logStart the first offset that can be read
 * @param visible end of what readers see (the high watermark)
 * @param stable end of what is visible and forced to disk
 * @param logEnd end of the leader's log
 * @param leaderEpoch epoch of the leader that answered
 * @param sizeBytes bytes on the leader's disk
 * @param rowCount rows of a primary-key bucket, -1 when it is not known; see {@link Table#count}
 */
public record BucketOffsets(
    long logStart,
    long visible,
    long stable,
    long logEnd,
    int leaderEpoch,
    long sizeBytes,
    long rowCount) {

  /** The offsets of a bucket whose rows are not counted. */
  public BucketOffsets(
      long logStart, long visible, long stable, long logEnd, int leaderEpoch, long sizeBytes) {
    this(logStart, visible, stable, logEnd, leaderEpoch, sizeBytes, -1);
  }
}
