package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.log.TestBatches;
import io.sluice.testkit.FaultyFiles.Operation;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LocalReplicaTest {
  @TempDir private Path temp;
  private TestTablet tablet;

  @BeforeEach
  void open() {
    tablet = TestTablet.open(temp.resolve("data")).apply(TestTablet.image(1, 1, 7, 8));
  }

  @AfterEach
  void close() {
    tablet.close();
  }

  @Test
  void putIsVisibleWhenAnsweredAndStableWhenForced() throws Exception {
    Answer answer = tablet.put(7, TestBatches.plain(3, 100));
    assertThat(answer.get()).isEqualTo(new Answer.Stored(0, false, 1));
    assertThat(tablet.replica(7).offsets()).isEqualTo(new ReplicaOffsets(0, 0, 3, 3, 0, 3, -1));
    tablet.set.housekeeper().doWork();
    assertThat(tablet.replica(7).offsets()).isEqualTo(new ReplicaOffsets(0, 0, 3, 3, 3, 3, -1));
    assertThat(tablet.set.queuedBytes()).isZero();
  }

  @Test
  void putSentTwiceIsStoredOnceAndAnsweredWithItsPlace() throws Exception {
    tablet.put(7, TestBatches.of(3, 5, 0, 0, 10)).get();
    tablet.put(7, TestBatches.of(3, 5, 0, 3, 10)).get();
    assertThat(tablet.put(7, TestBatches.of(3, 5, 0, 3, 10)).get())
        .isEqualTo(new Answer.Stored(3, true, 1));
    assertThat(tablet.put(7, TestBatches.of(3, 5, 0, 0, 10)).get())
        .isEqualTo(new Answer.Stored(-1, true, 1));
    assertThat(tablet.replica(7).offsets().visible()).isEqualTo(6);
  }

  @Test
  void onlyTheNewRowsOfAnOverlappingPutAreStored() throws Exception {
    tablet.put(7, TestBatches.of(3, 5, 0, 0, 10)).get();
    assertThat(tablet.put(7, TestBatches.of(5, 5, 0, 1, 10)).get().baseOffset()).isEqualTo(3);
    assertThat(TestTablet.sequences(tablet.replica(7), 5))
        .containsExactly(new long[] {0, 3}, new long[] {3, 3});
  }

  @Test
  void overlapOfAPutWhoseSequencesAreNotItsRecordsIsRefused() throws Exception {
    tablet.put(7, TestBatches.of(3, 5, 0, 0, 10)).get();
    TestBatches.TestBatch batch = TestBatches.of(3, 5, 0, 1, 10);
    batch.header().setWriter(5, 0, 1, 9);
    assertThat(tablet.put(7, batch).refusal()).isEqualTo(ErrorCode.OUT_OF_ORDER_SEQUENCE);
  }

  @Test
  void gapIsAcceptedOnlyWhenAnswersAreHeldForIt() throws Exception {
    assertThat(tablet.put(7, TestBatches.of(2, 5, 0, 4, 10), -1).refusal())
        .isEqualTo(ErrorCode.OUT_OF_ORDER_SEQUENCE);
    assertThat(tablet.put(7, TestBatches.of(2, 5, 0, 4, 10), 3).get().baseOffset()).isZero();
    assertThat(tablet.put(7, TestBatches.of(2, 5, 0, 9, 10), 7).refusal())
        .isEqualTo(ErrorCode.OUT_OF_ORDER_SEQUENCE);
    assertThat(tablet.put(7, TestBatches.of(2, 5, 0, 6, 10), -1).get().baseOffset()).isEqualTo(2);
  }

  @Test
  void refusedPutDoesNotAdvanceTheWriter() throws Exception {
    tablet.put(7, TestBatches.of(2, 5, 0, 0, 10)).get();
    tablet.faulty.failNext(Operation.WRITE, ".log", "I/O error");
    assertThat(tablet.put(7, TestBatches.of(2, 5, 0, 2, 10)).refusal())
        .isEqualTo(ErrorCode.STORAGE_ERROR);
    assertThat(tablet.replica(7).writerSequence(5, 0)).isEqualTo(1);
    assertThat(tablet.put(7, TestBatches.of(2, 5, 0, 2, 10)).get())
        .isEqualTo(new Answer.Stored(2, false, 1));
  }

  @Test
  void olderInstancesOfAWriterAreFenced() throws Exception {
    tablet.put(7, TestBatches.of(2, 5, 1, 0, 10)).get();
    tablet.set.apply(TestTablet.writers(2, new WriterEpoch(5, 2)));
    assertThat(tablet.put(7, TestBatches.of(2, 5, 1, 2, 10)).refusal())
        .as("told by the coordinator")
        .isEqualTo(ErrorCode.FENCED_WRITER);
    tablet.put(7, TestBatches.of(2, 5, 3, 2, 10)).get();
    assertThat(tablet.put(7, TestBatches.of(2, 5, 2, 4, 10)).refusal())
        .as("a newer one has written")
        .isEqualTo(ErrorCode.FENCED_WRITER);
    assertThat(tablet.replica(7).writerSequence(5, 4)).isEqualTo(3);
    assertThat(tablet.put(7, TestBatches.of(2, 5, 3, 4, 10)).refusal())
        .as("a newer one has asked")
        .isEqualTo(ErrorCode.FENCED_WRITER);
    assertThatThrownBy(() -> tablet.replica(7).writerSequence(5, 3))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FENCED_WRITER));
    assertThat(tablet.replica(7).writerSequence(99, 0)).isEqualTo(-1);
  }

  @Test
  void lostLeadershipFailsWhatIsQueuedAndNamesTheLeader() throws Exception {
    try (Stopped stopped = new Stopped(tablet.replica(7))) {
      Answer queued = tablet.put(7, TestBatches.plain(2, 10));
      tablet.set.apply(TestTablet.roles(2, TestTablet.role(TableBucket.of(7, 0), 2, 2)));
      assertThat(tablet.put(7, TestBatches.plain(2, 10)).refusal()).isEqualTo(ErrorCode.NOT_LEADER);
      stopped.release();
      SluiceException failure = queued.failure();
      assertThat(failure.code()).isEqualTo(ErrorCode.NOT_LEADER);
      assertThat(failure.details()).containsEntry("leader_server_id", "2");
    }
    assertThat(tablet.replica(7).offsets().logEnd()).isEqualTo(1);
  }

  @Test
  void putTakenInUnderAnOldEpochIsRefusedUnderTheNewOne() throws Exception {
    try (Stopped stopped = new Stopped(tablet.replica(7))) {
      Answer queued = tablet.put(7, TestBatches.plain(2, 10));
      tablet.set.apply(TestTablet.roles(2, TestTablet.role(TableBucket.of(7, 0), 1, 2)));
      assertThatThrownBy(() -> tablet.replica(7).requireLeader())
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.LEADER_NOT_READY));
      stopped.release();
      SluiceException failure = queued.failure();
      assertThat(failure.code()).isEqualTo(ErrorCode.NOT_LEADER);
      assertThat(failure)
          .hasMessageContaining(
              "demo.t7-0 was taken under epoch 1, this server leads under 2; send it again");
    }
    tablet.awaitLeader(TableBucket.of(7, 0), 2);
    assertThat(tablet.put(7, TestBatches.plain(2, 10)).get())
        .isEqualTo(new Answer.Stored(1, false, 2));
  }

  @Test
  void roleOfAnOlderEpochChangesNothing() {
    tablet.apply(TestTablet.roles(2, TestTablet.role(TableBucket.of(7, 0), 1, 5)));
    tablet.set.apply(TestTablet.roles(3, TestTablet.role(TableBucket.of(7, 0), 2, 4)));
    assertThat(tablet.replica(7).requireLeader()).isEqualTo(5);
  }

  @Test
  void nothingIsCommittedWhileAnotherReplicaIsInSync() throws Exception {
    ReplicaRole two = new ReplicaRole(TableBucket.of(7, 0), 1, 2, List.of(1, 2), List.of(1, 2), 2);
    tablet.put(7, TestBatches.plain(2, 10)).get();
    tablet.apply(TestTablet.roles(2, two));
    Answer waiting = tablet.put(7, TestBatches.of(2, 5, 0, 0, 10));
    Answer duplicate = tablet.put(7, TestBatches.of(2, 5, 0, 0, 10));
    Answer written = new Answer();
    TestBatches.TestBatch batch = TestBatches.plain(1, 10);
    tablet
        .replica(7)
        .append(new AppendRequest(batch.header(), batch.sections(), -1, false), written);
    assertThat(written.get().baseOffset()).isEqualTo(4);
    assertThat(tablet.replica(7).offsets()).isEqualTo(new ReplicaOffsets(0, 0, 2, 2, 0, 5, -1));
    ReplicaRole alone =
        new ReplicaRole(TableBucket.of(7, 0), 1, 2, List.of(1, 2), List.of(1), 3, 1, 0);
    tablet.set.apply(TestTablet.roles(3, alone));
    assertThat(waiting.get()).isEqualTo(new Answer.Stored(2, false, 2));
    assertThat(duplicate.get()).isEqualTo(new Answer.Stored(2, true, 2));
    assertThat(tablet.replica(7).offsets().visible()).isEqualTo(5);
  }

  @Test
  void moreBytesThanTheShardHoldsAreRefusedAtOnce() throws Exception {
    List<Answer> taken = new ArrayList<>();
    try (Stopped stopped = new Stopped(tablet.replica(7))) {
      Answer last;
      do {
        last = tablet.put(7, TestBatches.plain(1, 100_000));
        taken.add(last);
      } while (tablet.set.queuedBytes() < (1 << 20) - 110_000);
      assertThat(tablet.put(7, TestBatches.plain(1, 200_000)).refusal())
          .isEqualTo(ErrorCode.BACKPRESSURE);
      stopped.release();
    }
    for (Answer answer : taken) {
      answer.get();
    }
    assertThat(tablet.set.queuedBytes()).isZero();
  }

  @Test
  void fullDiskRefusesWritesUntilThereIsRoomAgain() throws Exception {
    tablet.put(7, TestBatches.of(1, 5, 0, 0, 10)).get();
    tablet.diskUsed = 0.91;
    tablet.set.housekeeper().doWork();
    assertThat(tablet.put(7, TestBatches.of(1, 5, 0, 1, 10)).refusal())
        .isEqualTo(ErrorCode.DISK_FULL);
    assertThat(tablet.put(7, TestBatches.of(1, 5, 0, 0, 10)).get().duplicate()).isTrue();
    tablet.diskUsed = 0.87;
    tablet.set.housekeeper().doWork();
    assertThat(tablet.put(7, TestBatches.of(1, 5, 0, 1, 10)).refusal())
        .isEqualTo(ErrorCode.DISK_FULL);
    tablet.diskUsed = 0.84;
    tablet.set.housekeeper().doWork();
    tablet.put(7, TestBatches.of(1, 5, 0, 1, 10)).get();
  }

  @Test
  void writeThatFindsNoSpaceStopsTheOthers() throws Exception {
    tablet.faulty.failNext(Operation.WRITE, ".log", "No space left on device");
    assertThat(tablet.put(7, TestBatches.plain(1, 10)).refusal()).isEqualTo(ErrorCode.DISK_FULL);
    assertThat(tablet.put(8, TestBatches.plain(1, 10)).refusal()).isEqualTo(ErrorCode.DISK_FULL);
    tablet.set.housekeeper().doWork();
    tablet.put(8, TestBatches.plain(1, 10)).get();
  }

  @Test
  void failedForceTakesThatReplicaOffline() throws Exception {
    tablet.put(7, TestBatches.plain(1, 10)).get();
    tablet.faulty.failNext(Operation.FORCE, ".log", "I/O error");
    tablet.set.housekeeper().doWork();
    assertThat(tablet.set.offline()).hasSize(1);
    assertThat(tablet.put(7, TestBatches.plain(1, 10)).refusal())
        .isEqualTo(ErrorCode.REPLICA_OFFLINE);
    tablet.put(8, TestBatches.plain(1, 10)).get();
  }

  @Test
  void damageThatAReaderReportsTakesThatReplicaOffline() throws Exception {
    tablet.put(7, TestBatches.plain(1, 10)).get();
    tablet.put(8, TestBatches.plain(1, 10)).get();
    // The shard answers this after it has told the listeners of the put.
    tablet.replica(7).writerSequence(1, 0);
    AtomicInteger told = new AtomicInteger();
    tablet.replica(7).addListener(told::incrementAndGet);
    try (BatchCursor cursor = tablet.replica(7).openCursor(0)) {
      assertThat(cursor.next(1)).isTrue();
      SluiceException failure = cursor.reportCorruption(200, "crc32c 0x1", "crc32c 0x2");
      assertThat(failure.code()).isEqualTo(ErrorCode.CORRUPT_STORAGE);
      assertThat(failure)
          .hasMessageContaining("00000000000000000000.log at position 264")
          .hasMessageContaining("expected crc32c 0x1, found crc32c 0x2");
      assertThatThrownBy(() -> cursor.next(1))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.REPLICA_OFFLINE));
    }
    assertThat(told).hasValue(1);
    assertThat(tablet.set.offline())
        .singleElement()
        .satisfies(
            offline -> {
              assertThat(offline.bucket()).isEqualTo(TableBucket.of(7, 0));
              assertThat(offline.reason()).contains("position 264");
            });
    assertThat(tablet.replica(8).requireLeader()).isEqualTo(1);
  }

  @Test
  void headerDamagedWhileRunningIsFoundByTheCursor() throws Exception {
    tablet.put(7, TestBatches.plain(1, 10)).get();
    Path file = temp.resolve("data/7/0-0/00000000000000000000.log");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(new byte[] {77}), 64 + 40);
    }
    try (BatchCursor cursor = tablet.replica(7).openCursor(0)) {
      assertThatThrownBy(() -> cursor.next(1))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_STORAGE));
    }
    assertThat(tablet.set.offline()).hasSize(1);
  }

  @Test
  void offsetOutsideTheVisibleRangeIsRefused() throws Exception {
    tablet.put(7, TestBatches.plain(3, 10)).get();
    tablet.replica(7).openCursor(3).close();
    for (long offset : List.of(-1L, 4L)) {
      assertThatThrownBy(() -> tablet.replica(7).openCursor(offset))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE));
    }
  }

  @Test
  void listenersAreToldOfPutsAndRolesUntilTheyLeave() throws Exception {
    CountDownLatch put = new CountDownLatch(1);
    AtomicInteger told = new AtomicInteger();
    Runnable listener =
        () -> {
          told.incrementAndGet();
          put.countDown();
        };
    tablet
        .replica(7)
        .addListener(
            () -> {
              throw new IllegalStateException("a listener that fails");
            });
    tablet.replica(7).addListener(listener);
    tablet.put(7, TestBatches.plain(3, 10)).get();
    put.await();
    tablet.replica(7).writerSequence(1, 0);
    int before = told.get();
    tablet.set.apply(TestTablet.roles(2, TestTablet.role(TableBucket.of(7, 0), 0, 2)));
    assertThat(told.get()).isGreaterThan(before);
    tablet.replica(7).removeListener(listener);
    before = told.get();
    tablet.set.apply(TestTablet.roles(3, TestTablet.role(TableBucket.of(7, 0), 0, 3)));
    assertThat(told).hasValue(before);
  }

  @Test
  void anAnswerThatFindsNoMemoryIsNoDefectOfTheReplica() throws Exception {
    TestBatches.TestBatch batch = TestBatches.plain(1, 10);
    CountDownLatch answered = new CountDownLatch(2);
    AppendCallback withoutMemory =
        new AppendCallback() {
          @Override
          public void stored(long baseOffset, boolean duplicate, int leaderEpoch) {
            answered.countDown();
            throw new OutOfMemoryError("direct memory");
          }

          @Override
          public void refused(SluiceException why) {
            answered.countDown();
            throw new OutOfMemoryError("direct memory");
          }
        };
    tablet
        .replica(7)
        .append(new AppendRequest(batch.header(), batch.sections(), -1, true), withoutMemory);
    TestBatches.TestBatch gap = TestBatches.of(1, 5, 0, 4, 10);
    tablet
        .replica(7)
        .append(new AppendRequest(gap.header(), gap.sections(), -1, true), withoutMemory);
    assertThat(tablet.put(7, TestBatches.plain(1, 10)).get().baseOffset()).isEqualTo(1);
    assertThat(answered.getCount()).isZero();
    assertThat(tablet.set.offline()).isEmpty();
    assertThat(tablet.set.queuedBytes()).isZero();
  }

  @Test
  void aListenerThatFindsNoMemoryDoesNotSilenceTheOtherBucketsOfItsShard() throws Exception {
    // Of two shards one has the even tables and one the odd ones.
    tablet.apply(TestTablet.image(2, 1, 7, 8, 9));
    CountDownLatch told = new CountDownLatch(1);
    tablet
        .replica(7)
        .addListener(
            () -> {
              told.countDown();
              throw new OutOfMemoryError("direct memory");
            });
    tablet.put(7, TestBatches.plain(1, 10)).get();
    told.await();
    assertThat(tablet.put(9, TestBatches.plain(1, 10)).get().baseOffset()).isZero();
    assertThat(tablet.put(7, TestBatches.plain(1, 10)).get().baseOffset()).isEqualTo(1);
  }

  /** Holds the shard's thread inside the answer of a put of one row. */
  private static final class Stopped implements AutoCloseable {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);

    Stopped(Replica replica) throws InterruptedException {
      TestBatches.TestBatch batch = TestBatches.plain(1, 10);
      replica.append(
          new AppendRequest(batch.header(), batch.sections(), -1, true),
          new AppendCallback() {
            @Override
            public void stored(long baseOffset, boolean duplicate, int leaderEpoch) {
              reached.countDown();
              try {
                go.await();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            }

            @Override
            public void refused(SluiceException why) {
              throw new AssertionError(why);
            }
          });
      reached.await();
    }

    void release() {
      go.countDown();
    }

    @Override
    public void close() {
      go.countDown();
    }
  }
}
