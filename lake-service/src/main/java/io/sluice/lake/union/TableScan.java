package io.sluice.lake.union;

import io.sluice.common.TableBucket;
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
 * @param skip a condition that every wanted row fulfils, in the words of the client's filters;
 *     batches and partitions without such rows may be left out. Empty when there is none
 */
public record TableScan(
    List<String> columns,
    Map<TableBucket, Long> start,
    Map<TableBucket, Long> end,
    boolean current,
    boolean withOffset,
    boolean withTimestamp,
    boolean withChangeType,
    String skip) {
  public TableScan {
    columns = List.copyOf(columns);
    start = Map.copyOf(start);
    end = Map.copyOf(end);
  }
}
