package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What writers, scans and lookups do when the leader of a bucket changes. */
@Timeout(60)
class LeaderChangeTest {
  /** Well below the silence after which a server is given up, and the pauses of a busy one. */
  private static final Duration SOON = Duration.ofSeconds(8);

  private static final TableSchema KEYED =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "id", new DataType.IntegerType(64), false),
              Column.of(2, "text", new DataType.StringType(), true)),
          List.of("id"));

  private static List<Long> range(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  private static void append(AppendWriter writer, long from, long to) {
    for (long i = from; i < to; i++) {
      writer.row().setLong(0, i).setString(1, "row " + i).append();
    }
  }

  @Test
  void putsFollowTheLeaderThatARefusalNames() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 1, 2);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      append(writer, 0, 10);
      writer.flush();
      cluster.hideMovesFromTheCoordinator();
      cluster.bucket(0).moveTo(2);
      append(writer, 10, 20);
      writer.flush();
      assertThat(cluster.values(0)).isEqualTo(range(0, 20));
      assertThat(cluster.tablet(2).puts()).isPositive();
    }
  }

  @Test
  void lookupsFollowTheLeaderThatARefusalNames() {
    try (FakeCluster cluster = new FakeCluster(KEYED, 1, 2, "id");
        Connection connection = Connection.open(cluster.config());
        UpsertWriter writer = connection.table("demo.t").upsertWriter();
        Lookuper lookuper = connection.table("demo.t").lookuper()) {
      writer.upsert(Row.of(1L, "one"));
      writer.flush();
      assertThat(lookuper.find(Key.of(1L))).isPresent();
      cluster.hideMovesFromTheCoordinator();
      cluster.bucket(0).moveTo(2);
      assertThat(lookuper.find(Key.of(1L))).isPresent();
      assertThat(cluster.tablet(2).lookupRequests()).isOne();
    }
  }

  @Test
  void putsThatALeaderDoesNotAnswerGoToTheNextOne() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 1, 2);
        Connection connection = Connection.open(cluster.config().withBatchBytes(1024));
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      append(writer, 0, 10);
      writer.flush();
      // The first batch is stored and its answer never comes; those after it are lost.
      AtomicInteger put = new AtomicInteger();
      cluster.setFaults(
          (tablet, number, metadata) ->
              tablet == 2
                  ? Fault.NONE
                  : Fault.of(put.getAndIncrement() == 0 ? Kind.STORE_AND_HOLD : Kind.IGNORE));
      append(writer, 10, 200);
      Await.until("the leader has some of them", SOON, () -> cluster.tablet(1).puts() > 2);
      cluster.bucket(0).moveTo(2);
      long start = System.nanoTime();
      writer.flush();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
      cluster.tablet(1).releaseAnswers();
      assertThat(cluster.values(0)).isEqualTo(range(0, 200));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "id"})
  void aLeaderThatDoesNotAnswerHoldsUpNoRowsOfOthers(String bucketKey) {
    String[] key = bucketKey.isEmpty() ? new String[0] : new String[] {bucketKey};
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 2, 2, key);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      cluster.setFaults(
          (tablet, number, metadata) -> tablet == 1 ? Fault.of(Kind.STORE_AND_HOLD) : Fault.NONE);
      int[] written = {0};
      Await.until(
          "as much is unanswered as holds rows back",
          SOON,
          () -> {
            append(writer, written[0], ++written[0]);
            return cluster.tablet(1).heldAnswers() >= 8;
          });
      long before = cluster.bucket(1).end();
      Await.until(
          "rows for the other leader arrive",
          SOON,
          () -> {
            append(writer, written[0], ++written[0]);
            return cluster.bucket(1).end() >= before + 20;
          });
      assertThat(cluster.tablet(1).heldAnswers()).isPositive();
      cluster.setFaults((tablet, number, metadata) -> Fault.NONE);
      cluster.tablet(1).releaseAnswers();
      writer.flush();
      assertThat(cluster.bucket(0).end() + cluster.bucket(1).end()).isEqualTo(written[0]);
    }
  }

  @Test
  void lookupsThatALeaderDoesNotAnswerGoToTheNextOne() {
    try (FakeCluster cluster = new FakeCluster(KEYED, 1, 2, "id");
        Connection connection = Connection.open(cluster.config());
        UpsertWriter writer = connection.table("demo.t").upsertWriter();
        Lookuper lookuper = connection.table("demo.t").lookuper()) {
      writer.upsert(Row.of(1L, "one"));
      writer.flush();
      cluster.setLookupFaults(
          (tablet, number, request) -> tablet == 1 ? Fault.of(Kind.IGNORE) : Fault.NONE);
      CompletableFuture<?> found = lookuper.lookup(Key.of(1L));
      Await.until("the leader was asked", SOON, () -> cluster.tablet(1).lookupRequests() > 0);
      cluster.bucket(0).moveTo(2);
      Await.until("the next one has answered", SOON, found::isDone);
      assertThat(found).isCompleted();
    }
  }

  /** One that nobody but clients reaches never hears that it was replaced. */
  @Test
  void putsLeaveALeaderThatIsNeverReady() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 1, 2);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      append(writer, 0, 10);
      writer.flush();
      cluster.setFaults(
          (tablet, number, put) ->
              tablet == 1 ? Fault.refuse(ErrorCode.LEADER_NOT_READY) : Fault.NONE);
      int before = cluster.lookUps();
      append(writer, 10, 20);
      Await.until("it tries again", SOON, () -> cluster.tablet(1).puts() > 5);
      cluster.bucket(0).moveTo(2);
      long start = System.nanoTime();
      writer.flush();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
      assertThat(cluster.values(0)).isEqualTo(range(0, 20));
      // It was not in doubt after each refusal.
      assertThat(cluster.lookUps() - before).isLessThan(cluster.tablet(1).puts());
    }
  }

  @Test
  void lookupsLeaveALeaderThatIsNeverReady() {
    try (FakeCluster cluster = new FakeCluster(KEYED, 1, 2, "id");
        Connection connection = Connection.open(cluster.config());
        UpsertWriter writer = connection.table("demo.t").upsertWriter();
        Lookuper lookuper = connection.table("demo.t").lookuper()) {
      writer.upsert(Row.of(1L, "one"));
      writer.flush();
      cluster.setLookupFaults(
          (tablet, number, request) ->
              tablet == 1 ? Fault.refuse(ErrorCode.LEADER_NOT_READY) : Fault.NONE);
      int before = cluster.lookUps();
      CompletableFuture<?> found = lookuper.lookup(Key.of(1L));
      Await.until("it tries again", SOON, () -> cluster.tablet(1).lookupRequests() > 5);
      cluster.bucket(0).moveTo(2);
      Await.until("the next one has answered", SOON, found::isDone);
      assertThat(found).isCompleted();
      assertThat(cluster.lookUps() - before).isLessThan(cluster.tablet(1).lookupRequests());
    }
  }

  @Test
  void aScanThatIsSentNothingGoesOnAtTheNextLeader() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 1, 2);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      append(writer, 0, 10);
      writer.flush();
      try (LogScanner scanner = connection.table("demo.t").scan().fromEarliest().follow().open()) {
        List<Long> rows = new ArrayList<>();
        Await.until("ten rows came", SOON, () -> poll(scanner, rows) == 10);
        cluster.freezeScans(1);
        cluster.bucket(0).moveTo(2);
        append(writer, 10, 20);
        writer.flush();
        Await.until("the rest came", SOON, () -> poll(scanner, rows) == 20);
        assertThat(rows).isEqualTo(range(0, 20));
        assertThat(cluster.tablet(2).scans()).isOne();
      }
    }
  }

  /** That is what a leader answers when it finds damage and others have a good copy. */
  @Test
  void aBoundedScanGoesOnElsewhereWhenItsLeadersReplicaGoesOffline() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 1, 2);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      for (long from = 0; from < 40; from += 10) {
        append(writer, from, from + 10);
        writer.flush();
      }
      AtomicInteger refused = new AtomicInteger();
      cluster.setScanCheck(
          (bucket, offset) -> {
            if (bucket.leader() == 1 && offset >= 20) {
              if (refused.incrementAndGet() == 3) {
                // The coordinator has heard of it by now.
                bucket.moveTo(2);
              }
              throw new SluiceException(ErrorCode.REPLICA_OFFLINE, "damaged");
            }
          });
      List<Long> rows = new ArrayList<>();
      try (LogScanner scanner = connection.table("demo.t").scan().fromEarliest().open()) {
        Await.until(
            "all is read",
            SOON,
            () -> {
              poll(scanner, rows);
              return scanner.finished();
            });
      }
      assertThat(rows).isEqualTo(range(0, 40));
      assertThat(refused).hasValue(3);
    }
  }

  private static int poll(LogScanner scanner, List<Long> rows) {
    for (ScanBatch batch : scanner.poll(Duration.ofMillis(20))) {
      try (batch) {
        batch.rows().forEach(row -> rows.add(row.getLong(0)));
      }
    }
    return rows.size();
  }

  @Test
  void whatPassesIsTriedAgainUntilItHas() {
    for (ErrorCode code :
        List.of(ErrorCode.LEADER_NOT_READY, ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.UNAVAILABLE)) {
      try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 1, 1);
          Connection connection = Connection.open(cluster.config());
          AppendWriter writer = connection.table("demo.t").appendWriter()) {
        cluster.setFaults((tablet, number, put) -> number <= 12 ? Fault.refuse(code) : Fault.NONE);
        append(writer, 0, 10);
        long start = System.nanoTime();
        writer.flush();
        // Twelve pauses of at most a fifth of a second; ones that doubled would take 7 s.
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        assertThat(cluster.values(0)).isEqualTo(range(0, 10));
      }
    }
  }

  @Test
  void aNamedWriterLosesAndDoublesNothingWhenItsLeadersDie() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 2, 3);
        Connection connection = Connection.open(cluster.config().withBatchBytes(1024));
        AppendWriter writer =
            connection.table("demo.t").appendWriter(WriterOptions.defaults().named("loader"))) {
      AtomicInteger puts = new AtomicInteger();
      cluster.setFaults(
          (tablet, number, put) ->
              puts.incrementAndGet() % 5 == 0 ? Fault.of(Kind.STORE_AND_DROP) : Fault.NONE);
      long next = 0;
      for (int round = 0; round < 6; round++) {
        for (int i = 0; i < 500; i++, next++) {
          var unused = writer.append(next, Row.of(next, "row " + next));
        }
        int dead = cluster.bucket(0).leader();
        int heir = 1 + dead % 3;
        cluster.tablet(dead).stop();
        cluster.bucket(0).moveTo(heir);
        cluster.bucket(1).moveTo(heir);
        cluster.tablet(dead).start();
      }
      writer.flush();
      assertThat(cluster.allValues()).containsExactlyInAnyOrderElementsOf(range(0, next));
      assertThat(writer.committedSequence()).isEqualTo(next - 1);
    }
  }

  @Test
  void rowsGoOnAsSoonAsADeadServersBucketIsLedElsewhere() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 1, 2);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      append(writer, 0, 10);
      writer.flush();
      cluster.tablet(1).stop();
      int before = cluster.lookUps();
      append(writer, 10, 20);
      Await.until(
          "it looks for the leader again and again", SOON, () -> cluster.lookUps() > before + 15);
      cluster.bucket(0).moveTo(2);
      long moved = System.nanoTime();
      writer.flush();
      assertThat(Duration.ofNanos(System.nanoTime() - moved)).isLessThan(Duration.ofSeconds(2));
      assertThat(cluster.values(0)).isEqualTo(range(0, 20));
    }
  }
}
