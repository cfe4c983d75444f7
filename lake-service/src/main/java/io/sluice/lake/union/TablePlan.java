package io.sluice.lake.union;

import io.sluice.client.TableDescription;
import io.sluice.common.TableBucket;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How one table of a query is read: fixed when it is made, whatever is written afterwards.
 *
 * @param table the table
 * @param variant which view of it
 * @param lake the part in the lake; null when the lake is not read
 * @param tail the part in the log, bucket by bucket, only buckets with rows
 * @param current whether the current rows of a primary-key table are read, which takes no tail
 * @param visible the visible end of each bucket when the plan was made
 * @param rowCount the current rows when the plan was made, -1 when they would have to be read
 * @param notices what the reader of the result has to know
 */
public record TablePlan(
    TableDescription table,
    TableVariant variant,
    @Nullable LakeView lake,
    Map<TableBucket, Range> tail,
    boolean current,
    Map<TableBucket, Long> visible,
    long rowCount,
    List<String> notices) {
  /** What every plan promises. */
  public static final String GUARANTEE =
      "Each bucket is read as a prefix of its log that contains every write acknowledged before"
          + " planning; there is no single instant across buckets.";

  public TablePlan {
    tail = Map.copyOf(tail);
    visible = Map.copyOf(visible);
    notices = List.copyOf(notices);
  }

  /** Offsets [start, end). */
  public record Range(long start, long end) {}

  /** Number of offsets in the tail. */
  public long tailOffsets() {
    long offsets = 0;
    for (Range range : tail.values()) {
      offsets += range.end() - range.start();
    }
    return offsets;
  }
}
