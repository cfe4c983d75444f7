package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.TableBucket;
import io.sluice.tablet.log.TestBatches;
import io.sluice.testkit.FaultyFiles.Operation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Field case B19 for log tables: a full disk refuses writes, and nothing else, until it has room.
 */
final class DiskFullTest {
  private static final String NO_SPACE = "No space left on device";

  @TempDir private Path temp;

  private TestTablet open(String name, int epoch) {
    return TestTablet.open(temp.resolve(name)).apply(TestTablet.image(epoch, epoch, 7));
  }

  /** Sends the batches of writer 5 from a sequence on; returns the first that was not stored. */
  private static int putUntilRefused(TestTablet tablet, int from, int batches) throws Exception {
    for (int sequence = from; sequence < from + batches; sequence++) {
      try {
        tablet.put(7, TestBatches.of(1, 5, 0, sequence, 9000)).get();
      } catch (ExecutionException e) {
        assertThat(e.getCause()).hasMessageContaining("Cannot append");
        assertThat(tablet.put(7, TestBatches.of(1, 5, 0, sequence, 9000)).refusal())
            .isEqualTo(ErrorCode.DISK_FULL);
        return sequence;
      }
      tablet.set.housekeeper().doWork();
    }
    return from + batches;
  }

  private static void assertStoredOnce(TestTablet tablet, int rows) {
    assertThat(TestTablet.sequences(tablet.replica(7), 5)).hasSize(rows);
    for (int i = 0; i < rows; i++) {
      assertThat(TestTablet.sequences(tablet.replica(7), 5).get(i)).isEqualTo(new long[] {i, 1});
    }
  }

  /** durable-ack, no-dup: whichever file it is that finds no space. */
  @ParameterizedTest
  @ValueSource(
      strings = {".log", ".index.tmp", ".snapshot.tmp", "leader-epochs.tmp", "recovery-points.tmp"})
  void nothingIsLostAndWritesResumeWithoutARestart(String file) throws Exception {
    Path copy = temp.resolve("copy");
    int stored;
    try (TestTablet tablet = open("home", 1)) {
      if (!file.startsWith("leader")) {
        stored = putUntilRefused(tablet, 0, 3);
      } else {
        stored = 0;
      }
      tablet.diskUsed = 0.95;
      tablet.faulty.failAlways(Operation.WRITE, file, NO_SPACE);
      stored = putUntilRefused(tablet, stored, 20);
      assertStoredOnce(tablet, stored);
      tablet.set.housekeeper().doWork();
      assertThat(tablet.set.disk().full()).isTrue();
      assertThat(tablet.put(7, TestBatches.of(1, 5, 0, stored, 9000)).refusal())
          .isEqualTo(ErrorCode.DISK_FULL);
      assertThat(tablet.set.offline()).isEmpty();
      tablet.faulty.heal();
      tablet.diskUsed = 0.5;
      tablet.set.housekeeper().doWork();
      assertThat(tablet.set.disk().full()).isFalse();
      assertThat(putUntilRefused(tablet, stored, 20)).isEqualTo(stored + 20);
      stored += 20;
      assertStoredOnce(tablet, stored);
      ReplicaSetTest.copy(temp.resolve("home"), copy);
    }
    try (TestTablet tablet = open("copy", 2)) {
      assertStoredOnce(tablet, stored);
      assertThat(putUntilRefused(tablet, stored, 5)).isEqualTo(stored + 5);
    }
  }

