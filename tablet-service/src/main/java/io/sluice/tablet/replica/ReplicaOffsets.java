package io.sluice.tablet.replica;

/**
 * The offsets of a replica at one moment: log start ≤ local start ≤ committed ≤ log end, stable ≤
 * visible. Log tables: visible = committed; primary-key tables: min(committed, applied).
 *
 * @param logStart the first offset that can be read
 * @param localStart the first offset on this disk
 * @param committed end of what every in-sync replica has
 * @param visible end of what readers see (the high watermark)
 * @param stable end of what is visible and forced to disk
 * @param logEnd end of the log
 * @param rowCount rows of a primary-key bucket that are applied, {@link #UNKNOWN_ROWS} when nobody
 *     knows how many they are, and for log tables
 */
public record ReplicaOffsets(
    long logStart,
    long localStart,
    long committed,
    long visible,
    long stable,
    long logEnd,
    long rowCount) {
  /** A row count that is not known. */
  public static final long UNKNOWN_ROWS = -1;
}
