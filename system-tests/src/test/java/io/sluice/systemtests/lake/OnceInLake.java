package io.sluice.systemtests.lake;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.Connection;
import io.sluice.common.TablePath;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The invariant once-in-lake and its sister chain: for every bucket the rows of the lake are the
 * rows of the log up to the recorded offset, each once and with the same values.
 */
final class OnceInLake {
  private static final Duration SETTLING = Duration.ofSeconds(90);

  private OnceInLake() {}

  /** Checks the lake as it is now; returns the number of its rows. */
  static long check(Lake lake, Connection connection, TablePath path) {
    LakeTable table = lake.table(path);
    table.checkChain();
    if (!table.hasSnapshot()) {
      return 0;
    }
    Map<Integer, List<List<String>>> inLake = table.rows();
    Map<Integer, List<List<String>>> inLog = LogRows.read(connection, path, table.offsets());
    assertThat(inLake.keySet()).isEqualTo(inLog.keySet());
    inLake.forEach((bucket, rows) -> checkBucket(path, bucket, rows, inLog.get(bucket)));
    return table.rowCount();
  }

  private static void checkBucket(
      TablePath path, int bucket, List<List<String>> inLake, List<List<String>> inLog) {
    assertThat(inLake.size()).as("rows of %s-%s", path, bucket).isEqualTo(inLog.size());
    for (int offset = 0; offset < inLake.size(); offset++) {
      if (!inLake.get(offset).equals(inLog.get(offset))) {
        throw new AssertionError(
            "Offset %d of %s-%d is %s in the lake and %s in the log"
                .formatted(offset, path, bucket, inLake.get(offset), inLog.get(offset)));
      }
    }
  }

  /**
   * Waits until everything that is in the log now is in the lake and recorded; then checks. Nobody
   * may write meanwhile. Returns the number of rows.
   */
  static long settle(Lake lake, Connection connection, TablePath path) {
    Map<Integer, Long> ends = new TreeMap<>();
    connection.admin().listOffsets(path).forEach((bucket, log) -> ends.put(bucket, log.visible()));
    ends.values().removeIf(end -> end == 0);
    Await.until(
        "the lake has " + ends + " of " + path,
        SETTLING,
        () -> withoutZeros(lake.table(path).offsets()).equals(ends));
    Await.until(
        "the coordinator records " + ends + " of " + path,
        SETTLING,
        () -> withoutZeros(lake.recordedOffsets(path)).equals(ends));
    long rows = check(lake, connection, path);
    assertThat(rows).isEqualTo(ends.values().stream().mapToLong(Long::longValue).sum());
    return rows;
  }

  private static Map<Integer, Long> withoutZeros(Map<Integer, Long> offsets) {
    Map<Integer, Long> positive = new TreeMap<>(offsets);
    positive.values().removeIf(end -> end == 0);
    return positive;
  }
}
