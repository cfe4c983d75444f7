package io.sluice.client.internal;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a scan asks for.
 *
 * @param columns columns in the order wanted, null for all, empty for none
 * @param start where buckets start that have no offset of their own
 * @param timestampMs for {@link Start#TIMESTAMP}
 * @param offsets offsets of buckets, which then are the buckets scanned
 * @param ends ends (exclusive) of buckets that end before what is visible
 * @param buckets the buckets scanned, empty for all
 * @param follow whether the scan goes on as rows are added
 * @param limit at most so many rows, 0 for no limit
 * @param withOffset adds the offset column
 * @param withTimestamp adds the timestamp column
 * @param withChangeType adds the change type column
 * @param current the current rows of a primary-key table instead of its changelog
 */
public record ScanRequest(
    @Nullable List<String> columns,
    Start start,
    long timestampMs,
    Map<Integer, Long> offsets,
    Map<Integer, Long> ends,
    Set<Integer> buckets,
    boolean follow,
    long limit,
    boolean withOffset,
    boolean withTimestamp,
    boolean withChangeType,
    boolean current) {
  /** Where a bucket starts. */
  public enum Start {
    EARLIEST,
    LATEST,
    TIMESTAMP
  }
}
