package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.PutFaults.Fault;
import io.sluice.client.fake.PutFaults.Kind;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lookups that make the rows they do not find, and counts of rows. */
@Timeout(60)
class InsertingLookupTest {
  private static final TableSchema DAYS =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "dt", new DataType.StringType(), false),
              Column.of(2, "id", new DataType.IntegerType(64), false),
              Column.of(3, "name", new DataType.StringType(), true)),
          List.of("dt", "id"));

  @Test
  void makesMissingRowsAndLeavesOthersAlone() throws Exception {
    try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 3, 2, "id");
        Connection connection = Connection.open(cluster.config())) {
      Table table = connection.table("demo.t");
      try (UpsertWriter writer = table.upsertWriter()) {
        writer.upsert(Row.of(1L, "one", 1));
      }
      Lookuper lookuper = table.lookuper();
      assertThat(lookuper.findOrInsert(Key.of(1L)).getString(1)).isEqualTo("one");
      Row made = lookuper.findOrInsert(Key.of(2L));
      assertThat(made.getLong(0)).isEqualTo(2);
      assertThat(made.isNull(1)).isTrue();
      List<CompletableFuture<Row>> many = new ArrayList<>();
      for (long id = 0; id < 500; id++) {
        many.add(lookuper.lookupOrInsert(Key.of(id % 100)));
      }
      for (int i = 0; i < 500; i++) {
        assertThat(many.get(i).get(20, TimeUnit.SECONDS).getLong(0)).isEqualTo(i % 100);
      }
      assertThat(table.count()).isEqualTo(100);
      assertThatThrownBy(() -> lookuper.lookupOrInsert(Key.of("x")))
          .hasMessageContaining("(id BIGINT)");
    }
  }

  @Test
  void aMissingPartitionIsMadeOnceAndRefusalsAreReported() throws Exception {
    try (FakeCluster cluster = FakeCluster.partitioned(DAYS, 2, 2, List.of("dt"), "id");
        Connection connection = Connection.open(cluster.config())) {
      Lookuper lookuper = connection.table("demo.t").lookuper();
      assertThat(lookuper.find(Key.of("monday", 1L))).isEmpty();
      List<CompletableFuture<Row>> many = new ArrayList<>();
      for (long id = 0; id < 200; id++) {
        many.add(lookuper.lookupOrInsert(Key.of("monday", id)));
      }
      for (CompletableFuture<Row> each : many) {
        assertThat(each.get(20, TimeUnit.SECONDS).getString(0)).isEqualTo("monday");
      }
      assertThat(cluster.partitions().all()).containsExactly(List.of("monday"));
      assertThat(lookuper.find(Key.of("monday", 7L))).isPresent();
      assertThat(connection.table("demo.t").count()).isEqualTo(200);
      cluster
          .partitions()
          .setCheck(
              values -> {
                throw new SluiceException(ErrorCode.INVALID_PARTITION, "No partition " + values);
              });
      assertThatThrownBy(() -> lookuper.findOrInsert(Key.of("sunday", 1L)))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_PARTITION));
    }
  }

  @Test
  void failuresThatPassAreRetried() {
    for (Fault fault : List.of(Fault.refuse(ErrorCode.NOT_LEADER), Fault.of(Kind.DROP))) {
      try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 2, 1, "id");
          Connection connection = Connection.open(cluster.config())) {
        cluster.setLookupFaults((tablet, number, request) -> number % 3 == 1 ? fault : Fault.NONE);
        Lookuper lookuper = connection.table("demo.t").lookuper();
        for (long id = 0; id < 10; id++) {
          assertThat(lookuper.findOrInsert(Key.of(id)).getLong(0)).isEqualTo(id);
        }
      }
    }
  }

  @Test
  void closingEndsThem() {
    try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 1, 1, "id");
        Connection connection = Connection.open(cluster.config())) {
      cluster.setLookupFaults((tablet, number, request) -> Fault.of(Kind.STORE_AND_HOLD));
      Lookuper lookuper = connection.table("demo.t").lookuper();
      CompletableFuture<Row> underWay = lookuper.lookupOrInsert(Key.of(1L));
      lookuper.close();
      assertThatThrownBy(underWay::join).hasMessageContaining("was closed");
    }
  }

  @Test
  void closingEndsThoseWhosePartitionCannotBeMadeYet() throws Exception {
    try (FakeCluster cluster = FakeCluster.partitioned(DAYS, 2, 2, List.of("dt"), "id");
        Connection connection = Connection.open(cluster.config())) {
      AtomicInteger asked = new AtomicInteger();
      cluster
          .partitions()
          .setCheck(
              values -> {
                asked.incrementAndGet();
                throw new SluiceException(ErrorCode.UNAVAILABLE, "Not now");
              });
      CompletableFuture<Row> underWay =
          connection.table("demo.t").lookuper().lookupOrInsert(Key.of("monday", 1L));
      Await.until("the partition is asked for", Duration.ofSeconds(20), () -> asked.get() > 0);
      connection.close();
      assertThatThrownBy(() -> underWay.get(20, TimeUnit.SECONDS))
          .hasMessageContaining("was closed");
    }
  }

  @Test
  void rowsAreCountedWhereTheyAreKnown() {
    try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 3, 2, "id");
        FakeCluster log = new FakeCluster(AppendWriterTest.SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config());
        Connection toLog = Connection.open(log.config())) {
      Table table = connection.table("demo.t");
      assertThat(table.count()).isZero();
      try (UpsertWriter writer = table.upsertWriter()) {
        for (long id = 0; id < 50; id++) {
          writer.upsert(Row.of(id, "x", 1));
        }
      }
      assertThat(table.count()).isEqualTo(50);
      cluster.stopCountingRows();
      assertThatThrownBy(table::count)
          .hasMessageContaining("table.changelog.image")
          .hasMessageContaining("scan().current()");
      assertThatThrownBy(() -> toLog.table("demo.t").count())
          .hasMessageContaining("demo.t is a log table");
      cluster.recreateTable();
      assertThatThrownBy(table::count).hasMessageContaining("was dropped");
    }
  }
}
