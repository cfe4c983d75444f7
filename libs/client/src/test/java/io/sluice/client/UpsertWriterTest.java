package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeBucket;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.PutFaults.Fault;
import io.sluice.client.fake.PutFaults.Kind;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.flight.v1.PutMetadata;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class UpsertWriterTest {
  static final TableSchema SCHEMA =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "id", new DataType.IntegerType(64), false),
              Column.of(2, "text", new DataType.StringType(), true),
              Column.of(3, "number", new DataType.IntegerType(32), true)),
          List.of("id"));

  private static final TableSchema REQUIRED =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "text", new DataType.StringType(), false),
              Column.of(2, "id", new DataType.IntegerType(64), false),
              Column.of(3, "price", new DataType.DecimalType(10, 2), false)),
          List.of("id"));

  private static int recordCount(PutMetadata put) {
    return LogBatchHeader.wrap(ByteBuffer.wrap(put.getHeader().toByteArray())).recordCount();
  }

  @Test
  void whatIsDoneToOneKeyIsDoneInOrder() throws Exception {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 3, 2, "id");
        Connection connection = Connection.open(cluster.config());
        UpsertWriter writer = connection.table("demo.t").upsertWriter()) {
      CompletableFuture<AppendResult> first = writer.upsert(Row.of(7L, "a", 1));
      writer.delete(Key.of(7L));
      writer.upsert(Row.of(8L, "c", null));
      writer.upsert(Row.of(7L, "b", 2));
      CompletableFuture<AppendResult> last = writer.delete(Row.of(8L));
      writer.flush();
      assertThat(cluster.allRows()).containsExactly(GenericRow.of(7L, "b", 2));
      AppendResult result = first.get();
      assertThat(result).isEqualTo(new AppendResult(result.bucket(), -1, false));
      assertThat(last).isCompleted();
      assertThat(cluster.rows(result.bucket()).all()).hasSize(1);
    }
  }

  @Test
  void retriesKeepTheOrderOfEachKey() {
    for (Fault fault :
        List.of(
            Fault.refuse(ErrorCode.NOT_LEADER),
            Fault.refuse(ErrorCode.BACKPRESSURE),
            Fault.of(Kind.DROP),
            Fault.of(Kind.STORE_AND_DROP))) {
      try (FakeCluster cluster = new FakeCluster(SCHEMA, 2, 1, "id");
          Connection connection = Connection.open(cluster.config().withBatchBytes(1024));
          UpsertWriter writer = connection.table("demo.t").upsertWriter()) {
        cluster.setFaults((tablet, number, put) -> number % 4 == 2 ? fault : Fault.NONE);
        for (int i = 0; i < 1000; i++) {
          writer.upsert(Row.of((long) (i % 10), "value " + i, i));
        }
        for (long id = 0; id < 5; id++) {
          writer.delete(Key.of(id));
        }
        writer.flush();
        assertThat(cluster.allRows())
            .extracting(row -> row.value(2))
            .containsExactlyInAnyOrder(995, 996, 997, 998, 999);
      }
    }
  }

  @Test
  void aPutThatIsTooLargeIsHalvedUntilItIsTaken() throws Exception {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1, "id");
        Connection connection =
            Connection.open(cluster.config().withLinger(Duration.ofMinutes(1)));
        UpsertWriter writer = connection.table("demo.t").upsertWriter()) {
      cluster.setFaults(
          (tablet, number, put) ->
              recordCount(put) > 3 ? Fault.refuse(ErrorCode.PUT_TOO_LARGE) : Fault.NONE);
      List<CompletableFuture<AppendResult>> futures = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        futures.add(writer.upsert(Row.of((long) (i % 7), "x", i)));
      }
      futures.add(writer.delete(Key.of(6L)));
      writer.flush();
      for (CompletableFuture<AppendResult> future : futures) {
        assertThat(future.get(10, TimeUnit.SECONDS).duplicate()).isFalse();
      }
      assertThat(cluster.allRows())
          .extracting(row -> row.value(2))
          .containsExactlyInAnyOrder(98, 99, 94, 95, 96, 93);
      assertThat(cluster.bucket(0).log()).allMatch(batch -> batch.rows() <= 3);
      long sequence = 0;
      for (FakeBucket.Stored batch : cluster.bucket(0).log()) {
        assertThat(batch.header().baseSequence()).isEqualTo(sequence);
        sequence = batch.header().lastSequence() + 1;
      }
      assertThat(sequence).isEqualTo(101);
    }
  }

  @Test
  void aSingleRowThatIsTooLargeFailsAloneAmongItsNeighbours() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1, "id");
        Connection connection = Connection.open(cluster.config().withBatchBytes(1024))) {
      UpsertWriter writer = connection.table("demo.t").upsertWriter();
      // The row with sequence 250 is the one.
      cluster.setFaults(
          (tablet, number, put) -> {
            LogBatchHeader header =
                LogBatchHeader.wrap(ByteBuffer.wrap(put.getHeader().toByteArray()));
            return header.baseSequence() <= 250 && header.lastSequence() >= 250
                ? Fault.refuse(ErrorCode.PUT_TOO_LARGE)
                : Fault.NONE;
          });
      List<CompletableFuture<AppendResult>> futures = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        futures.add(writer.upsert(Row.of((long) i, "some text", i)));
      }
      assertThatThrownBy(writer::flush)
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PUT_TOO_LARGE));
      for (int i = 0; i < 500; i++) {
        assertThat(futures.get(i).isCompletedExceptionally()).as("row " + i).isEqualTo(i == 250);
      }
      assertThat(cluster.allRows()).hasSize(499);
      writer.close();
    }
  }

  @Test
  void partialUpdatesLeaveOtherColumnsAsTheyAre() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 2, 1, "id");
        Connection connection = Connection.open(cluster.config());
        UpsertWriter whole = connection.table("demo.t").upsertWriter();
        UpsertWriter numbers =
            connection
                .table("demo.t")
                .upsertWriter(WriterOptions.defaults().partial("number", "id"))) {
      whole.upsert(Row.of(1L, "one", 1));
      whole.upsert(Row.of(2L, "two", 2));
      whole.flush();
      numbers.upsert(Row.of(11, 1L));
      numbers.upsert(Row.of(33, 3L));
      numbers.delete(Key.of(2L));
      numbers.flush();
      assertThat(cluster.allRows())
          .containsExactlyInAnyOrder(
              GenericRow.of(1L, "one", 11),
              GenericRow.of(2L, "two", null),
              GenericRow.of(3L, null, 33));
      assertThatThrownBy(() -> numbers.upsert(Row.of(1L, "x", 1)))
          .hasMessageContaining("writes 2 columns");
    }
  }

  @Test
  void partialUpdatesNeedTheColumnsThatARowMustHave() {
    try (FakeCluster cluster = new FakeCluster(REQUIRED, 1, 1, "id");
        Connection connection = Connection.open(cluster.config())) {
      Table table = connection.table("demo.t");
      assertThatThrownBy(
              () -> table.upsertWriter(WriterOptions.defaults().partial("text", "price")))
          .hasMessageContaining("'id' of demo.t must be among")
          .hasMessageContaining("key column");
      assertThatThrownBy(() -> table.upsertWriter(WriterOptions.defaults().partial("id", "text")))
          .hasMessageContaining("'price'")
          .hasMessageContaining("NOT NULL");
      assertThatThrownBy(() -> table.upsertWriter(WriterOptions.defaults().partial("id", "none")))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.COLUMN_NOT_FOUND));
    }
  }

  @Test
  void deletesNeedNoValuesForColumnsThatAreNotNull() {
    try (FakeCluster cluster = new FakeCluster(REQUIRED, 2, 1, "id");
        Connection connection = Connection.open(cluster.config());
        UpsertWriter writer = connection.table("demo.t").upsertWriter()) {
      writer.upsert(Row.of("a", 1L, new java.math.BigDecimal("1.50")));
      writer.upsert(Row.of("b", 2L, new java.math.BigDecimal("2.50")));
      writer.delete(Key.of(1L));
      writer.flush();
      assertThat(cluster.allRows()).extracting(row -> row.value(0)).containsExactly("b");
    }
  }

  @Test
  void rowsAndKeysThatDoNotFitAreRefusedAndLeaveTheWriterAsItWas() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 2, 1, "id");
        Connection connection = Connection.open(cluster.config());
        UpsertWriter writer = connection.table("demo.t").upsertWriter()) {
      assertThatThrownBy(() -> writer.upsert(Row.of(null, "x", 1)))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_VALUE));
      assertThatThrownBy(() -> writer.upsert(Row.of(1L, "x", "text")))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_VALUE));
      assertThatThrownBy(() -> writer.delete(Key.of("text")))
          .hasMessageContaining("primary key of demo.t, (id BIGINT)");
      assertThatThrownBy(() -> writer.delete(Key.of(1L, 2L))).hasMessageContaining("2 values");
      writer.upsert(Row.of(1L, "x", 1));
      writer.flush();
      assertThat(cluster.allRows()).containsExactly(GenericRow.of(1L, "x", 1));
    }
  }

  @Test
  void theWrongKindOfWriterNamesTheRightOne() {
    try (FakeCluster keyed = new FakeCluster(SCHEMA, 1, 1, "id");
        FakeCluster log = new FakeCluster(AppendWriterTest.SCHEMA, 1, 1);
        Connection toKeyed = Connection.open(keyed.config());
        Connection toLog = Connection.open(log.config())) {
      assertThatThrownBy(() -> toKeyed.table("demo.t").appendWriter())
          .hasMessageContaining("upsertWriter()");
      assertThatThrownBy(() -> toLog.table("demo.t").upsertWriter())
          .hasMessageContaining("appendWriter()");
      assertThatThrownBy(
              () -> toLog.table("demo.t").appendWriter(WriterOptions.defaults().partial("id")))
          .hasMessageContaining("Partial updates");
      assertThatThrownBy(
              () ->
                  toKeyed.table("demo.t").upsertWriter(WriterOptions.defaults().acks(Acks.LEADER)))
          .hasMessageContaining("in-sync replicas");
    }
  }
}
