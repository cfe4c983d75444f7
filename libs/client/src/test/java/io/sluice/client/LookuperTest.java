package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.PutFaults.Fault;
import io.sluice.client.fake.PutFaults.Kind;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LookuperTest {
  private static void load(Connection connection, int rows) {
    try (UpsertWriter writer = connection.table("demo.t").upsertWriter()) {
      for (int i = 0; i < rows; i++) {
        writer.upsert(Row.of((long) i, "text " + i, i * 2));
      }
    }
  }

  private static ErrorCode codeOf(CompletableFuture<?> failed) throws Exception {
    try {
      failed.get(20, TimeUnit.SECONDS);
      throw new AssertionError("The lookup did not fail");
    } catch (ExecutionException e) {
      return ((SluiceException) e.getCause()).code();
    }
  }

  @Test
  void findsRowsAndMissesKeysThatAreNotThere() {
    try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 3, 2, "id");
        Connection connection = Connection.open(cluster.config())) {
      load(connection, 100);
      Lookuper lookuper = connection.table("demo.t").lookuper();
      Row row = lookuper.find(Key.of(42)).orElseThrow();
      assertThat(row.getLong(0)).isEqualTo(42);
      assertThat(row.getString(1)).isEqualTo("text 42");
      assertThat(row.getInt(2)).isEqualTo(84);
      assertThat(lookuper.find(Key.of(100L))).isEmpty();
    }
  }

  @Test
  void rowsHaveTheColumnsAskedForInThatOrder() {
    try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 2, 1, "id");
        Connection connection = Connection.open(cluster.config())) {
      load(connection, 10);
      Row row = connection.table("demo.t").lookuper("number", "id").find(Key.of(3L)).orElseThrow();
      assertThat(row.columnCount()).isEqualTo(2);
      assertThat(row.getInt(0)).isEqualTo(6);
      assertThat(row.getLong(1)).isEqualTo(3);
      assertThatThrownBy(() -> connection.table("demo.t").lookuper("none"))
          .hasMessageContaining("'none' does not exist");
    }
  }

  @Test
  void manyLookupsShareRequestsAndFindTheirOwnRows() throws Exception {
    try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 4, 2, "id");
        Connection connection = Connection.open(cluster.config())) {
      load(connection, 2000);
      Lookuper lookuper = connection.table("demo.t").lookuper();
      List<CompletableFuture<Optional<Row>>> found = new ArrayList<>();
      for (long id = 0; id < 4000; id++) {
        found.add(lookuper.lookup(Key.of(id)));
      }
      for (int id = 0; id < 4000; id++) {
        Optional<Row> row = found.get(id).get(20, TimeUnit.SECONDS);
        assertThat(row.isPresent()).isEqualTo(id < 2000);
        if (row.isPresent()) {
          assertThat(row.get().getLong(0)).isEqualTo(id);
        }
      }
      int requests = cluster.tablet(1).lookupRequests() + cluster.tablet(2).lookupRequests();
      assertThat(requests).isLessThan(2000);
    }
  }

  @Test
  void answersOutOfOrderReachTheirOwnLookups() throws Exception {
    try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 1, 1, "id");
        Connection connection = Connection.open(cluster.config())) {
      load(connection, 10);
      cluster.setLookupFaults((tablet, number, request) -> Fault.of(Kind.STORE_AND_HOLD));
      Lookuper lookuper = connection.table("demo.t").lookuper();
      CompletableFuture<Optional<Row>> first = lookuper.lookup(Key.of(1L));
      Await.until("held", Duration.ofSeconds(10), () -> cluster.tablet(1).heldAnswers() == 1);
      CompletableFuture<Optional<Row>> second = lookuper.lookup(Key.of(2L));
      Await.until("held", Duration.ofSeconds(10), () -> cluster.tablet(1).heldAnswers() == 2);
      CompletableFuture<Optional<Row>> third = lookuper.lookup(Key.of(3L));
      CompletableFuture<Optional<Row>> fourth = lookuper.lookup(Key.of(99L));
      assertThat(cluster.tablet(1).lookupRequests()).isEqualTo(2);
      cluster.setLookupFaults((tablet, number, request) -> Fault.NONE);
      cluster.tablet(1).releaseAnswers();
      assertThat(first.get(10, TimeUnit.SECONDS).orElseThrow().getLong(0)).isEqualTo(1);
      assertThat(second.get(10, TimeUnit.SECONDS).orElseThrow().getLong(0)).isEqualTo(2);
      assertThat(third.get(10, TimeUnit.SECONDS).orElseThrow().getLong(0)).isEqualTo(3);
      assertThat(fourth.get(10, TimeUnit.SECONDS)).isEmpty();
      assertThat(cluster.tablet(1).lookupRequests()).isEqualTo(3);
    }
  }

  @Test
  void followsALeaderThatMovesAndAServerThatRestarts() {
    try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 2, 2, "id");
        Connection connection = Connection.open(cluster.config())) {
      load(connection, 50);
      Lookuper lookuper = connection.table("demo.t").lookuper();
      assertThat(lookuper.find(Key.of(1L))).isPresent();
      cluster.bucket(0).moveTo(2);
      cluster.bucket(1).moveTo(1);
      for (long id = 0; id < 50; id++) {
        assertThat(lookuper.find(Key.of(id)).orElseThrow().getLong(0)).isEqualTo(id);
      }
      cluster.tablet(1).stop();
      cluster.tablet(2).stop();
      CompletableFuture<Optional<Row>> waiting = lookuper.lookup(Key.of(7L));
      cluster.tablet(1).start();
      cluster.tablet(2).start();
      assertThat(waiting.join()).isPresent();
    }
  }

  @Test
  void failuresThatPassAreRetried() {
    for (Fault fault :
        List.of(
            Fault.refuse(ErrorCode.NOT_LEADER),
            Fault.refuse(ErrorCode.LEADER_NOT_READY),
            Fault.of(Kind.DROP))) {
      try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 2, 1, "id");
          Connection connection = Connection.open(cluster.config())) {
        load(connection, 20);
        cluster.setLookupFaults((tablet, number, request) -> number % 3 == 1 ? fault : Fault.NONE);
        Lookuper lookuper = connection.table("demo.t").lookuper();
        for (long id = 0; id < 20; id++) {
          assertThat(lookuper.find(Key.of(id)).orElseThrow().getLong(0)).isEqualTo(id);
        }
      }
    }
  }

  @Test
  void otherFailuresAndTimeOutsAreReported() throws Exception {
    try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 2, 1, "id");
        Connection connection =
            Connection.open(cluster.config().withRequestTimeout(Duration.ofSeconds(1)))) {
      load(connection, 20);
      Lookuper lookuper = connection.table("demo.t").lookuper();
      cluster.setLookupFaults((tablet, number, request) -> Fault.refuse(ErrorCode.CORRUPT_STORAGE));
      assertThat(codeOf(lookuper.lookup(Key.of(1L)))).isEqualTo(ErrorCode.CORRUPT_STORAGE);
      cluster.setLookupFaults((tablet, number, request) -> Fault.refuse(ErrorCode.NOT_LEADER));
      CompletableFuture<Optional<Row>> refused = lookuper.lookup(Key.of(1L));
      assertThat(codeOf(refused)).isEqualTo(ErrorCode.TIMEOUT);
      assertThatThrownBy(refused::join).hasMessageContaining("last: Server");
      cluster.setLookupFaults((tablet, number, request) -> Fault.of(Kind.STORE_AND_HOLD));
      assertThat(codeOf(lookuper.lookup(Key.of(1L)))).isEqualTo(ErrorCode.TIMEOUT);
      cluster.setLookupFaults((tablet, number, request) -> Fault.NONE);
      assertThat(lookuper.find(Key.of(1L))).isPresent();
    }
  }

  @Test
  void aDroppedTableAndAClosedLookuperEndLookups() throws Exception {
    try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 1, 1, "id");
        Connection connection = Connection.open(cluster.config())) {
      load(connection, 10);
      Lookuper closed = connection.table("demo.t").lookuper();
      cluster.setLookupFaults((tablet, number, request) -> Fault.of(Kind.STORE_AND_HOLD));
      CompletableFuture<Optional<Row>> underWay = closed.lookup(Key.of(1L));
      closed.close();
      closed.close();
      assertThat(codeOf(underWay)).isEqualTo(ErrorCode.CANCELLED);
      assertThatThrownBy(() -> closed.lookup(Key.of(1L))).hasMessageContaining("was closed");
      cluster.setLookupFaults((tablet, number, request) -> Fault.NONE);
      Lookuper dropped = connection.table("demo.t").lookuper();
      cluster.recreateTable();
      assertThat(codeOf(dropped.lookup(Key.of(1L)))).isEqualTo(ErrorCode.TABLE_CHANGED);
    }
  }

  @Test
  void keysThatDoNotFitAreRefused() {
    try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 1, 1, "id");
        FakeCluster log = new FakeCluster(AppendWriterTest.SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config());
        Connection toLog = Connection.open(log.config())) {
      Lookuper lookuper = connection.table("demo.t").lookuper();
      assertThatThrownBy(() -> lookuper.lookup(Key.of("seven")))
          .hasMessageContaining("(id BIGINT)")
          .hasMessageContaining("is a String");
      assertThatThrownBy(() -> lookuper.lookup(Key.of())).hasMessageContaining("0 values");
      assertThatThrownBy(() -> Key.of(1L, null)).hasMessageContaining("Value 1 of the key is null");
      assertThatThrownBy(() -> toLog.table("demo.t").lookuper())
          .hasMessageContaining("no primary key");
    }
  }
}
