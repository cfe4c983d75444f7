package io.sluice.tablet.flight;

import io.sluice.format.filter.BoundFilter;
import io.sluice.tablet.replica.HostedTable;
import io.sluice.tablet.replica.Replica;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A scan whose ticket has been checked.
 *
 * @param table table as it was when the scan began
 * @param schema columns returned
 * @param filter what rows must fulfil
 * @param ranges what to read, one for each bucket
 * @param limit rows over all buckets, {@link Long#MAX_VALUE} for no limit
 * @param maxBytes bytes of batches after which the scan ends, {@link Long#MAX_VALUE} for no limit
 * @param progress whether to send messages without rows
 * @param currentRows whether the current rows are read, whatever the ranges, not the log
 */
record ScanPlan(
    HostedTable table,
    ScanSchema schema,
    RowChoice filter,
    List<Range> ranges,
    long limit,
    long maxBytes,
    boolean progress,
    boolean currentRows) {
  /** The end of a range that is followed for ever. */
  static final long NEVER = Long.MAX_VALUE;

  ScanPlan {
    ranges = List.copyOf(ranges);
  }

  /**
   * Which rows are wanted.
   *
   * @param filter the condition, null for all rows
   * @param exact whether other rows are left out one by one, not only with their batch
   */
  record RowChoice(@Nullable BoundFilter filter, boolean exact) {
    /** Every row. */
    static final RowChoice ALL = new RowChoice(null, false);
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
