package io.sluice.lake.union;

import java.util.List;
import java.util.Map;

/**
 * What is read of a table's log or of its current rows.
 *
 * @param columns columns, in this order; none only counts rows
 * @param start first offset of each bucket; only these buckets are read. Ignored for current rows
 * @param end exclusive end of each of these buckets
 * @param current the current rows of a primary-key table instead of a log
 * @param withOffset adds the offset column
 * @param withTimestamp adds the time column
 * @param withChangeType adds the change column
 */
public record TableScan(
    List<String> columns,
    Map<Integer, Long> start,
    Map<Integer, Long> end,
    boolean current,
    boolean withOffset,
    boolean withTimestamp,
    boolean withChangeType) {
  public TableScan {
    columns = List.copyOf(columns);
    start = Map.copyOf(start);
    end = Map.copyOf(end);
  }
}
