package io.sluice.tablet.flight;

import io.sluice.tablet.replica.HostedTable;
import io.sluice.tablet.replica.Replica;
import java.util.List;

/**
 * A scan whose ticket has been checked.
 *
 * @param table table as it was when the scan began
 * @param schema columns returned
 * @param ranges what to read, one for each bucket
 * @param limit rows over all buckets, {@link Long#MAX_VALUE} for no limit
 * @param progress whether to send messages without rows
 * @param currentRows whether the current rows are read, whatever the ranges, not the log
 */
record ScanPlan(
    HostedTable table,
    ScanSchema schema,
    List<Range> ranges,
    long limit,
    boolean progress,
    boolean currentRows) {
  /** The end of a range that is followed for ever. */
  static final long NEVER = Long.MAX_VALUE;

  ScanPlan {
    ranges = List.copyOf(ranges);
  }

  /**
   * Offsets of one bucket.
   *
   * @param replica its replica, led by this server
   * @param start first offset wanted
   * @param end offset after the last one wanted, {@link #NEVER} to follow
   */
  record Range(Replica replica, long start, long end) {}
}
