package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LogScannerTest {
  private static final Duration SOON = Duration.ofSeconds(10);

  private static void load(Connection connection, long from, long to) {
    try (AppendWriter writer =
        connection.table("demo.t").appendWriter(WriterOptions.defaults().batchBytes(1024))) {
      for (long i = from; i < to; i++) {
        writer.row().setLong(0, i).setString(1, "row " + i).append();
      }
    }
  }

  private static FakeCluster cluster(int buckets, int tablets) {
    return new FakeCluster(AppendWriterTest.SCHEMA, buckets, tablets);
  }

  /** The first column by bucket, until the scan is finished. */
  private static Map<Integer, List<Long>> readAll(LogScanner scanner) {
    Map<Integer, List<Long>> rows = new TreeMap<>();
    while (!scanner.finished()) {
      take(scanner, rows);
    }
    assertThat(scanner.poll(Duration.ZERO)).isEmpty();
    return rows;
  }

  private static int take(LogScanner scanner, Map<Integer, List<Long>> rows) {
    int count = 0;
    for (ScanBatch batch : scanner.poll(Duration.ofMillis(200))) {
      try (batch) {
        List<Long> bucket = rows.computeIfAbsent(batch.bucket(), each -> new ArrayList<>());
        assertThat(batch.nextOffset() - batch.baseOffset()).isEqualTo(batch.rowCount());
        for (Row row : batch.rows()) {
          bucket.add(row.getLong(0));
          assertThat(row.getString(1)).isEqualTo("row " + row.getLong(0));
        }
        count += batch.rowCount();
      }
    }
    return count;
  }

  private static void assertSame(FakeCluster cluster, Map<Integer, List<Long>> rows) {
    rows.forEach((bucket, values) -> assertThat(values).isEqualTo(cluster.values(bucket)));
    int count = rows.values().stream().mapToInt(List::size).sum();
    assertThat(count).isEqualTo(cluster.allValues().size());
  }

  @Test
  void readsEveryBucketOfEveryServerOnce() {
    try (FakeCluster cluster = cluster(5, 2);
        Connection connection = Connection.open(cluster.config())) {
      load(connection, 0, 3000);
      try (LogScanner scanner = connection.table("demo.t").scan().open()) {
        assertSame(cluster, readAll(scanner));
        assertThat(scanner.bytesReceived()).isGreaterThan(3000);
        for (int i = 0; i < 5; i++) {
          assertThat(scanner.positions()).containsEntry(i, cluster.bucket(i).end());
        }
      }
      assertThat(cluster.tablet(1).scans() + cluster.tablet(2).scans()).isEqualTo(2);
    }
  }

  @Test
  void anEmptyTableIsFinishedAtOnce() {
    try (FakeCluster cluster = cluster(2, 1);
        Connection connection = Connection.open(cluster.config());
        LogScanner scanner = connection.table("demo.t").scan().open()) {
      assertThat(scanner.finished()).isTrue();
      assertThat(scanner.poll(SOON)).isEmpty();
    }
  }

  @Test
  void brokenStreamsGoOnWithoutLossOrRepeat() {
    try (FakeCluster cluster = cluster(3, 2);
        Connection connection = Connection.open(cluster.config())) {
      load(connection, 0, 3000);
      cluster.breakScans((tablet, number) -> number < 8 ? number : Integer.MAX_VALUE);
      try (LogScanner scanner = connection.table("demo.t").scan().open()) {
        assertSame(cluster, readAll(scanner));
      }
      assertThat(cluster.tablet(1).scans()).isGreaterThan(2);
    }
  }

  /** no-dup: rows sent twice end the scan with the reason; it does not reconnect for ever. */
  @Test
  void aServerThatSendsRowsAgainEndsTheScan() {
    try (FakeCluster cluster = cluster(1, 1);
        Connection connection = Connection.open(cluster.config().withBatchBytes(1024))) {
      load(connection, 0, 1000);
      cluster.ignoreScanStarts();
      cluster.breakScans((tablet, number) -> 1);
      try (LogScanner scanner = connection.table("demo.t").scan().open()) {
        assertThatThrownBy(() -> readAll(scanner))
            .hasMessageContaining("demo.t")
            .hasMessageContaining("sent rows from 0");
        assertThat(scanner.positions().get(0)).isPositive().isLessThan(1000);
      }
    }
  }

  @Test
  void theEndStaysWhereItWasWhenOpened() {
    try (FakeCluster cluster = cluster(1, 1);
        Connection connection = Connection.open(cluster.config())) {
      load(connection, 0, 1000);
      cluster.breakScans((tablet, number) -> number == 1 ? 1 : Integer.MAX_VALUE);
      try (LogScanner scanner = connection.table("demo.t").scan().open()) {
        load(connection, 1000, 2000);
        assertThat(readAll(scanner).get(0)).isEqualTo(LongStream.range(0, 1000).boxed().toList());
      }
    }
  }

  @Test
  void aFollowingScanIsPushedNewRowsAlsoAfterARestart() {
    try (FakeCluster cluster = cluster(2, 1);
        Connection connection = Connection.open(cluster.config());
        LogScanner scanner = connection.table("demo.t").scan().follow().open()) {
      Map<Integer, List<Long>> rows = new TreeMap<>();
      for (int round = 0; round < 3; round++) {
        load(connection, round * 100, round * 100 + 100);
        int[] count = {rows.values().stream().mapToInt(List::size).sum()};
        int expected = (round + 1) * 100;
        Await.until("rows", SOON, () -> (count[0] += take(scanner, rows)) >= expected);
        cluster.tablet(1).stop();
        cluster.tablet(1).start();
      }
      assertSame(cluster, rows);
      assertThat(scanner.finished()).isFalse();
    }
  }

  @Test
  void followsABucketToItsNewLeader() {
    try (FakeCluster cluster = cluster(1, 2);
        Connection connection = Connection.open(cluster.config())) {
      load(connection, 0, 100);
      try (LogScanner scanner = connection.table("demo.t").scan().follow().open()) {
        Map<Integer, List<Long>> rows = new TreeMap<>();
        int[] count = {0};
        Await.until("rows", SOON, () -> (count[0] += take(scanner, rows)) >= 100);
        cluster.bucket(0).moveTo(2);
        load(connection, 100, 200);
        Await.until("rows", SOON, () -> (count[0] += take(scanner, rows)) >= 200);
        assertSame(cluster, rows);
      }
    }
  }

  @Test
  void limitCutsTheLastBatch() {
    try (FakeCluster cluster = cluster(1, 1);
        Connection connection = Connection.open(cluster.config())) {
      load(connection, 0, 1000);
      try (LogScanner scanner = connection.table("demo.t").scan().limit(777).open()) {
        assertThat(readAll(scanner).get(0)).isEqualTo(LongStream.range(0, 777).boxed().toList());
        assertThat(scanner.positions()).containsEntry(0, 777L);
      }
    }
  }

  @Test
  void limitCutsBatchesOfSeveralServersAlsoWithoutColumns() {
    try (FakeCluster cluster = cluster(2, 2);
        Connection connection = Connection.open(cluster.config())) {
      load(connection, 0, 1000);
      for (int limit : new int[] {1, 333, 501, 999}) {
        int counted = 0;
        try (LogScanner scanner =
            connection.table("demo.t").scan().noColumns().limit(limit).open()) {
          while (!scanner.finished()) {
            for (ScanBatch batch : scanner.poll(SOON)) {
              try (batch) {
                counted += batch.rowCount();
              }
            }
          }
        }
        assertThat(counted).isEqualTo(limit);
      }
    }
  }

  @Test
  void goesOnAtThePositionsOfAnother() {
    try (FakeCluster cluster = cluster(2, 1);
        Connection connection = Connection.open(cluster.config())) {
      load(connection, 0, 1000);
      Map<Integer, Long> positions;
      Map<Integer, List<Long>> rows;
      try (LogScanner scanner = connection.table("demo.t").scan().open()) {
        rows = readAll(scanner);
        positions = scanner.positions();
      }
      load(connection, 1000, 1500);
      try (LogScanner scanner = connection.table("demo.t").scan().fromOffsets(positions).open()) {
        readAll(scanner).forEach((bucket, more) -> rows.get(bucket).addAll(more));
      }
      assertSame(cluster, rows);
      assertThatThrownBy(
              () -> connection.table("demo.t").scan().fromOffsets(Map.of(0, 9999L)).open())
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE));
    }
  }

  @Test
  void endsAtThePlannedOffsets() {
    try (FakeCluster cluster = cluster(2, 1);
        Connection connection = Connection.open(cluster.config())) {
      load(connection, 0, 1000);
      Table table = connection.table("demo.t");
      Map<Integer, Long> planned;
      try (LogScanner scanner = table.scan().open()) {
        readAll(scanner);
        planned = scanner.positions();
      }
      load(connection, 1000, 1500);
      try (LogScanner scanner = table.scan().toOffsets(planned).open()) {
        Map<Integer, List<Long>> rows = readAll(scanner);
        assertThat(rows.get(0).size() + rows.get(1).size()).isEqualTo(1000);
        assertThat(scanner.positions()).isEqualTo(planned);
      }
      long visible = connection.admin().listOffsets(table.description().path()).get(0).visible();
      assertThatThrownBy(() -> table.scan().toOffsets(Map.of(0, visible + 1)).open())
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE));
      assertThatThrownBy(() -> table.scan().follow().toOffsets(Map.of(0, 1L)).open())
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }
  }

  @Test
  void aScannerThatIsNotPolledHoldsBackItsServer() {
    try (FakeCluster cluster = cluster(1, 1);
        Connection connection = Connection.open(cluster.config().withScanBufferBytes(64 * 1024))) {
      try (AppendWriter writer =
          connection
              .table("demo.t")
              .appendWriter(
                  WriterOptions.defaults().codec(io.sluice.format.batch.BatchCodec.NONE))) {
        for (long i = 0; i < 64; i++) {
          writer.append(Row.of(i, "x".repeat(100_000))).join();
        }
      }
      try (LogScanner idle = connection.table("demo.t").scan().open();
          LogScanner busy = connection.table("demo.t").scan().open()) {
        long count = 0;
        while (!busy.finished()) {
          for (ScanBatch batch : busy.poll(SOON)) {
            count += batch.rowCount();
            batch.close();
          }
        }
        assertThat(count).isEqualTo(64);
        assertThat(idle.bytesReceived()).isLessThan(1_000_000);
        count = 0;
        while (!idle.finished()) {
          for (ScanBatch batch : idle.poll(SOON)) {
            count += batch.rowCount();
            batch.close();
          }
        }
        assertThat(count).isEqualTo(64);
      }
    }
  }

  @Test
  void failuresThatStayAreReportedAfterWhatCameBefore() {
    try (FakeCluster cluster = cluster(1, 1);
        Connection connection = Connection.open(cluster.config())) {
      load(connection, 0, 100);
      try (LogScanner scanner = connection.table("demo.t").scan().follow().open()) {
        Map<Integer, List<Long>> rows = new TreeMap<>();
        int[] count = {0};
        Await.until("rows", SOON, () -> (count[0] += take(scanner, rows)) >= 100);
        cluster.recreateTable();
        cluster.tablet(1).stop();
        cluster.tablet(1).start();
        assertThatThrownBy(
                () -> {
                  while (true) {
                    scanner.poll(SOON);
                  }
                })
            .isInstanceOfSatisfying(
                SluiceException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.TABLE_CHANGED));
      }
    }
  }

  @Test
  void unknownColumnsTablesAndBucketsAreNamed() {
    try (FakeCluster cluster = cluster(2, 1);
        Connection connection = Connection.open(cluster.config())) {
      assertThatThrownBy(() -> connection.table("demo.missing"))
          .hasMessageContaining("demo.missing");
      Table table = connection.table("demo.t");
      assertThatThrownBy(() -> table.scan().columns("nope").open()).hasMessageContaining("nope");
      assertThatThrownBy(() -> table.scan().buckets(7).open()).hasMessageContaining("7");
    }
  }

  @Test
  void batchesOutliveTheScannerAndNothingLeaks() {
    try (FakeCluster cluster = cluster(1, 1);
        Connection connection = Connection.open(cluster.config())) {
      load(connection, 0, 500);
      LogScanner scanner = connection.table("demo.t").scan().open();
      List<ScanBatch> batches = scanner.poll(SOON);
      scanner.close();
      scanner.close();
      assertThat(batches.get(0).rows().iterator().next().getLong(0)).isZero();
      batches.forEach(ScanBatch::close);
      assertThatThrownBy(() -> scanner.poll(Duration.ZERO)).hasMessageContaining("closed");
    }
  }
}
