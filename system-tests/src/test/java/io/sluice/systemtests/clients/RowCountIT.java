package io.sluice.systemtests.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.AppendWriter;
import io.sluice.client.Connection;
import io.sluice.client.Key;
import io.sluice.client.ScanBatch;
import io.sluice.client.Table;
import io.sluice.client.TableSpec;
import io.sluice.client.UpsertWriter;
import io.sluice.client.WriterOptions;
import io.sluice.common.TablePath;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.row.Row;
import io.sluice.systemtests.local.LocalCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A scan of no columns counts rows, whatever batches and codecs they lie in. */
final class RowCountIT {
  private static final String DATABASE = "counts";
  private static final String TABLE = "ten_rows";
  private static final String KEYED_TABLE = "ten_keys";
  private static final String PATH = DATABASE + "." + TABLE;

  private final LocalCluster cluster = LocalCluster.shared();

  /** Ten rows in batches of every codec, long enough to compress. */
  @BeforeEach
  void write() {
    try (Connection connection = cluster.connect()) {
      connection.admin().createDatabase(DATABASE, true);
      connection.admin().dropTable(TablePath.parse(PATH), true);
      connection
          .admin()
          .createTable(
              TableSpec.of(PATH).column("a", "INT").column("b", "STRING").buckets(1).build());
      append(connection, BatchCodec.NONE, 0, 3);
      append(connection, BatchCodec.LZ4, 3, 8);
      append(connection, BatchCodec.ZSTD, 8, 10);
    }
  }

  private static void append(Connection connection, BatchCodec codec, int from, int to) {
    try (AppendWriter writer =
        connection.table(PATH).appendWriter(WriterOptions.defaults().codec(codec))) {
      for (int i = from; i < to; i++) {
        writer.append(Row.of(i, "text ".repeat(100)));
      }
    }
  }

  @Test
  void ourClientCountsAllRowsFromAnywhere() {
    try (Connection connection = cluster.connect()) {
      assertThat(Scans.count(connection.table(PATH).scan())).isEqualTo(10);
      assertThat(Scans.count(connection.table(PATH).scan().fromOffsets(Map.of(0, 4L))))
          .isEqualTo(6);
      assertThat(Scans.count(connection.table(PATH).scan().limit(4))).isEqualTo(4);
      List<Long> offsets = new ArrayList<>();
      Scans.read(
          connection.table(PATH).scan().noColumns().withOffset(),
          batch -> offsets.addAll(firstColumn(batch)));
      assertThat(offsets).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    }
  }

  private static List<Long> firstColumn(ScanBatch batch) {
    List<Long> values = new ArrayList<>();
    batch.rows().forEach(row -> values.add(row.getLong(0)));
    return values;
  }

  @Test
  void rowsThatWereDeletedAreNotCounted() throws Exception {
    try (Connection connection = cluster.connect();
        BufferAllocator allocator = new RootAllocator()) {
      Table table = createKeyed(connection);
      try (UpsertWriter writer = table.upsertWriter()) {
        for (int i = 0; i < 10; i++) {
          writer.upsert(Row.of(i, "text"));
        }
        writer.delete(Key.of(3));
        writer.delete(Key.of(7));
      }
      assertThat(Scans.count(table.scan().current())).isEqualTo(8);

      int[] rows = new int[1];
      Scans.readStock(
          allocator,
          cluster.flightPort(1),
          "{\"scan\":{\"database\":\"%s\",\"table\":\"%s\",\"noColumns\":true,\"kvScan\":true}}"
              .formatted(DATABASE, KEYED_TABLE),
          root -> rows[0] += root.getRowCount());
      assertThat(rows[0]).isEqualTo(8);
    }
  }

  private static Table createKeyed(Connection connection) {
    String path = DATABASE + "." + KEYED_TABLE;
    connection
        .admin()
        .createTable(
            TableSpec.of(path)
                .requiredColumn("a", "INT")
                .column("b", "STRING")
                .primaryKey("a")
                .buckets(2)
                .build());
    return connection.table(path);
  }

  @Test
  void arrowsOwnClientCountsAllRows() throws Exception {
    int[] rows = new int[1];
    try (BufferAllocator allocator = new RootAllocator()) {
      Scans.readStock(
          allocator,
          cluster.flightPort(1),
          "{\"scan\":{\"database\":\"%s\",\"table\":\"%s\",\"noColumns\":true}}"
              .formatted(DATABASE, TABLE),
          root -> {
            assertThat(root.getFieldVectors()).isEmpty();
            rows[0] += root.getRowCount();
          });
    }
    assertThat(rows[0]).isEqualTo(10);
  }

  @Test
  void partitionsAreCountedTogetherAloneAndByFilter() throws Exception {
    try (Connection connection = cluster.connect();
        BufferAllocator allocator = new RootAllocator()) {
      Table log = createPartitioned(connection, "parts", false);
      Table keyed = createPartitioned(connection, "keyed_parts", true);
      assertThat(Scans.count(log.scan())).isZero();
      try (AppendWriter appends = log.appendWriter();
          UpsertWriter upserts = keyed.upsertWriter()) {
        for (int i = 0; i < 90; i++) {
          appends.append(Row.of(i, "p" + i % 3));
          upserts.upsert(Row.of(i, "p" + i % 3));
        }
        upserts.delete(Key.of(4, "p1"));
      }
      assertThat(Scans.count(log.scan())).isEqualTo(90);
      assertThat(Scans.count(log.scan().limit(37))).isEqualTo(37);
      assertThat(Scans.count(log.scan().partitions("b=p0", "b=p2"))).isEqualTo(60);
      assertThat(Scans.count(log.scan().filter("b = 'p1'"))).isEqualTo(30);
      assertThat(Scans.count(log.scan().filter("b <> 'p1' AND a < 10"))).isEqualTo(7);
      assertThat(Scans.count(keyed.scan().current())).isEqualTo(89);
      assertThat(Scans.count(keyed.scan().current().partitions("b=p1"))).isEqualTo(29);

      int[] rows = new int[1];
      Scans.readStock(
          allocator,
          cluster.flightPort(2),
          "{\"scan\":{\"database\":\"%s\",\"table\":\"parts\",\"noColumns\":true}}"
              .formatted(DATABASE),
          root -> rows[0] += root.getRowCount());
      assertThat(rows[0]).isEqualTo(90);
    }
  }

  private static Table createPartitioned(Connection connection, String name, boolean keyed) {
    String path = DATABASE + "." + name;
    TableSpec.Builder spec =
        TableSpec.of(path)
            .requiredColumn("a", "INT")
            .requiredColumn("b", "STRING")
            .partitionedBy("b")
            .buckets(2);
    connection.admin().createTable((keyed ? spec.primaryKey("a", "b") : spec).build());
    return connection.table(path);
  }
}
