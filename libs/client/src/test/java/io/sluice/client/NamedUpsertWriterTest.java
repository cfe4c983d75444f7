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
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NamedUpsertWriterTest {
  private static final WriterOptions NAMED = WriterOptions.named("loader");

  @Test
  void aRestartedWriterDoesNotRepeatWhatIsStored() {
    try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 3, 2, "id");
        Connection connection = Connection.open(cluster.config().withBatchBytes(1024))) {
      Table table = connection.table("demo.t");
      cluster.setFaults(
          (tablet, number, put) -> number % 4 == 0 ? Fault.of(Kind.STORE_AND_DROP) : Fault.NONE);
      try (UpsertWriter writer = table.upsertWriter(NAMED)) {
        load(writer, 0, 1000);
        writer.flush();
        assertThat(writer.committedSequence()).isEqualTo(999_000);
      }
      cluster.setFaults((tablet, number, put) -> Fault.NONE);
      try (UpsertWriter other = table.upsertWriter()) {
        other.upsert(Row.of(3L, "other", -1));
      }
      try (UpsertWriter writer = table.upsertWriter(NAMED)) {
        assertThat(writer.committedSequence()).isPositive().isLessThanOrEqualTo(999_000);
        // The source begins anew, as it would without knowing the position.
        load(writer, 0, 1000);
        writer.flush();
        assertThat(cluster.allRows()).contains(GenericRow.of(3L, "other", -1)).hasSize(10);
        load(writer, 1000, 1004);
      }
      assertThat(cluster.allRows())
          .extracting(row -> row.value(2))
          .containsExactlyInAnyOrder(1000, 1001, 1002, 1003, 994, 995, 996, 997, 998, 999);
    }
  }

  /** Row i goes to key i mod 10, under a position that leaves gaps. */
  private static void load(UpsertWriter writer, int from, int to) {
    for (int i = from; i < to; i++) {
      long key = i % 10;
      if (i % 7 == 3 && i < 990) {
        writer.delete(1000L * i, Key.of(key));
      } else {
        writer.upsert(1000L * i, Row.of(key, "value " + i, i));
      }
    }
  }

  @Test
  void aPutThatIsTooLargeIsHalvedWithTheSequencesOfItsRows() {
    try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 1, 1, "id");
        Connection connection =
            Connection.open(cluster.config().withLinger(Duration.ofMinutes(1)))) {
      cluster.setFaults(
          (tablet, number, put) ->
              LogBatchHeader.wrap(ByteBuffer.wrap(put.getHeader().toByteArray())).recordCount() > 3
                  ? Fault.refuse(ErrorCode.PUT_TOO_LARGE)
                  : Fault.NONE);
      try (UpsertWriter writer = connection.table("demo.t").upsertWriter(NAMED)) {
        for (int i = 0; i < 10; i++) {
          writer.upsert(100 + 10L * i, Row.of((long) i, "x", i));
        }
        writer.flush();
        assertThat(writer.committedSequence()).isEqualTo(190);
      }
      assertThat(cluster.allRows()).hasSize(10);
      // Each part ends at the position of its last row, however the rows came together in puts.
      long sequence = 0;
      int rows = 0;
      for (FakeBucket.Stored batch : cluster.bucket(0).log()) {
        rows += batch.header().recordCount();
        assertThat(batch.header().recordCount()).isLessThanOrEqualTo(3);
        assertThat(batch.header().baseSequence()).isEqualTo(sequence);
        assertThat(batch.header().lastSequence()).isEqualTo(100 + 10L * (rows - 1));
        sequence = batch.header().lastSequence() + 1;
      }
    }
  }

  @Test
  void aRowThatIsTooLargeEndsTheWriterAndTheNextOneGoesOn() throws Exception {
    // However rows come together in puts, the writer has all of them before one is refused.
    CountDownLatch allWritten = new CountDownLatch(1);
    try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 1, 1, "id");
        Connection connection =
            Connection.open(cluster.config().withLinger(Duration.ofMinutes(1)))) {
      cluster.setFaults(
          (tablet, number, put) -> {
            LogBatchHeader header =
                LogBatchHeader.wrap(ByteBuffer.wrap(put.getHeader().toByteArray()));
            awaitUnchecked(allWritten);
            return header.baseSequence() <= 3 && header.lastSequence() >= 3
                ? Fault.refuse(ErrorCode.PUT_TOO_LARGE)
                : Fault.NONE;
          });
      UpsertWriter writer = connection.table("demo.t").upsertWriter(NAMED);
      for (int i = 0; i < 6; i++) {
        writer.upsert(i, Row.of((long) i, "x", i));
      }
      allWritten.countDown();
      assertThatThrownBy(writer::flush)
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PUT_TOO_LARGE));
      assertThatThrownBy(() -> writer.upsert(6, Row.of(6L, "x", 6)))
          .hasMessageContaining("open it again");
      assertThatThrownBy(() -> writer.delete(7, Key.of(7L))).isInstanceOf(SluiceException.class);
      writer.close();
      assertThat(cluster.allRows()).extracting(row -> row.value(2)).doesNotContain(3, 4, 5);
      cluster.setFaults((tablet, number, put) -> Fault.NONE);
      List<CompletableFuture<AppendResult>> rows = new ArrayList<>();
      try (UpsertWriter next = connection.table("demo.t").upsertWriter(NAMED)) {
        assertThat(next.committedSequence()).isEqualTo(2);
        for (int i = 0; i < 6; i++) {
          rows.add(next.upsert(i, Row.of((long) i, "x", i)));
        }
      }
      for (int i = 0; i < 6; i++) {
        assertThat(rows.get(i).get().duplicate()).as("row %s", i).isEqualTo(i < 3);
      }
      assertThat(cluster.allRows()).hasSize(6);
    }
  }

  private static void awaitUnchecked(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void anOlderInstanceIsFenced() {
    try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 1, 1, "id");
        Connection connection = Connection.open(cluster.config())) {
      UpsertWriter old = connection.table("demo.t").upsertWriter(NAMED);
      old.upsert(0, Row.of(0L, "old", 0)).join();
      UpsertWriter now = connection.table("demo.t").upsertWriter(NAMED);
      assertThatThrownBy(() -> old.upsert(1, Row.of(0L, "late", 1)).join())
          .hasRootCauseInstanceOf(SluiceException.class);
      assertThatThrownBy(old::close).isInstanceOf(SluiceException.class);
      now.upsert(1, Row.of(0L, "now", 1)).join();
      now.close();
      assertThat(cluster.allRows()).isEqualTo(List.of(GenericRow.of(0L, "now", 1)));
    }
  }

  @Test
  void positionsMustGrowAndBelongToNamedWriters() {
    try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 1, 1, "id");
        Connection connection = Connection.open(cluster.config());
        UpsertWriter named = connection.table("demo.t").upsertWriter(NAMED);
        UpsertWriter nameless = connection.table("demo.t").upsertWriter()) {
      named.upsert(5, Row.of(0L, "x", 1)).join();
      assertThatThrownBy(() -> named.delete(5, Key.of(0L))).hasMessageContaining("grow");
      assertThatThrownBy(() -> named.upsert(Row.of(0L, "x", 1))).hasMessageContaining("sequences");
      assertThatThrownBy(() -> named.delete(Key.of(0L))).hasMessageContaining("sequences");
      assertThatThrownBy(() -> nameless.upsert(0, Row.of(0L, "x", 1)))
          .hasMessageContaining("named");
      assertThatThrownBy(() -> nameless.delete(0, Key.of(0L))).hasMessageContaining("named");
      named.flush();
      assertThat(named.committedSequence()).isEqualTo(5);
      assertThat(nameless.committedSequence()).isEqualTo(-1);
    }
  }
}
