package io.sluice.systemtests.lake;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.Connection;
import io.sluice.client.LogScanner;
import io.sluice.client.ScanBatch;
import io.sluice.client.Table;
import io.sluice.client.TableDescription;
import io.sluice.common.TablePath;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads a log table through the Java client: its rows by bucket in offset order. */
final class LogRows {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private LogRows() {}

  /**
   * The rows from the beginning to these offsets (exclusive), buckets at 0 left out. A row is its
   * columns as {@link Values} then when it was stored.
   */
  static Map<Integer, List<List<String>>> read(
      Connection connection, TablePath path, Map<Integer, Long> ends) {
    Map<Integer, List<List<String>>> found = new HashMap<>();
    Map<Integer, Long> starts = new HashMap<>();
    ends.forEach(
        (bucket, end) -> {
          if (end > 0) {
            starts.put(bucket, 0L);
          }
        });
    if (starts.isEmpty()) {
      return found;
    }
    Map<Integer, Long> planned = new HashMap<>(ends);
    planned.keySet().retainAll(starts.keySet());
    Table table = connection.table(path.toString());
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    try (LogScanner scanner = table.scan().fromOffsets(starts).toOffsets(planned).open()) {
      while (!scanner.finished()) {
        assertThat(System.nanoTime()).as("time left to scan %s", path).isLessThan(deadline);
        for (ScanBatch batch : scanner.poll(Duration.ofSeconds(1))) {
          try (batch) {
            add(batch, table.description(), found);
          }
        }
      }
    }
    return found;
  }

  private static void add(
      ScanBatch batch, TableDescription table, Map<Integer, List<List<String>>> found) {
    List<List<String>> rows = found.computeIfAbsent(batch.bucket(), bucket -> new ArrayList<>());
    assertThat(batch.baseOffset())
        .as("bucket %s goes on without a hole", batch.bucket())
        .isEqualTo(rows.size());
    String stored =
        Values.ofLake(Instant.ofEpochMilli(batch.appendTimeMs()).atOffset(ZoneOffset.UTC));
    List<Column> columns = table.schema().columns();
    for (Row row : batch.rows()) {
      List<String> values = new ArrayList<>(columns.size() + 1);
      for (int i = 0; i < columns.size(); i++) {
        values.add(Values.ofLog(row, i, columns.get(i).type()));
      }
      values.add(stored);
      rows.add(values);
    }
  }
}
