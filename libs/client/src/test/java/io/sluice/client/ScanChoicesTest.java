package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Filters, partitions and positions of scans. */
@Timeout(60)
class ScanChoicesTest {
  private static final TableSchema PARTITIONED =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "id", new DataType.IntegerType(64), false),
              Column.of(2, "dt", new DataType.StringType(), true)),
          List.of());

  private static FakeCluster partitioned() {
    return FakeCluster.partitioned(PARTITIONED, 2, 2, List.of("dt"), new String[0]);
  }

  private static void add(Connection connection, String dt, long from, long to) {
    try (AppendWriter writer = connection.table("demo.t").appendWriter()) {
      for (long id = from; id < to; id++) {
        writer.append(Row.of(id, dt));
      }
    }
  }

  private static void addOneByOne(Connection connection, long from, long to) {
    try (AppendWriter writer = connection.table("demo.t").appendWriter()) {
      for (long id = from; id < to; id++) {
        writer.row().setLong(0, id).setString(1, "row " + id).append();
        writer.flush();
      }
    }
  }

  private static List<Long> read(LogScanner scanner, BooleanSupplier until, List<Long> ids) {
    while (!scanner.finished() && !until.getAsBoolean()) {
      for (ScanBatch batch : scanner.poll(Duration.ofMillis(100))) {
        try (batch) {
          batch.rows().forEach(row -> ids.add(row.getLong(0)));
        }
      }
    }
    return ids;
  }

  private static List<Long> read(Scan scan) {
    try (LogScanner scanner = scan.open()) {
      return read(scanner, () -> false, new ArrayList<>());
    }
  }

  @Test
  void aBlankFilterIsRefusedAtOnce() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config())) {
      Scan scan = connection.table("demo.t").scan();
      assertThatThrownBy(() -> scan.filter(" ")).hasMessageContaining("filter is blank");
      assertThatThrownBy(() -> scan.skipBy("")).hasMessageContaining("filter is blank");
    }
  }

  @Test
  void positionsGoBehindWhatAFilterSkipsOnceTheRowsBeforeAreDelivered() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config())) {
      addOneByOne(connection, 0, 10);
      cluster.skipBatches(base -> base % 2 == 1 || base > 6);
      Table table = connection.table("demo.t");
      try (LogScanner scanner = table.scan().skipBy("id > 3").open()) {
        assertThat(read(scanner, () -> false, new ArrayList<>())).containsExactly(0L, 2L, 4L, 6L);
        assertThat(scanner.positions()).containsExactly(Map.entry(0, 10L));
      }
      cluster.skipBatches(base -> true);
      try (LogScanner scanner = table.scan().filter("id < 0").open()) {
        assertThat(read(scanner, () -> false, new ArrayList<>())).isEmpty();
        assertThat(scanner.positions()).containsExactly(Map.entry(0, 10L));
      }
    }
  }

  @Test
  void wrongFiltersAndColumnsAreNamedWhenTheScanOpens() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config())) {
      Table table = connection.table("demo.t");
      assertThatThrownBy(() -> table.scan().filter("delay > 5").open())
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_FILTER))
          .hasMessageContaining("column 'delay' does not exist");
      assertThatThrownBy(() -> table.scan().columns("id.x").open())
          .hasMessageContaining("'id.x' does not exist");
      assertThatThrownBy(() -> table.scan().partitions("dt=1").open())
          .hasMessageContaining("is not partitioned");
      assertThatThrownBy(() -> table.scan().maxBytes(0)).hasMessageContaining("at least 1");
    }
  }

  @Test
  void theScanEndsWithTheBatchThatReachesItsBytes() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config())) {
      addOneByOne(connection, 0, 10);
      Table table = connection.table("demo.t");
      List<Long> ids = new ArrayList<>();
      Map<TableBucket, Long> at = Map.of(TableBucket.of(cluster.tableId(), 0), 0L);
      for (int scans = 1; ids.size() < 10; scans++) {
        try (LogScanner scanner = table.scan().fromPositions(at).maxBytes(1).open()) {
          read(scanner, () -> false, ids);
          at = scanner.bucketPositions();
        }
        assertThat(ids).hasSize(scans);
      }
      assertThat(ids).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    }
  }

  @Test
  void aSchemaChangeEndsTheScannerWhichIsOpenedAgainAtItsPositions() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config())) {
      addOneByOne(connection, 0, 6);
      cluster.setScanCheck(
          (bucket, offset) -> {
            if (offset == 4) {
              throw new SluiceException(
                  ErrorCode.SCHEMA_CHANGED, "dropped", Map.of("next_offset", "4"), null);
            }
          });
      List<Long> ids = new ArrayList<>();
      Map<TableBucket, Long> at;
      try (LogScanner scanner = connection.table("demo.t").scan().follow().open()) {
        assertThatThrownBy(() -> read(scanner, () -> false, ids))
            .isInstanceOfSatisfying(
                SluiceException.class,
                e -> {
                  assertThat(e.code()).isEqualTo(ErrorCode.SCHEMA_CHANGED);
                  assertThat(e.details()).containsEntry("next_offset", "4");
                });
        at = scanner.bucketPositions();
      }
      assertThat(ids).containsExactly(0L, 1L, 2L, 3L);
      cluster.setScanCheck((bucket, offset) -> {});
      assertThat(read(connection.table("demo.t").scan().fromPositions(at))).containsExactly(4L, 5L);
    }
  }

  @Test
  void readsAllPartitionsOrThoseThatAreNamedOrLeftByTheFilter() {
    try (FakeCluster cluster = partitioned();
        Connection connection = Connection.open(cluster.config())) {
      add(connection, "a", 0, 10);
      add(connection, "b", 10, 15);
      Table table = connection.table("demo.t");
      assertThat(read(table.scan())).hasSize(15);
      assertThat(read(table.scan().partitions("dt=b"))).hasSize(5).allMatch(id -> id >= 10);
      assertThat(read(table.scan().filter("dt = 'a' AND id >= 0"))).hasSize(10);
      assertThat(read(table.scan().filter("dt = 'c'"))).isEmpty();
      assertThatThrownBy(() -> table.scan().partitions("dt=c").open())
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.PARTITION_NOT_FOUND))
          .hasMessageContaining("there are dt=a, dt=b");
      assertThatThrownBy(() -> table.scan().fromOffsets(Map.of(0, 0L)))
          .hasMessageContaining("use fromPositions()");
      try (LogScanner scanner = table.scan().open()) {
        assertThatThrownBy(scanner::positions).hasMessageContaining("bucketPositions()");
        read(scanner, () -> false, new ArrayList<>());
        assertThat(scanner.bucketPositions()).hasSize(4);
        assertThat(scanner.bucketPositions().values().stream().mapToLong(each -> each).sum())
            .isEqualTo(15);
        assertThat(read(table.scan().fromPositions(scanner.bucketPositions()))).isEmpty();
      }
    }
  }

  @Test
  void aFollowingScanTakesUpNewPartitionsAndLetsDroppedOnesGo() {
    try (FakeCluster cluster = partitioned();
        Connection connection = Connection.open(cluster.config())) {
      add(connection, "a", 0, 4);
      List<Long> ids = new ArrayList<>();
      try (LogScanner scanner = connection.table("demo.t").scan().follow().open()) {
        read(scanner, () -> ids.size() == 4, ids);
        add(connection, "b", 4, 9);
        read(scanner, () -> ids.size() == 9, ids);
        cluster.partitions().drop("a");
        add(connection, "b", 9, 12);
        read(scanner, () -> ids.size() == 12, ids);
        read(scanner, () -> scanner.bucketPositions().size() == 2, ids);
        Set<TableBucket> left = scanner.bucketPositions().keySet();
        assertThat(left).allMatch(bucket -> bucket.partitionId() == 11);
      }
      assertThat(ids).containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L);
    }
  }

  @Test
  void aFollowingScanWithoutPartitionsLearnsThatTheTableIsGone() {
    try (FakeCluster cluster = partitioned();
        Connection connection = Connection.open(cluster.config());
        LogScanner scanner = connection.table("demo.t").scan().follow().open()) {
      assertThat(scanner.poll(Duration.ZERO)).isEmpty();
      cluster.recreateTable();
      assertThatThrownBy(() -> scanner.poll(Duration.ofSeconds(30)))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TABLE_CHANGED));
    }
  }

  @Test
  void positionsOfADroppedPartitionFailAScanWithAnEnd() {
    try (FakeCluster cluster = partitioned();
        Connection connection = Connection.open(cluster.config())) {
      add(connection, "a", 0, 4);
      add(connection, "b", 4, 6);
      Table table = connection.table("demo.t");
      Map<TableBucket, Long> at =
          Map.of(
              new TableBucket(cluster.tableId(), 10, 0), 0L,
              new TableBucket(cluster.tableId(), 10, 1), 0L);
      assertThat(read(table.scan().fromPositions(at))).hasSize(4);
      cluster.partitions().drop("a");
      assertThatThrownBy(() -> table.scan().fromPositions(at).open())
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.PARTITION_NOT_FOUND));
    }
  }

  @Test
  void aPartitionThatIsDroppedWhileItsLeaderIsLookedForFailsTheOpeningAtOnce() throws Exception {
    try (FakeCluster cluster = partitioned();
        Connection connection = Connection.open(cluster.config())) {
      add(connection, "a", 0, 4);
      cluster.hideLeaders(true);
      Table table = connection.table("demo.t");
      CompletableFuture<LogScanner> opening =
          CompletableFuture.supplyAsync(() -> table.scan().bounded().open());
      assertThatThrownBy(() -> opening.get(300, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      cluster.partitions().drop("a");
      assertThatThrownBy(() -> opening.get(10, TimeUnit.SECONDS))
          .cause()
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.PARTITION_NOT_FOUND));
    }
  }
}