  /** Nobody else has such a bucket, and there is nothing in it yet. */
  @ParameterizedTest
  @ValueSource(strings = {"cluster.tmp", "replica.meta.tmp", "00000000000000000000.log"})
  void aBucketThatFoundNoSpaceIsMadeWhenThereIsSome(String file) throws Exception {
    TableBucket late = TableBucket.of(8, 0);
    try (TestTablet tablet = open("home", 1)) {
      tablet.diskUsed = 0.95;
      tablet.faulty.failAlways(Operation.WRITE, file, NO_SPACE);
      tablet.apply(TestTablet.image(2, 1, 7, 8));
      for (int i = 0; i < 3; i++) {
        tablet.set.housekeeper().doWork();
        tablet.clock.advanceMs(10_000);
        tablet.set.tick();
        assertThat(tablet.set.offline()).extracting(OfflineReplica::bucket).containsExactly(late);
      }
      tablet.faulty.heal();
      tablet.diskUsed = 0.5;
      tablet.set.housekeeper().doWork();
      tablet.set.tick();
      assertThat(tablet.set.offline()).isEmpty();
      tablet.awaitLeader(late, 1);
      tablet.put(8, TestBatches.of(1, 5, 0, 0, 100)).get();
      assertThat(putUntilRefused(tablet, 0, 3)).as("the others go on").isEqualTo(3);
    }
    try (TestTablet tablet =
        TestTablet.open(temp.resolve("home")).apply(TestTablet.image(3, 2, 7, 8))) {
      assertThat(TestTablet.sequences(tablet.replica(8), 5)).hasSize(1);
    }
  }

  /** A quota, or blocks that are kept for others, do not show in how full the disk is. */
  @ParameterizedTest
  @ValueSource(strings = {"cluster.tmp", "replica.meta.tmp"})
  void aBucketThatFindsNoSpaceHoldsUpNoOthers(String file) throws Exception {
    try (TestTablet tablet = open("home", 1)) {
      tablet.faulty.failAlways(Operation.WRITE, file, NO_SPACE);
      tablet.apply(TestTablet.image(2, 2, 7, 8));
      for (int i = 0; i < 3; i++) {
        assertThat(putUntilRefused(tablet, i, 1)).isEqualTo(i + 1);
        tablet.set.tick();
        assertThat(tablet.set.disk().full()).isFalse();
        assertThat(tablet.set.offline()).hasSize(1);
      }
      tablet.faulty.heal();
      tablet.set.tick();
      assertThat(tablet.set.offline()).as("within the pause").hasSize(1);
      tablet.clock.advanceMs(10_000);
      tablet.set.tick();
      assertThat(tablet.set.offline()).isEmpty();
    }
  }

  @Test
  void sealedSegmentWhoseIndexFoundNoSpaceIsFinishedLater() throws Exception {
    try (TestTablet tablet = open("home", 1)) {
      tablet.faulty.failAlways(Operation.WRITE, ".index.tmp", NO_SPACE);
      assertThat(putUntilRefused(tablet, 0, 20)).as("the log itself has room").isEqualTo(20);
      assertThat(indexes()).isZero();
      assertThat(tablet.replica(7).offsets().stable()).as("forced all the same").isEqualTo(20);
      tablet.faulty.heal();
      tablet.set.housekeeper().doWork();
      assertThat(indexes()).isEqualTo(2);
    }
  }

  /** What fills the disk can be removed from it, and the bucket can come back later. */
  @Test
  void aDroppedTableMakesSpaceOnADiskThatHasNone() throws Exception {
    Path home = temp.resolve("home");
    Path copy = temp.resolve("copy");
    try (TestTablet tablet = open("home", 1)) {
      assertThat(putUntilRefused(tablet, 0, 20)).isEqualTo(20);
      tablet.faulty.failAlways(Operation.WRITE, ".tmp", NO_SPACE);
      tablet.set.apply(TestTablet.dropped(2, 7));
      tablet.set.housekeeper().doWork();
      assertThat(home.resolve("7")).doesNotExist();
      tablet.faulty.heal();
      tablet.clock.advanceMs(10_000);
      tablet.set.housekeeper().doWork();
      ReplicaSetTest.copy(home, copy);
    }
    try (TestTablet tablet = open("copy", 3)) {
      assertThat(tablet.set.offline()).isEmpty();
      assertThat(tablet.put(7, TestBatches.of(1, 5, 0, 0, 9000)).get().baseOffset()).isZero();
    }
  }

  private long indexes() throws Exception {
    try (var files = Files.list(temp.resolve("home/7/0-0"))) {
      return files.filter(path -> path.toString().endsWith(".index")).count();
    }
  }
}
