package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableOptions;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.tablet.log.TestBatches;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What disks do to replicated logs: old segments go, damage is found, space runs out. */
final class ReplicationStorageTest {
  private static final long MINUTE = 60_000;

  @TempDir private Path temp;

  private ReplicaGroup group;

  @BeforeEach
  void open() {
    HostedTable plain = TestTablet.table(ReplicaGroup.TABLE, "t");
    group =
        new ReplicaGroup(
            temp,
            3,
            new HostedTable(
                plain.tableId(),
                plain.path(),
                plain.schemas(),
                plain.bucketCount(),
                plain.bucketKey(),
                Map.of(TableOptions.LOG_TTL, "10 min")));
    group.awaitLeader(1);
    group.awaitFollowers();
  }

  @AfterEach
  void close() {
    group.close();
  }

  private void acknowledged(int rows, int bytes) throws Exception {
    Answer answer = TestTablet.put(group.replica(1), TestBatches.plain(rows, bytes), -1);
    group.pumpUntil("answered", answer::done);
    answer.get();
  }

  /** Over so many minutes one batch each, of about a quarter of a segment. */
  private void put(int minutes) throws Exception {
    for (int i = 0; i < minutes; i++) {
      acknowledged(4, 15_000);
      group.clock.advanceMs(MINUTE);
    }
  }

  private void keepHouse(int server) throws Exception {
    for (int i = 0; i < 3; i++) {
      group.clock.advanceMs(10_000);
      group.server(server).set().housekeeper().doWork();
      group.drain(server);
    }
  }

  private long start(int server) {
    return group.replica(server).offsets().logStart();
  }

  @Test
  void followersDeleteWhatTheirLeaderHasDeletedAndNothingElse() throws Exception {
    put(30);
    keepHouse(2);
    assertThat(start(2)).isZero();
    keepHouse(1);
    assertThat(start(1)).isGreaterThan(4L * 16);
    acknowledged(1, 10);
    group.awaitEqual();
    keepHouse(2);
    assertThat(start(2)).isEqualTo(start(1));
    assertThat(group.batches(2)).isEqualTo(group.batches(1));
  }

  @Test
  void followersOfAnIdleBucketDeleteTheirLastSegmentToo() throws Exception {
    put(3);
    group.awaitEqual();
    group.clock.advanceMs(11 * MINUTE);
    keepHouse(1);
    assertThat(start(1)).isEqualTo(12);
    group.pump.round();
    keepHouse(2);
    assertThat(start(2)).isEqualTo(12);
    assertThat(group.replica(2).sizeBytes()).isLessThan(1000);
    acknowledged(1, 10);
    group.awaitEqual();
    assertThat(group.batches(2)).isEqualTo(group.batches(1)).hasSize(1);
  }

  @Test
  void oneThatWasAwayForLongBeginsWhereItsLeaderDoesAndKnowsTheWritersFromBefore()
      throws Exception {
    group.pump.cut(3);
    Answer first = TestTablet.put(group.replica(1), TestBatches.of(2, 5, 0, 0, 100), -1);
    group.pump.round();
    group.clock.advanceMs(11_000);
    group.pump.round();
    group.server(1).set().tick();
    group.pumpUntil("server 3 is out", () -> group.isr().equals(List.of(1, 2)));
    group.pumpUntil("answered", first::done);
    put(30);
    keepHouse(1);
    assertThat(start(1)).isGreaterThan(4L * 16);
    group.pump.heal(3);
    group.tell(3);
    group.pumpUntil("server 3 is back", () -> group.isr().size() == 3);
    group.awaitEqual();
    assertThat(start(3)).isEqualTo(start(1));
    assertThat(group.batches(3)).isEqualTo(group.batches(1));
    group.elect(3);
    group.awaitLeader(3);
    Answer again = TestTablet.put(group.replica(3), TestBatches.of(2, 5, 0, 0, 100), -1);
    group.pumpUntil("answered", again::done);
    assertThat(again.get().duplicate()).isTrue();
  }

  @Test
  void aLeaderWhoseCopyIsDamagedFindsItWhenFollowersCannotTakeIt() throws Exception {
    acknowledged(2, 100);
    group.awaitEqual();
    TestTablet.put(group.replica(1), TestBatches.plain(2, 100), -1);
    group.drain(1);
    flipLastByte(temp.resolve("server-1/7/0-0/00000000000000000000.log"));
    group.pumpUntil(
        "the leader is offline",
        () -> {
          group.clock.advanceMs(10);
          return !group.server(1).set().offline().isEmpty();
        });
    assertThat(group.server(1).set().offline().get(0).reason()).contains("damaged at offset 2");
    assertThat(group.server(2).set().offline()).isEmpty();
    assertThat(group.server(3).set().offline()).isEmpty();
  }

