package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeBucket;
import io.sluice.client.fake.FakeCluster;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the batches of a writer look like: their size, their codec, the columns nobody set. */
@Timeout(60)
class WrittenBatchesTest {
  private static final TableSchema SCHEMA =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "id", new DataType.IntegerType(64), false),
              Column.of(2, "text", new DataType.StringType(), true)),
          List.of());

  @Test
  void rowsLargerThanABatchAreCutByBytes() {
    String large = "x".repeat(4 << 20);
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1);
        Connection connection =
            Connection.open(cluster.config().withBatchBytes(3 << 20).withCodec(BatchCodec.NONE));
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      for (long i = 0; i < 24; i++) {
        writer.append(Row.of(i, large));
      }
      writer.flush();
      assertThat(cluster.bucket(0).log()).hasSize(24).allMatch(batch -> batch.rows() == 1);
      assertThat(cluster.values(0)).isSorted().hasSize(24);
    }
  }

  @Test
  void aBatchSizeFarTooHighIsRefusedWithTheLimit() {
    assertThatThrownBy(() -> ClientConfig.of("127.0.0.1:1").withBatchBytes(1 << 30))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("3145728");
  }

  @Test
  void aRowAboveTheLimitFailsAloneBetweenItsNeighbours() throws Exception {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      CompletableFuture<AppendResult> before = writer.append(Row.of(1L, "small"));
      CompletableFuture<AppendResult> giant = writer.append(Row.of(2L, "x".repeat(40 << 20)));
      CompletableFuture<AppendResult> after = writer.append(Row.of(3L, "small"));
      assertThat(before.get().offset()).isZero();
      assertThatThrownBy(giant::get)
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ROW_TOO_LARGE))
          .hasMessageContaining("32");
      assertThat(after.get().offset()).isEqualTo(1);
      assertThatThrownBy(writer::flush).isInstanceOf(SluiceException.class);
    }
  }

  @Test
  void aWriterThatTheServerHasForgottenGoesOn() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      for (long i = 0; i < 20; i++) {
        writer.append(Row.of(i, "x")).join();
        cluster.bucket(0).forgetWriters();
      }
      assertThat(cluster.values(0)).isSorted().hasSize(20).doesNotHaveDuplicates();
    }
  }

  @Test
  void theTableSaysHowBatchesAreCompressedUnlessTheWriterOrConnectionDoes() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1)) {
      assertThat(codec(cluster, cluster.config(), WriterOptions.defaults()))
          .isEqualTo(BatchCodec.ZSTD.id());
      cluster.setOptions(Map.of("table.log.arrow.compression.type", "none"));
      assertThat(codec(cluster, cluster.config(), WriterOptions.defaults()))
          .isEqualTo(BatchCodec.NONE.id());
      assertThat(codec(cluster, cluster.config(), WriterOptions.defaults().codec(BatchCodec.ZSTD)))
          .isEqualTo(BatchCodec.ZSTD.id());
      assertThat(
              codec(cluster, cluster.config().withCodec(BatchCodec.ZSTD), WriterOptions.defaults()))
          .isEqualTo(BatchCodec.ZSTD.id());
      cluster.setOptions(
          Map.of(
              "table.log.arrow.compression.type",
              "zstd",
              "table.log.arrow.compression.zstd.level",
              "9"));
      assertThat(codec(cluster, cluster.config(), WriterOptions.defaults()))
          .isEqualTo(BatchCodec.ZSTD.id());
    }
  }

  private static int codec(FakeCluster cluster, ClientConfig config, WriterOptions options) {
    try (Connection connection = Connection.open(config);
        AppendWriter writer = connection.table("demo.t").appendWriter(options)) {
      writer.append(Row.of(1L, "x".repeat(4096)));
      writer.flush();
    }
    List<FakeBucket.Stored> log = cluster.bucket(0).log();
    return log.get(log.size() - 1).header().codecId();
  }

  @Test
  void columnsThatARowAppenderDoesNotSetGetTheirWriteDefault() throws Exception {
    TableSchema schema =
        new TableSchema(
            1,
            List.of(
                new Column(1, "id", new DataType.IntegerType(64), false, "", null, "42"),
                Column.of(2, "text", new DataType.StringType(), true)),
            List.of());
    try (FakeCluster cluster = new FakeCluster(schema, 1, 1);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      writer.row().setString(1, "default").append();
      writer.row().setLong(0, 7).append();
      assertThatThrownBy(() -> writer.row().setNull(0)).hasMessageContaining("NOT NULL");
      writer.row().discard();
      writer.flush();
      assertThat(cluster.values(0)).containsExactly(42L, 7L);
    }
  }
}
