package io.sluice.tiering.job;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.tiering.read.BucketLog;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides what a round reads. Every bucket with new rows gets at least one of them; when the round
 * cannot take all, the buckets share its bytes evenly, and what a bucket does not need goes to the
 * others.
 */
public final class RoundPlanner {
  /** More buckets than this would take too much memory for open files; the rest waits. */
  static final int MAX_BUCKETS = 64;

  private final long maxBytes;

  /**
   * @param maxBytes estimated stored bytes that one round reads at most, but for one row a bucket
   */
  public RoundPlanner(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** A bucket with rows that are not in the lake. */
  private record Backlog(int bucket, long start, long rows, long rowBytes) {
    /** Saturated: an estimate must not overflow. */
    long bytes() {
      return rows > Long.MAX_VALUE / rowBytes ? Long.MAX_VALUE : rows * rowBytes;
    }
  }

  /**
   * The plan of a round.
   *
   * @param path for messages
   * @param recorded recorded offset by bucket, 0 when missing
   * @param buckets what can be read
   * @throws SluiceException OFFSET_OUT_OF_RANGE when rows after a recorded offset are gone
   */
  public RoundPlan plan(
      TablePath path, Map<Integer, Long> recorded, Map<Integer, BucketLog> buckets) {
    List<Backlog> backlogs = new ArrayList<>();
    for (Map.Entry<Integer, BucketLog> entry : buckets.entrySet()) {
      int bucket = entry.getKey();
      BucketLog log = entry.getValue();
      long start = recorded.getOrDefault(bucket, 0L);
      checkReadable(path, bucket, start, log);
      if (log.stable() > start) {
        backlogs.add(new Backlog(bucket, start, log.stable() - start, log.rowBytes()));
      }
    }
    // The smallest backlog first, so that what it leaves of its share is there for the others.
    backlogs.sort(Comparator.comparingLong(Backlog::bytes).thenComparingInt(Backlog::bucket));
    boolean tooMany = backlogs.size() > MAX_BUCKETS;
    if (tooMany) {
      // Of too many, those furthest behind: the others become that in their turn.
      backlogs = backlogs.subList(backlogs.size() - MAX_BUCKETS, backlogs.size());
    }
    return shared(backlogs, tooMany);
  }

  private RoundPlan shared(List<Backlog> backlogs, boolean tooMany) {
    Map<Integer, Long> starts = new HashMap<>();
    Map<Integer, Long> ends = new HashMap<>();
    boolean more = tooMany;
    long left = maxBytes;
    for (int i = 0; i < backlogs.size(); i++) {
      Backlog backlog = backlogs.get(i);
      long share = left / (backlogs.size() - i);
      long rows = Math.max(1, Math.min(backlog.rows(), share / backlog.rowBytes()));
      more |= rows < backlog.rows();
      left = Math.max(0, left - rows * backlog.rowBytes());
      starts.put(backlog.bucket(), backlog.start());
      ends.put(backlog.bucket(), backlog.start() + rows);
    }
    return new RoundPlan(starts, ends, more);
  }

  private static void checkReadable(TablePath path, int bucket, long start, BucketLog log) {
    if (start < log.start()) {
      throw new SluiceException(
          ErrorCode.OFFSET_OUT_OF_RANGE,
          "Bucket "
              + bucket
              + " of "
              + path
              + " begins at offset "
              + log.start()
              + "; the lake ends at "
              + start
              + ", so the rows between are in neither");
    }
  }
}