  /** The reader is told to try again, and the copy that is read then is a good one. */
  @Test
  void aLeaderWhoseCopyIsDamagedHandsItsReadersOver() throws Exception {
    acknowledged(2, 100);
    group.awaitEqual();
    Path file = temp.resolve("server-1/7/0-0/00000000000000000000.log");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(new byte[] {77}), 64 + 40);
    }
    try (BatchCursor cursor = group.replica(1).openCursor(0)) {
      assertThatThrownBy(() -> cursor.next(2))
          .hasMessageContaining("00000000000000000000.log")
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.REPLICA_OFFLINE));
    }
    assertThat(ErrorCode.REPLICA_OFFLINE.retriable()).isTrue();
    assertThat(group.server(1).set().offline())
        .extracting(OfflineReplica::bucket)
        .containsExactly(ReplicaGroup.BUCKET);
    // The coordinator has heard of it.
    group.elect(2);
    group.dropFromIsr(1);
    group.awaitLeader(2);
    try (BatchCursor cursor = group.replica(2).openCursor(0)) {
      assertThat(cursor.next(2)).isTrue();
      ByteBuffer sections = ByteBuffer.allocate(cursor.header().sectionsLength());
      cursor.read(LogBatchHeader.SIZE, sections);
      cursor.header().checkContentCrc(sections.flip());
    }
    group.clock.advanceMs(5_000);
    group.pumpUntil("server 1 is back", () -> group.isr().size() == 3);
    group.awaitEqual();
    assertThat(group.batches(1)).isEqualTo(group.batches(2));
    // Alone it has nobody to hand over to: the damage is told as it is.
    group.dropFromIsr(1);
    group.dropFromIsr(3);
    try (BatchCursor cursor = group.replica(2).openCursor(0)) {
      assertThat(cursor.next(2)).isTrue();
      assertThat(cursor.reportCorruption(0, "a good batch", "a bad one").code())
          .isEqualTo(ErrorCode.CORRUPT_STORAGE);
    }
  }

  private static void flipLastByte(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      long at = channel.size() - 20;
      channel.read(one, at);
      one.put(0, (byte) (one.get(0) ^ 1)).flip();
      channel.write(one, at);
    }
  }

  @Test
  void aLeaderOnAFullDiskHandsOverForAWhile() throws Exception {
    acknowledged(1, 100);
    group.server(1).set().tick();
    group.drain(1);
    ReplicaSet leader = group.server(1).set();
    assertThat(leader.handsOver()).isEmpty();
    group.server(1).diskUsed = 0.92;
    leader.housekeeper().doWork();
    assertThat(TestTablet.put(group.replica(1), TestBatches.plain(1, 10), -1).refusal())
        .isEqualTo(ErrorCode.DISK_FULL);
    assertThat(leader.handsOver()).isEmpty();
    group.clock.advanceMs(3_000);
    assertThat(leader.handsOver())
        .extracting(OfflineReplica::bucket)
        .containsExactly(ReplicaGroup.BUCKET);
    // Nothing is wrong with it: it is not begun anew.
    assertThat(leader.offline()).isEmpty();
    group.clock.advanceMs(20_000);
    assertThat(leader.handsOver()).isEmpty();
    group.server(1).diskUsed = 0.5;
    leader.housekeeper().doWork();
    assertThat(leader.handsOver()).isEmpty();
    group.server(1).diskUsed = 0.92;
    leader.housekeeper().doWork();
    leader.handsOver();
    group.clock.advanceMs(3_000);
    assertThat(leader.handsOver()).hasSize(1);
  }

  @Test
  void anOrderlyStopThatTheCoordinatorHasNotHeardOfDoesNotHideACrash() throws Exception {
    acknowledged(1, 100);
    Path copy = temp.resolve("copy");
    ReplicaSetTest.copy(temp.resolve("server-1"), copy);
    try (TestTablet crashed = TestTablet.open(copy)) {
      assertThat(crashed.set.stoppedCleanly()).isFalse();
    }
    try (TestTablet again = TestTablet.open(copy)) {
      assertThat(again.set.stoppedCleanly()).isFalse();
      Await.until("it serves nothing yet", Duration.ofSeconds(5), () -> again.set.all().isEmpty());
    }
  }
}
