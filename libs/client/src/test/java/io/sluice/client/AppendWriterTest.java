package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.PutFaults.Fault;
import io.sluice.client.fake.PutFaults.Kind;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.row.Row;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AppendWriterTest {
  static final TableSchema SCHEMA =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "id", new DataType.IntegerType(64), false),
              Column.of(2, "text", new DataType.StringType(), true)),
          List.of());

  private static List<Long> range(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  private static void appendAndFlush(AppendWriter writer, long from, long to) {
    for (long i = from; i < to; i++) {
      writer.row().setLong(0, i).setString(1, "row " + i).append();
    }
    writer.flush();
  }

  private static ErrorCode codeOf(Throwable failure) {
    Throwable cause = failure;
    while (!(cause instanceof SluiceException) && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return ((SluiceException) cause).code();
  }

  @Test
  void storesRowsOfEveryWayInInOrder() throws Exception {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config())) {
      AppendWriter writer = connection.table("demo.t").appendWriter();
      CompletableFuture<AppendResult> first = writer.append(Row.of(0L, "a"));
      writer.row().setLong(0, 1).append();
      try (RootAllocator allocator = new RootAllocator();
          VectorSchemaRoot root =
              VectorSchemaRoot.create(ArrowSchemas.toArrow(SCHEMA), allocator)) {
        ((BigIntVector) root.getVector(0)).setSafe(0, 2);
        ((VarCharVector) root.getVector(1)).setSafe(0, "c".getBytes());
        root.setRowCount(1);
        writer.append(root);
      }
      CompletableFuture<AppendResult> last = writer.append(Row.of(3L, null));
      writer.close();
      assertThat(first.get()).isEqualTo(new AppendResult(0, 0, false));
      assertThat(last.get()).isEqualTo(new AppendResult(0, 3, false));
      assertThat(cluster.values(0)).isEqualTo(range(0, 4));
    }
  }

  @Test
  void everyCodecArrives() {
    for (BatchCodec codec : BatchCodec.values()) {
      try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1);
          Connection connection = Connection.open(cluster.config());
          AppendWriter writer =
              connection.table("demo.t").appendWriter(WriterOptions.defaults().codec(codec))) {
        appendAndFlush(writer, 0, 1000);
        assertThat(cluster.values(0)).isEqualTo(range(0, 1000));
      }
    }
  }

  @Test
  void batchesFillOneBucketAfterTheOther() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 4, 2);
        Connection connection =
            Connection.open(
                cluster.config().withBatchBytes(4096).withLinger(Duration.ofMinutes(1)));
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      appendAndFlush(writer, 0, 5000);
      assertThat(cluster.allValues()).containsExactlyInAnyOrderElementsOf(range(0, 5000));
      for (int i = 0; i < 4; i++) {
        assertThat(cluster.values(i)).isSorted().hasSizeGreaterThan(500);
      }
      assertThat(cluster.bucket(0).log()).allMatch(batch -> batch.wireBytes() < 8192);
    }
  }

  @Test
  void keyedRowsGoToTheBucketOfTheirKeyByEveryWayIn() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 3, 1, "id");
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      Map<Long, Integer> bucketOf = new HashMap<>();
      for (long i = 0; i < 100; i++) {
        bucketOf.put(i, writer.append(Row.of(i, "x")).join().bucket());
      }
      appendAndFlush(writer, 0, 100);
      for (int bucket = 0; bucket < 3; bucket++) {
        List<Long> values = cluster.values(bucket);
        int expected = bucket;
        assertThat(values).allMatch(value -> bucketOf.get(value) == expected);
        assertThat(values.size() % 2).isZero();
      }
      assertThat(cluster.allValues()).hasSize(200);
    }
  }

  @Test
  void answersOutOfOrderCompleteTheirOwnRows() throws Exception {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      cluster.setFaults((tablet, number, put) -> Fault.of(Kind.STORE_AND_HOLD));
      List<CompletableFuture<AppendResult>> futures = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        futures.add(writer.append(Row.of((long) i, "x")));
        int sent = i + 1;
        Await.until("held", Duration.ofSeconds(10), () -> cluster.tablet(1).heldAnswers() == sent);
      }
      cluster.tablet(1).releaseAnswers();
      for (int i = 0; i < 5; i++) {
        assertThat(futures.get(i).get(10, TimeUnit.SECONDS).offset()).isEqualTo(i);
      }
    }
  }

  @Test
  void rowsWithoutAKeyPassByABucketThatIsHeldUp() {
    int rows = 60;
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 4, 1);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      cluster.setFaults(
          (tablet, number, put) ->
              put.getBucket() == 0 ? Fault.of(Kind.STORE_AND_HOLD) : Fault.NONE);
      for (int i = 0; i < rows; i++) {
        int held = cluster.tablet(1).heldAnswers();
        CompletableFuture<AppendResult> stored = writer.append(Row.of((long) i, "x"));
        Await.until(
            "answered or held",
            Duration.ofSeconds(10),
            () -> stored.isDone() || cluster.tablet(1).heldAnswers() > held);
      }
      // By turns it would be fifteen.
      assertThat(cluster.tablet(1).heldAnswers()).isBetween(1, 3);
      cluster.setFaults((tablet, number, put) -> Fault.NONE);
      cluster.tablet(1).releaseAnswers();
      writer.flush();
      assertThat(cluster.allValues()).hasSize(rows);
    }
  }

  /** With no linger, what a slow server has not answered makes the next puts larger, not more. */
  @Test
  void rowsCollectWhileManyBatchesAreUnanswered() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      cluster.setFaults((tablet, number, put) -> Fault.of(Kind.STORE_AND_HOLD));
      for (int i = 0; i < 8; i++) {
        writer.append(Row.of((long) i, "x"));
        int sent = i + 1;
        Await.until("held", Duration.ofSeconds(10), () -> cluster.tablet(1).heldAnswers() == sent);
      }
      for (long i = 8; i < 500; i++) {
        writer.append(Row.of(i, "x"));
      }
      cluster.setFaults((tablet, number, put) -> Fault.NONE);
      cluster.tablet(1).releaseAnswers();
      writer.flush();
      assertThat(cluster.tablet(1).puts()).isEqualTo(9);
      assertThat(cluster.values(0)).isEqualTo(range(0, 500));
    }
  }

  @Test
  void aBucketWhoseServerIsAwayDoesNotHoldBackTheOthers() throws Exception {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 2, 2, "id");
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      long[] keys = {-1, -1};
      for (long i = 0; keys[0] < 0 || keys[1] < 0; i++) {
        keys[writer.append(Row.of(i, "x")).join().bucket()] = i;
      }
      cluster.tablet(2).stop();
      List<CompletableFuture<AppendResult>> away = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        away.add(writer.append(Row.of(keys[1], "x")));
        writer.append(Row.of(keys[0], "x")).get(10, TimeUnit.SECONDS);
      }
      assertThat(away).noneMatch(CompletableFuture::isDone);
      cluster.tablet(2).start();
      writer.flush();
      assertThat(away).allMatch(CompletableFuture::isDone);
    }
  }

  @Test
  void aRowThatIsLeftUnfinishedDoesNotKeepThoseBeforeItFromBeingStored() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1);
        Connection connection =
            Connection.open(cluster.config().withLinger(Duration.ofMinutes(1)))) {
      assertThatThrownBy(
              () -> {
                try (AppendWriter writer = connection.table("demo.t").appendWriter()) {
                  for (long i = 0; i < 100; i++) {
                    writer.row().setLong(0, i).setString(1, "x").append();
                  }
                  writer.row().setString(0, "no number");
                }
              })
          .isInstanceOf(SluiceException.class)
          .satisfies(e -> assertThat(e.getSuppressed()).isEmpty());
      assertThat(cluster.values(0)).isEqualTo(range(0, 100));
    }
  }

  @Test
  void aLostAnswerIsFoundAgainAsADuplicate() throws Exception {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      cluster.setFaults(
          (tablet, number, put) -> number == 1 ? Fault.of(Kind.STORE_AND_DROP) : Fault.NONE);
      AppendResult result = writer.append(Row.of(0L, "x")).get(10, TimeUnit.SECONDS);
      assertThat(result).isEqualTo(new AppendResult(0, -1, true));
      appendAndFlush(writer, 1, 10);
      assertThat(cluster.values(0)).isEqualTo(range(0, 10));
      assertThat(cluster.tablet(1).putStreams()).isEqualTo(2);
    }
  }

  @Test
  void retriableRefusalsInTheMiddleKeepTheOrder() {
    for (ErrorCode code :
        List.of(ErrorCode.BACKPRESSURE, ErrorCode.LEADER_NOT_READY, ErrorCode.STORAGE_ERROR)) {
      try (FakeCluster cluster = new FakeCluster(SCHEMA, 2, 1);
          Connection connection = Connection.open(cluster.config().withBatchBytes(1024));
          AppendWriter writer = connection.table("demo.t").appendWriter()) {
        cluster.setFaults(
            (tablet, number, put) -> number % 3 == 0 ? Fault.refuse(code) : Fault.NONE);
        appendAndFlush(writer, 0, 2000);
        assertThat(cluster.values(0)).isSorted();
        assertThat(cluster.values(1)).isSorted();
        assertThat(cluster.allValues()).containsExactlyInAnyOrderElementsOf(range(0, 2000));
      }
    }
  }

  @Test
  void followsALeaderThatMoves() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 2);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      appendAndFlush(writer, 0, 10);
      cluster.bucket(0).moveTo(2);
      appendAndFlush(writer, 10, 20);
      assertThat(cluster.values(0)).isEqualTo(range(0, 20));
      assertThat(cluster.tablet(2).puts()).isPositive();
    }
  }

  @Test
  void waitsForALeaderToAppear() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config())) {
      cluster.hideLeaders(true);
      AppendWriter writer = connection.table("demo.t").appendWriter();
      CompletableFuture<AppendResult> row = writer.append(Row.of(0L, "x"));
      int before = cluster.lookUps();
      Await.until("asked again", Duration.ofSeconds(10), () -> cluster.lookUps() > before + 2);
      assertThat(row).isNotDone();
      cluster.hideLeaders(false);
      assertThat(row.join().offset()).isZero();
      writer.close();
    }
  }

  @Test
  void survivesARestartOfTheServer() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 2, 1);
        Connection connection = Connection.open(cluster.config().withBatchBytes(1024));
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      for (int round = 0; round < 3; round++) {
        for (long i = 0; i < 500; i++) {
          writer.row().setLong(0, round * 500 + i).setString(1, "x").append();
        }
        cluster.tablet(1).stop();
        cluster.tablet(1).start();
      }
      writer.flush();
      assertThat(cluster.values(0)).isSorted();
      assertThat(cluster.values(1)).isSorted();
      assertThat(cluster.allValues()).containsExactlyInAnyOrderElementsOf(range(0, 1500));
    }
  }

  @Test
  void aRefusedBatchFailsItsRowsAndTheWriterGoesOn() throws Exception {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config())) {
      cluster.setFaults(
          (tablet, number, put) ->
              number == 2 ? Fault.refuse(ErrorCode.CORRUPT_BATCH) : Fault.NONE);
      try (AppendWriter writer = connection.table("demo.t").appendWriter()) {
        assertThat(writer.append(Row.of(0L, "x")).join().offset()).isZero();
        CompletableFuture<AppendResult> bad = writer.append(Row.of(1L, "x"));
        assertThatThrownBy(() -> bad.get(10, TimeUnit.SECONDS))
            .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.CORRUPT_BATCH))
            .hasMessageContaining("demo.t")
            .hasMessageContaining("127.0.0.1");
        CompletableFuture<AppendResult> good = writer.append(Row.of(2L, "x"));
        assertThat(good.get(10, TimeUnit.SECONDS).offset()).isEqualTo(1);
        assertThatThrownBy(writer::flush)
            .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.CORRUPT_BATCH));
        writer.flush();
      }
      assertThat(cluster.values(0)).containsExactly(0L, 2L);
    }
  }

  @Test
  void rowsAfterARefusedBatchThatWereSentAlreadyAreSentAgain() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1);
        Connection connection =
            Connection.open(
                cluster.config().withBatchBytes(1024).withLinger(Duration.ofMinutes(1)))) {
      cluster.setFaults(
          (tablet, number, put) ->
              number == 3 ? Fault.refuse(ErrorCode.CORRUPT_BATCH) : Fault.NONE);
      AppendWriter writer = connection.table("demo.t").appendWriter();
      assertThatThrownBy(() -> appendAndFlush(writer, 0, 2000)).isInstanceOf(SluiceException.class);
      writer.close();
      List<Long> values = cluster.values(0);
      assertThat(values).isSorted().doesNotHaveDuplicates();
      assertThat(values.size()).isBetween(1500, 1999);
    }
  }

  @Test
  void aGiantRowFailsAloneAndALargeOneTravels() throws Exception {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1);
        Connection connection =
            Connection.open(cluster.config().withLinger(Duration.ofSeconds(30)));
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      CompletableFuture<AppendResult> before = writer.append(Row.of(0L, "x"));
      CompletableFuture<AppendResult> giant = writer.append(Row.of(1L, "g".repeat((32 << 20) + 1)));
      CompletableFuture<AppendResult> after = writer.append(Row.of(2L, "x"));
      CompletableFuture<AppendResult> large = writer.append(Row.of(3L, "l".repeat(5 << 20)));
      assertThatThrownBy(writer::flush)
          .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.ROW_TOO_LARGE));
      assertThat(before.get().offset()).isZero();
      assertThat(after.get().offset()).isEqualTo(1);
      assertThat(large.get().offset()).isEqualTo(2);
      assertThatThrownBy(giant::get)
          .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.ROW_TOO_LARGE));
      assertThat(cluster.values(0)).containsExactly(0L, 2L, 3L);
    }
  }

  @Test
  void wrongValuesAreRefusedAtOnceAndLeaveTheBatchAlone() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config());
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      writer.row().setLong(0, 0).append();
      assertThatThrownBy(() -> writer.append(Row.of("no number", "x")))
          .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.INVALID_VALUE))
          .hasMessageContaining("'id'");
      assertThatThrownBy(() -> writer.row().setString(1, "id is missing").append())
          .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.INVALID_VALUE));
      RowAppender abandoned = writer.row().setLong(0, 77).setString(1, "dropped");
      assertThatThrownBy(() -> writer.append(Row.of(1L, "x")))
          .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.INVALID_ARGUMENT));
      abandoned.discard();
      writer.row().setLong(0, 78);
      writer.row().setLong(0, 1).append();
      writer.flush();
      assertThat(cluster.values(0)).containsExactly(0L, 1L);
    }
  }

  @Test
  void futuresOfRowsThatCompressToNothingFillTheBufferToo() throws Exception {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1)) {
      ClientConfig config = cluster.config().withBatchBytes(16_384).withBufferBytes(200_000);
      cluster.setFaults((tablet, number, put) -> Fault.of(Kind.STORE_AND_HOLD));
      String text = "y".repeat(500);
      AtomicLong appended = new AtomicLong();
      try (Connection connection = Connection.open(config);
          AppendWriter writer = connection.table("demo.t").appendWriter()) {
        Thread appending =
            new Thread(
                () -> {
                  while (appended.get() < 20_000) {
                    writer.append(Row.of(appended.getAndIncrement(), text));
                  }
                });
        appending.start();
        awaitWaiting(appending, appended);
        assertThat(appended.get()).isBetween(1L, 5_000L);
        answerUntilEnded(cluster, appending);
        cluster.tablet(1).releaseAnswers();
        writer.flush();
        assertThat(cluster.bucket(0).end()).isEqualTo(20_000);
      }
    }
  }

  /** Returns when the thread has ended, or waits and has appended no more since the last look. */
  private static void awaitWaiting(Thread appending, AtomicLong appended) {
    long[] seen = {0};
    Await.until(
        "the appending thread waits",
        Duration.ofSeconds(20),
        () -> {
          long before = seen[0];
          seen[0] = appended.get();
          return !appending.isAlive()
              || (seen[0] == before && appending.getState() == Thread.State.TIMED_WAITING);
        });
  }

  /** Answers all puts, those held back too, until the thread has ended. */
  private static void answerUntilEnded(FakeCluster cluster, Thread appending) {
    cluster.setFaults((tablet, number, put) -> Fault.NONE);
    Await.until(
        "the appending thread has ended",
        Duration.ofSeconds(20),
        () -> {
          cluster.tablet(1).releaseAnswers();
          return !appending.isAlive();
        });
  }

  @Test
  void nestedValuesFillTheBufferBeforeTheirBatchHasManyRows() throws Exception {
    TableSchema nested =
        new TableSchema(
            1,
            List.of(
                Column.of(1, "id", new DataType.IntegerType(64), false),
                Column.of(
                    2, "tags", new DataType.ArrayType(new DataType.StringType(), true), true)),
            List.of());
    List<String> tags = Collections.nCopies(1_000, "z".repeat(1_000));
    try (FakeCluster cluster = new FakeCluster(nested, 1, 1)) {
      ClientConfig config =
          cluster
              .config()
              .withBatchBytes(512 * 1024)
              .withBufferBytes(3 << 20)
              .withLinger(Duration.ofMinutes(10))
              .withCodec(BatchCodec.NONE);
      cluster.setFaults((tablet, number, put) -> Fault.of(Kind.STORE_AND_HOLD));
      AtomicLong appended = new AtomicLong();
      try (Connection connection = Connection.open(config);
          AppendWriter writer = connection.table("demo.t").appendWriter()) {
        Thread appending =
            new Thread(
                () -> {
                  while (appended.get() < 12) {
                    writer.row().setLong(0, appended.get()).setObject(1, tags).append();
                    appended.incrementAndGet();
                  }
                  writer.flush();
                });
        appending.start();
        awaitWaiting(appending, appended);
        assertThat(appended.get()).isBetween(1L, 6L);
        answerUntilEnded(cluster, appending);
        assertThat(cluster.bucket(0).end()).isEqualTo(12);
      }
    }
  }

  @Test
  void aFullBufferBlocksUntilRowsAreStored() throws Exception {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1)) {
      ClientConfig config = cluster.config().withBatchBytes(1024).withBufferBytes(20_000);
      cluster.setFaults((tablet, number, put) -> Fault.of(Kind.STORE_AND_HOLD));
      try (Connection connection = Connection.open(config);
          AppendWriter writer = connection.table("demo.t").appendWriter()) {
        Thread appending = new Thread(() -> appendAndFlush(writer, 0, 20_000));
        appending.start();
        int[] seen = {0};
        Await.until(
            "the appending thread waits and no more arrives",
            Duration.ofSeconds(20),
            () -> {
              int before = seen[0];
              seen[0] = cluster.tablet(1).puts();
              return seen[0] > 0
                  && seen[0] == before
                  && appending.getState() == Thread.State.TIMED_WAITING;
            });
        assertThat(cluster.bucket(0).end()).isBetween(1L, 5_000L);
        answerUntilEnded(cluster, appending);
        assertThat(cluster.values(0)).isEqualTo(range(0, 20_000));
      }
    }
  }

  @Test
  void deliveryIsGivenUpNamingTableAndServer() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1);
        Connection connection =
            Connection.open(cluster.config().withDeliveryTimeout(Duration.ofMillis(300)))) {
      AppendWriter writer = connection.table("demo.t").appendWriter();
      String address = "127.0.0.1:" + cluster.tablet(1).port();
      cluster.tablet(1).stop();
      writer.row().setLong(0, 1).append();
      assertThatThrownBy(writer::flush)
          .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.TIMEOUT))
          .hasMessageContaining("demo.t")
          .hasMessageContaining(address);
      cluster.tablet(1).start();
      Await.until(
          "the server is found again",
          Duration.ofSeconds(20),
          () -> !writer.append(Row.of(2L, "x")).join().duplicate());
      Await.until(
          "failures before are reported",
          Duration.ofSeconds(20),
          () -> {
            writer.flush();
            return true;
          });
      writer.close();
      assertThat(cluster.values(0)).containsOnly(2L);
    }
  }

  @Test
  void aRecreatedTableEndsTheWriter() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1);
        Connection connection = Connection.open(cluster.config())) {
      AppendWriter writer = connection.table("demo.t").appendWriter();
      cluster.recreateTable();
      CompletableFuture<AppendResult> row = writer.append(Row.of(0L, "x"));
      assertThatThrownBy(row::join)
          .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.TABLE_CHANGED));
      assertThatThrownBy(() -> writer.append(Row.of(1L, "x")))
          .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.TABLE_CHANGED));
      assertThatThrownBy(writer::close).isInstanceOf(SluiceException.class);
    }
  }

  @Test
  void threadsAppendTogether() throws Exception {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 2, 1);
        Connection connection = Connection.open(cluster.config().withBatchBytes(4096));
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        long base = t * 1000;
        Thread thread = new Thread(() -> appendAndFlush(writer, base, base + 1000));
        threads.add(thread);
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(cluster.allValues()).containsExactlyInAnyOrderElementsOf(range(0, 4000));
    }
  }
}
