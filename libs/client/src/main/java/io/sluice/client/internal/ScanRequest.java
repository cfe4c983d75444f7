package io.sluice.client.internal;

import io.sluice.common.TableBucket;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a scan asks for.
 *
 * @param columns columns and paths of nested fields in the order wanted, null for all, empty for
 *     none
 * @param start where buckets start that have no offset of their own
 * @param timestampMs for {@link Start#TIMESTAMP}
 * @param offsets offsets of buckets, which then are the buckets scanned
 * @param ends ends (exclusive) of buckets that end before what is visible
 * @param buckets numbers of the buckets scanned, in each partition, empty for all
 * @param partitions names of the partitions scanned, empty for all
 * @param filter a condition, empty for none
 * @param exact whether only rows come that fulfil the filter
 * @param follow whether the scan goes on as rows are added
 * @param limit at most so many rows, 0 for no limit
 * @param maxBytes ends once so many bytes have come, 0 for no limit
 * @param metadata the metadata columns added
 * @param current the current rows of a primary-key table instead of its changelog
 */
public record ScanRequest(
    @Nullable List<String> columns,
    Start start,
    long timestampMs,
    Map<TableBucket, Long> offsets,
    Map<TableBucket, Long> ends,
    Set<Integer> buckets,
    Set<String> partitions,
    String filter,
    boolean exact,
    boolean follow,
    long limit,
    long maxBytes,
    Metadata metadata,
    boolean current) {
  public ScanRequest {
    offsets = Map.copyOf(offsets);
    ends = Map.copyOf(ends);
    buckets = Set.copyOf(buckets);
    partitions = Set.copyOf(partitions);
  }

  /** Where a bucket starts. */
  public enum Start {
    EARLIEST,
    LATEST,
    TIMESTAMP
  }

  /** Columns beyond those of the table, in the order of the components. */
  public record Metadata(boolean offset, boolean timestamp, boolean changeType) {}

  /** Whether it has a condition. */
  boolean filtered() {
    return !filter.isEmpty();
  }

  /**
   * Whether offsets must be asked for though the application did not: where a batch of chosen rows
   * that is cut at the limit is to go on, only the row's offset tells.
   */
  boolean needsOffsets() {
    return exact && limit > 0 && !metadata.offset() && !current;
  }
}
