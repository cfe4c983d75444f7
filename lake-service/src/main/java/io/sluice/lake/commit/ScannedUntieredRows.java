package io.sluice.lake.commit;

import io.sluice.client.BucketOffsets;
import io.sluice.client.Connection;
import io.sluice.client.LogScanner;
import io.sluice.client.ScanBatch;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.lake.commit.LakeOffsets.Bucket;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Scans one row without columns at the lake's offset of each bucket that has rows beyond it. */
public final class ScannedUntieredRows implements UntieredRows {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final Duration POLL = Duration.ofMillis(200);

  private final Connection connection;

  public ScannedUntieredRows(Connection connection) {
    this.connection = connection;
  }

  @Override
  public long oldestMs(TablePath table, LakeOffsets offsets) {
    Map<Integer, Long> starts = new HashMap<>();
    Map<Integer, Long> ends = new HashMap<>();
    for (Map.Entry<Integer, BucketOffsets> entry :
        connection.admin().listOffsets(table).entrySet()) {
      int bucket = entry.getKey();
      // Rows that the log no longer has are in the lake or lost; neither is waiting.
      long next = Math.max(offsets.offset(new Bucket(0, bucket)), entry.getValue().logStart());
      if (entry.getValue().visible() > next) {
        starts.put(bucket, next);
        ends.put(bucket, next + 1);
      }
    }
    return starts.isEmpty() ? NONE : oldest(table, starts, ends);
  }

  private long oldest(TablePath table, Map<Integer, Long> starts, Map<Integer, Long> ends) {
    long oldest = Long.MAX_VALUE;
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    try (LogScanner scanner =
        connection.table(table).scan().noColumns().fromOffsets(starts).toOffsets(ends).open()) {
      while (!scanner.finished()) {
        for (ScanBatch batch : scanner.poll(POLL)) {
          try (batch) {
            oldest = Math.min(oldest, batch.appendTimeMs());
          }
        }
        if (System.nanoTime() - deadline > 0) {
          throw new SluiceException(
              ErrorCode.TIMEOUT, "Table " + table + " did not send a row within " + TIMEOUT);
        }
      }
    }
    return oldest == Long.MAX_VALUE ? NONE : oldest;
  }
}
