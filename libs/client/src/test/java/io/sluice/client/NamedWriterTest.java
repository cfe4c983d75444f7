package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.PutFaults.Fault;
import io.sluice.client.fake.PutFaults.Kind;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NamedWriterTest {
  private static final WriterOptions NAMED = WriterOptions.named("loader");

  @Test
  void aRestartedWriterGoesOnWhereItsSourceIsStored() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 4, 2);
        Connection connection = Connection.open(cluster.config())) {
      Table table = connection.table("demo.t");
      try (AppendWriter writer = table.appendWriter(NAMED)) {
        assertThat(writer.committedSequence()).isEqualTo(-1);
        for (long i = 0; i < 5000; i++) {
          writer.append(i, Row.of(i, "x"));
        }
        writer.flush();
        assertThat(writer.committedSequence()).isEqualTo(4999);
      }
      try (AppendWriter writer = table.appendWriter(NAMED)) {
        assertThat(writer.committedSequence()).isEqualTo(4999);
        // The source repeats some rows, as it would without knowing the position.
        for (long i = 3000; i < 9000; i++) {
          AppendResult result = i < 5000 ? writer.append(i, Row.of(i, "x")).join() : null;
          if (result == null) {
            writer.append(i, Row.of(i, "x"));
          } else {
            assertThat(result.duplicate()).isTrue();
          }
        }
        writer.flush();
        assertThat(writer.committedSequence()).isEqualTo(8999);
      }
      assertThat(cluster.allValues())
          .containsExactlyInAnyOrderElementsOf(LongStream.range(0, 9000).boxed().toList());
    }
  }

  @Test
  void gapsInPositionsAndKeysThatSpreadThemAreFine() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 3, 1, "id");
        Connection connection = Connection.open(cluster.config().withBatchBytes(1024))) {
      cluster.setFaults(
          (tablet, number, put) -> number % 4 == 0 ? Fault.of(Kind.STORE_AND_DROP) : Fault.NONE);
      try (AppendWriter writer = connection.table("demo.t").appendWriter(NAMED)) {
        for (long i = 0; i < 1000; i++) {
          writer.append(i * 1_000_000, Row.of(i, "x"));
        }
        writer.flush();
      }
      cluster.setFaults((tablet, number, put) -> Fault.NONE);
      try (AppendWriter writer = connection.table("demo.t").appendWriter(NAMED)) {
        assertThat(writer.committedSequence()).isPositive().isLessThan(999_000_000);
        for (long i = 0; i < 1100; i++) {
          writer.append(i * 1_000_000, Row.of(i, "x"));
        }
        writer.flush();
      }
      assertThat(cluster.allValues())
          .containsExactlyInAnyOrderElementsOf(LongStream.range(0, 1100).boxed().toList());
    }
  }

  @Test
  void whoHearsThatARowIsStoredFindsItCommitted() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter(NAMED)) {
      for (long i = 0; i < 20; i++) {
        long committed =
            writer.append(i, Row.of(i, "x")).thenApply(r -> writer.committedSequence()).join();
        assertThat(committed).isEqualTo(i);
      }
    }
  }

  @Test
  void anOlderInstanceIsFenced() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config())) {
      AppendWriter old = connection.table("demo.t").appendWriter(NAMED);
      old.append(0, Row.of(0L, "x")).join();
      AppendWriter now = connection.table("demo.t").appendWriter(NAMED);
      assertThatThrownBy(() -> old.append(1, Row.of(1L, "old")).join())
          .hasRootCauseInstanceOf(SluiceException.class);
      assertThatThrownBy(() -> old.append(2, Row.of(2L, "old")))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FENCED_WRITER));
      assertThatThrownBy(old::close).isInstanceOf(SluiceException.class);
      now.append(1, Row.of(10L, "now")).join();
      now.close();
      assertThat(cluster.values(0)).containsExactly(0L, 10L);
    }
  }

  @Test
  void positionsMustGrowAndBelongToNamedWriters() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config());
        AppendWriter named = connection.table("demo.t").appendWriter(NAMED);
        AppendWriter nameless = connection.table("demo.t").appendWriter()) {
      named.append(5, Row.of(0L, "x")).join();
      assertThatThrownBy(() -> named.append(5, Row.of(0L, "x"))).hasMessageContaining("grow");
      assertThatThrownBy(() -> named.append(Row.of(0L, "x"))).hasMessageContaining("sequence");
      assertThatThrownBy(() -> nameless.append(0, Row.of(0L, "x"))).hasMessageContaining("named");
      assertThat(named.committedSequence()).isEqualTo(5);
    }
  }

  /** durable-ack, no-dup: a row that failed is never taken for stored by the next of its name. */
  @Test
  void aFailedRowEndsTheWriterAndTheNextOneStoresIt() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config())) {
      cluster.setFaults(
          (tablet, number, put) ->
              number == 2 ? Fault.refuse(ErrorCode.CORRUPT_BATCH) : Fault.NONE);
      AppendWriter writer = connection.table("demo.t").appendWriter(NAMED);
      writer.append(0, Row.of(0L, "x")).join();
      assertThatThrownBy(() -> writer.append(1, Row.of(1L, "x")).join())
          .isInstanceOf(RuntimeException.class);
      assertThatThrownBy(() -> writer.append(2, Row.of(2L, "x")))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_BATCH))
          .hasMessageContaining("demo.t")
          .hasMessageContaining("open it again");
      assertThat(writer.committedSequence()).isZero();
      assertThatThrownBy(writer::close).isInstanceOf(SluiceException.class);
      try (AppendWriter next = connection.table("demo.t").appendWriter(NAMED)) {
        assertThat(next.committedSequence()).isZero();
        for (long i = 0; i < 4; i++) {
          assertThat(next.append(i, Row.of(i, "x")).join().duplicate()).isEqualTo(i == 0);
        }
      }
      assertThat(cluster.values(0)).containsExactly(0L, 1L, 2L, 3L);
    }
  }

  @Test
  void rowsGivenUpAreStoredByTheNextOfTheName() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 2, 1);
        Connection connection =
            Connection.open(cluster.config().withDeliveryTimeout(Duration.ofSeconds(1)))) {
      AppendWriter writer = connection.table("demo.t").appendWriter(NAMED);
      writer.append(0, Row.of(0L, "x")).join();
      cluster.tablet(1).stop();
      assertThatThrownBy(() -> writer.append(1, Row.of(1L, "x")).join())
          .hasCauseInstanceOf(SluiceException.class);
      cluster.tablet(1).start();
      assertThatThrownBy(() -> writer.append(2, Row.of(2L, "x")))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));
      assertThatThrownBy(writer::close).isInstanceOf(SluiceException.class);
      try (Connection again = Connection.open(cluster.config());
          AppendWriter next = again.table("demo.t").appendWriter(NAMED)) {
        for (long i = next.committedSequence() + 1; i < 4; i++) {
          next.append(i, Row.of(i, "x"));
        }
      }
      assertThat(cluster.allValues()).containsExactly(0L, 1L, 2L, 3L);
    }
  }

  @Test
  void aRowTooLargeLetsThoseBeforeItThroughAndNoneAfterIt() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 1, 1);
        Connection connection =
            Connection.open(cluster.config().withLinger(Duration.ofMinutes(1)))) {
      AppendWriter writer = connection.table("demo.t").appendWriter(NAMED);
      CompletableFuture<AppendResult> before = writer.append(0, Row.of(0L, "x"));
      writer.append(1, Row.of(1L, "g".repeat((32 << 20) + 1)));
      assertThatThrownBy(writer::flush)
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ROW_TOO_LARGE));
      assertThat(before.join().offset()).isZero();
      assertThatThrownBy(() -> writer.append(2, Row.of(2L, "x")))
          .hasMessageContaining("larger than");
      writer.close();
      assertThat(cluster.values(0)).containsExactly(0L);
      try (AppendWriter next = connection.table("demo.t").appendWriter(NAMED)) {
        assertThat(next.committedSequence()).isZero();
        next.append(1, Row.of(1L, "small now"));
      }
      assertThat(cluster.values(0)).containsExactly(0L, 1L);
    }
  }
}
