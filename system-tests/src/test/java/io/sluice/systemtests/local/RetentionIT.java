package io.sluice.systemtests.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.AppendResult;
import io.sluice.client.AppendWriter;
import io.sluice.client.BucketOffsets;
import io.sluice.client.Connection;
import io.sluice.client.LogScanner;
import io.sluice.client.Scan;
import io.sluice.client.Table;
import io.sluice.client.TableSpec;
import io.sluice.client.WriterOptions;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.format.row.Row;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Old rows go, young ones stay, and a reader that comes too late is told where the log begins. */
final class RetentionIT {
  private static final String DATABASE = "retention";
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final long TTL_MS = 1500;
  private static final int ROWS_TO_GO = 100;

  private final LocalCluster cluster = LocalCluster.shared();

  @BeforeEach
  void createDatabase() {
    try (Connection connection = cluster.connect()) {
      connection.admin().createDatabase(DATABASE, true);
    }
  }

  @Test
  void noRowYoungerThanItsTimeToLiveIsLost() {
    TablePath path = TablePath.parse(DATABASE + ".young");
    try (Connection connection = cluster.connect()) {
      create(connection, path, Map.of("table.log.ttl", TTL_MS + "ms"));
      Table table = connection.table(path.toString());
      List<Long> sentMs = new ArrayList<>();
      WriterOptions atOnce = WriterOptions.defaults().linger(Duration.ZERO);
      try (AppendWriter writer = table.appendWriter(atOnce)) {
        long deadline = System.nanoTime() + SOON.toNanos();
        do {
          assertThat(System.nanoTime()).as("time left for rows to go").isLessThan(deadline);
          for (int i = 0; i < 50; i++) {
            sentMs.add(System.currentTimeMillis());
            writer.append(row(sentMs.size() - 1)).join();
          }
        } while (checkedStart(table, sentMs) < ROWS_TO_GO);
      }
      long start = offsets(connection, path).logStart();
      assertThat(start).isPositive();
      assertOutOfRange(table.scan().fromOffsets(Map.of(0, 0L)), path);
      assertOutOfRange(table.scan().fromOffsets(Map.of(0, start - 1)), path);
    }
  }

  /** Reads everything; returns the first offset. What is missing was there for long enough. */
  private static long checkedStart(Table table, List<Long> sentMs) {
    List<Integer> ids = ScannedRows.read(table.scan().fromEarliest(), row -> row.getInt(0));
    long nowMs = System.currentTimeMillis();
    int first = sentMs.size() - ids.size();
    assertThat(ids).isEqualTo(IntStream.range(first, sentMs.size()).boxed().toList());
    if (first > 0) {
      assertThat(nowMs - sentMs.get(first - 1))
          .as("age of row %s", first - 1)
          .isGreaterThan(TTL_MS - 1);
    }
    return first;
  }

  @Test
  void aShorterTimeToLiveEmptiesAnIdleLogWhichGoesOnAtItsOffset() {
    TablePath path = TablePath.parse(DATABASE + ".idle");
    try (Connection connection = cluster.connect()) {
      create(connection, path, Map.of());
      Table table = connection.table(path.toString());
      try (AppendWriter writer = table.appendWriter();
          LogScanner follower = table.scan().follow().open()) {
        for (int id = 0; id < 100; id++) {
          writer.append(row(id));
        }
        writer.flush();
        List<Integer> followed = new ArrayList<>();
        ScannedRows.poll(
            follower, row -> followed.add(row.getInt(0)), () -> followed.size() == 100);
        connection.admin().alterOptions(path, Map.of("table.log.ttl", "1s"), Set.of());
        Await.until("the log is empty", SOON, () -> offsets(connection, path).logStart() == 100);
        assertThat(ScannedRows.read(table.scan().fromEarliest(), row -> row.getInt(0))).isEmpty();
        assertOutOfRange(table.scan().fromOffsets(Map.of(0, 99L)), path);

        connection.admin().alterOptions(path, Map.of(), Set.of("table.log.ttl"));
        AppendResult result = writer.append(row(100)).join();
        assertThat(result.offset()).isEqualTo(100);
        ScannedRows.poll(
            follower, row -> followed.add(row.getInt(0)), () -> followed.size() == 101);
        assertThat(followed).endsWith(100).doesNotHaveDuplicates();
        assertThat(ScannedRows.read(table.scan().fromEarliest(), row -> row.getInt(0)))
            .containsExactly(100);
      }
    }
  }

  private static void assertOutOfRange(Scan scan, TablePath path) {
    assertThatThrownBy(() -> ScannedRows.read(scan, row -> row.getInt(0)))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE))
        .hasMessageContaining(path.toString())
        // The start may have moved on since; it is never again what it was.
        .hasMessageMatching(".*offsets are [1-9][0-9]* to .*");
  }

  private static BucketOffsets offsets(Connection connection, TablePath path) {
    return connection.admin().listOffsets(path).get(0);
  }

  private static Row row(int id) {
    return Row.of(id, "a row that says " + id);
  }

  private static void create(Connection connection, TablePath path, Map<String, String> options) {
    TableSpec.Builder spec =
        TableSpec.of(path.toString()).column("id", "INT").column("text", "STRING").buckets(1);
    options.forEach(spec::option);
    connection.admin().createTable(spec.build());
  }
}
