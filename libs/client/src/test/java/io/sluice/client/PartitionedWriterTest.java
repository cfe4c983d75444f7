package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakePartitions;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Writers of partitioned tables: rows reach the partition of their values, by every way in. */
@Timeout(60)
class PartitionedWriterTest {
  private static final TableSchema SCHEMA =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "id", new DataType.IntegerType(64), false),
              Column.of(2, "dt", new DataType.StringType(), true),
              Column.of(3, "hour", new DataType.IntegerType(32), true)),
          List.of());

  private static FakeCluster cluster(int buckets, String... bucketKey) {
    return FakeCluster.partitioned(SCHEMA, buckets, 2, List.of("dt", "hour"), bucketKey);
  }

  private static List<Long> values(FakeCluster cluster, int buckets, String... partition) {
    FakePartitions.Partition found =
        Objects.requireNonNull(cluster.partitions().of(partition), "no such partition");
    List<Long> values = new ArrayList<>();
    for (int i = 0; i < buckets; i++) {
      values.addAll(cluster.values(found.bucket(i)));
    }
    return values;
  }

  private static ErrorCode codeOf(CompletableFuture<?> future) throws InterruptedException {
    try {
      future.get();
      throw new AssertionError("It did not fail");
    } catch (ExecutionException e) {
      return ((SluiceException) e.getCause()).code();
    }
  }

  @Test
  void everyWayInRoutesByValueAndMakesWhatIsMissing() throws Exception {
    try (FakeCluster cluster = cluster(2);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      List<CompletableFuture<AppendResult>> results = new ArrayList<>();
      for (long i = 0; i < 300; i++) {
        if (i % 3 == 0) {
          results.add(writer.append(Row.of(i, "d" + i % 2, (int) (i % 5))));
        } else if (i % 3 == 1) {
          writer.row().setLong(0, i).setString(1, "d" + i % 2).setInt(2, (int) (i % 5)).append();
        } else {
          appendArrow(writer, i, 1);
        }
      }
      writer.flush();
      assertThat(cluster.partitions().all()).hasSize(10);
      for (int day = 0; day < 2; day++) {
        for (int hour = 0; hour < 5; hour++) {
          long d = day;
          long h = hour;
          assertThat(values(cluster, 2, "d" + day, "" + hour))
              .hasSize(30)
              .allMatch(id -> id % 2 == d && id % 5 == h);
        }
      }
      assertThat(cluster.partitions().asked()).isEqualTo(10);
      assertThat(results.get(0).get().partitionId()).isPositive();
    }
  }

  /** One Arrow batch of rows that go to the partitions of their ids. */
  private static void appendArrow(AppendWriter writer, long first, int rows) {
    try (RootAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(SCHEMA), allocator)) {
      for (int i = 0; i < rows; i++) {
        long id = first + i;
        ((BigIntVector) root.getVector(0)).setSafe(i, id);
        ((VarCharVector) root.getVector(1)).setSafe(i, ("d" + id % 2).getBytes());
        ((IntVector) root.getVector(2)).setSafe(i, (int) (id % 5));
      }
      root.setRowCount(rows);
      writer.append(root);
    }
  }

  @Test
  void anArrowBatchOfSeveralPartitionsIsSplit() {
    try (FakeCluster cluster = cluster(1);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      appendArrow(writer, 0, 1000);
      writer.flush();
      assertThat(cluster.partitions().all()).hasSize(10);
      assertThat(values(cluster, 1, "d1", "3")).hasSize(100).allMatch(id -> id % 10 == 3);
    }
  }

  @Test
  void keyedRowsGoToTheBucketOfTheirKeyInEveryPartition() {
    try (FakeCluster cluster = cluster(3, "id");
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      for (long i = 0; i < 200; i++) {
        writer.row().setLong(0, i / 2).setString(1, "d" + i % 2).setInt(2, 1).append();
      }
      writer.flush();
      for (int bucket = 0; bucket < 3; bucket++) {
        assertThat(cluster.values(cluster.partitions().of("d0", "1").bucket(bucket)))
            .isEqualTo(cluster.values(cluster.partitions().of("d1", "1").bucket(bucket)));
      }
      assertThat(values(cluster, 3, "d0", "1")).hasSize(100);
    }
  }

  @Test
  void rowsWithoutAPartitionValueAreRefusedAndTheOthersStored() {
    try (FakeCluster cluster = cluster(1);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      assertThatThrownBy(() -> writer.append(Row.of(1L, null, 1)))
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining("'dt'")
          .hasMessageContaining("NULL");
      assertThatThrownBy(() -> writer.row().setLong(0, 1).setString(1, "d").append())
          .hasMessageContaining("'hour'");
      assertThatThrownBy(() -> writer.append(Row.of(1L, "", 1))).hasMessageContaining("empty");
      writer.append(Row.of(2L, "d", 1));
      writer.flush();
      assertThat(values(cluster, 1, "d", "1")).containsExactly(2L);
    }
  }

  @Test
  void valuesThatTheCoordinatorRefusesFailTheirRowsOnly() {
    try (FakeCluster cluster = cluster(1);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      cluster
          .partitions()
          .setCheck(
              values -> {
                if (values.get(0).equals("20200101")) {
                  throw new SluiceException(
                      ErrorCode.INVALID_PARTITION, "'20200101' is expired; expected yyyyMMdd");
                }
              });
      for (int i = 0; i < 50; i++) {
        assertThatThrownBy(() -> writer.append(Row.of(1L, "20200101", 1)))
            .isInstanceOfSatisfying(
                SluiceException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_PARTITION))
            .hasMessageContaining("yyyyMMdd");
      }
      writer.append(Row.of(2L, "20240101", 1));
      writer.flush();
      assertThat(cluster.partitions().all()).containsExactly(List.of("20240101", "1"));
      assertThat(cluster.partitions().asked()).isLessThan(20);
    }
  }

  @Test
  void aWriterThatMakesNoPartitionsRefusesTheirRows() {
    try (FakeCluster cluster = cluster(1);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer =
            connection
                .table("demo.t")
                .appendWriter(WriterOptions.defaults().createPartitions(false))) {
      cluster.partitions().create(List.of("d", "1"));
      writer.append(Row.of(2L, "d", 1));
      assertThatThrownBy(() -> writer.append(Row.of(1L, "d", 2)))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.PARTITION_NOT_FOUND))
          .hasMessageContaining("dt=d/hour=2")
          .hasMessageContaining("createPartitions");
      writer.flush();
      assertThat(cluster.partitions().all()).hasSize(1);
    }
  }

  @Test
  void rowsOnTheirWayIntoADroppedPartitionFailAndLaterOnesGoToANewOne() throws Exception {
    try (FakeCluster cluster = cluster(1);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      long before = writer.append(Row.of(1L, "d", 1)).get().partitionId();
      cluster.partitions().drop("d", "1");
      assertThat(codeOf(writer.append(Row.of(2L, "d", 1))))
          .isEqualTo(ErrorCode.PARTITION_NOT_FOUND);
      assertThatThrownBy(writer::flush).isInstanceOf(SluiceException.class);
      long after = writer.append(Row.of(3L, "d", 1)).get().partitionId();
      assertThat(after).isGreaterThan(before);
      assertThat(values(cluster, 1, "d", "1")).containsExactly(3L);
    }
  }

  @Test
  void aDropIsNoticedWithoutALeaderToSaySo() throws Exception {
    try (FakeCluster cluster = cluster(1);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      writer.append(Row.of(1L, "d", 1)).get();
      cluster.setFaults(
          (tablet, number, put) ->
              io.sluice.client.fake.PutFaults.Fault.refuse(ErrorCode.NOT_LEADER));
      cluster.partitions().drop("d", "1");
      assertThat(codeOf(writer.append(Row.of(2L, "d", 1))))
          .isEqualTo(ErrorCode.PARTITION_NOT_FOUND);
      assertThatThrownBy(writer::flush).hasMessageContaining("dt=d/hour=1");
    }
  }

  @Test
  void aNamedWriterIsExactlyOnceInEveryPartition() {
    try (FakeCluster cluster = cluster(2);
        Connection connection = Connection.open(cluster.config())) {
      try (AppendWriter first =
          connection.table("demo.t").appendWriter(WriterOptions.named("loader"))) {
        for (long i = 0; i < 100; i++) {
          first.append(i, Row.of(i, "d" + i / 50, 1));
        }
        first.flush();
        assertThat(first.committedSequence()).isEqualTo(99);
      }
      // A restart sends everything again; some of it goes to a partition made meanwhile.
      try (AppendWriter second =
          connection.table("demo.t").appendWriter(WriterOptions.named("loader"))) {
        cluster.partitions().create(List.of("d2", "1"));
        for (long i = 0; i < 150; i++) {
          second.append(i, Row.of(i, "d" + i / 50, 1));
        }
        second.flush();
      }
      for (int day = 0; day < 3; day++) {
        assertThat(values(cluster, 2, "d" + day, "1")).hasSize(50).doesNotHaveDuplicates();
      }
    }
  }

  @Test
  void rowsOfManyPartitionsDoNotKeepABatchOpenForEach() {
    try (FakeCluster cluster = cluster(1);
        Connection connection =
            Connection.open(
                cluster
                    .config()
                    .withBufferBytes(1 << 20)
                    .withLinger(java.time.Duration.ofMinutes(1)));
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      List<CompletableFuture<AppendResult>> rows = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        rows.add(writer.append(Row.of((long) i, "d", i)));
      }
      // The oldest batches go without waiting for the linger or a flush.
      rows.subList(0, 20).forEach(CompletableFuture::join);
      writer.flush();
      assertThat(rows).allMatch(CompletableFuture::isDone);
    }
  }

  @Test
  void roundRobinSpreadsRowsOverTheBucketsOfEachPartition() {
    try (FakeCluster cluster = cluster(4);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer =
            connection
                .table("demo.t")
                .appendWriter(WriterOptions.defaults().bucketing(Bucketing.ROUND_ROBIN))) {
      for (long i = 0; i < 400; i++) {
        writer.append(Row.of(i, "d" + i % 2, 1));
      }
      writer.flush();
      for (int bucket = 0; bucket < 4; bucket++) {
        assertThat(cluster.values(cluster.partitions().of("d0", "1").bucket(bucket))).hasSize(50);
      }
    }
  }

  @Test
  void bucketingIsForTablesWithoutABucketKey() {
    try (FakeCluster cluster = cluster(2, "id");
        Connection connection = Connection.open(cluster.config())) {
      assertThatThrownBy(
              () ->
                  connection
                      .table("demo.t")
                      .appendWriter(WriterOptions.defaults().bucketing(Bucketing.ROUND_ROBIN)))
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining("ROUND_ROBIN");
    }
  }
}
