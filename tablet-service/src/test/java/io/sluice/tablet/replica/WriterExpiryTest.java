package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.tablet.log.TestBatches;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** no-dup: field case B08 on a single replica, and what a forgotten writer may do. */
final class WriterExpiryTest {
  private static final long EXPIRY_MS = 30_000;

  @TempDir private Path temp;

  private TestTablet open(String name, int epoch) {
    return TestTablet.open(temp.resolve(name), EXPIRY_MS).apply(TestTablet.image(epoch, epoch, 7));
  }

  /** Seals a segment, which is when writers are forgotten. */
  private static void roll(TestTablet tablet) throws Exception {
    tablet.put(7, TestBatches.plain(1, 64_000)).get();
    tablet.put(7, TestBatches.plain(1, 64_000)).get();
    tablet.set.housekeeper().doWork();
  }

  @Test
  void writerThatIsIdleForLongerThanItsStateIsKeptGoesOn() throws Exception {
    Path copy = temp.resolve("copy");
    int sequence = 0;
    try (TestTablet tablet = open("home", 1)) {
      for (int round = 0; round < 20; round++) {
        tablet.put(7, TestBatches.of(2, 5, 0, sequence, 100), sequence - 1).get();
        sequence += 2;
        tablet.clock.advanceMs(31_000 + 700L * round);
        roll(tablet);
        tablet.put(7, TestBatches.of(2, 5, 0, sequence, 100), sequence - 1).get();
        sequence += 2;
      }
      tablet.clock.advanceMs(60_000);
      ReplicaSetTest.copy(temp.resolve("home"), copy);
    }
    try (TestTablet tablet = open("copy", 2)) {
      assertThat(tablet.set.offline()).isEmpty();
      assertThat(tablet.replica(7).writerSequence(5, 0)).isEqualTo(sequence - 1);
      assertThat(tablet.put(7, TestBatches.of(2, 5, 0, sequence - 2, 100)).get().duplicate())
          .isTrue();
      List<long[]> stored = TestTablet.sequences(tablet.replica(7), 5);
      assertThat(stored).hasSize(sequence / 2);
      for (int i = 0; i < stored.size(); i++) {
        assertThat(stored.get(i)).as("in order, once").isEqualTo(new long[] {2L * i, 2});
      }
    }
  }

  @Test
  void forgottenWriterIsTakenAtItsWordAboutItsAnswers() throws Exception {
    try (TestTablet tablet = open("home", 1)) {
      tablet.put(7, TestBatches.of(10, 5, 0, 0, 100)).get();
      tablet.clock.advanceMs(EXPIRY_MS + 1);
      roll(tablet);
      assertThat(tablet.replica(7).writerSequence(5, 0)).isEqualTo(-1);
      assertThat(tablet.put(7, TestBatches.of(2, 5, 0, 20, 100), 9).refusal())
          .as("rows 10 to 19 are missing by its own word")
          .isEqualTo(ErrorCode.OUT_OF_ORDER_SEQUENCE);
      tablet.put(7, TestBatches.of(2, 5, 0, 10, 100), 9).get();
      assertThat(tablet.put(7, TestBatches.of(2, 5, 0, 10, 100), 9).get().duplicate()).isTrue();
    }
  }

  @Test
  void writerWithANameIsNeverForgotten() throws Exception {
    try (TestTablet tablet = open("home", 1)) {
      tablet.set.apply(TestTablet.writers(2, new WriterEpoch(5, 0)));
      tablet.put(7, TestBatches.of(10, 5, 0, 0, 100)).get();
      tablet.put(7, TestBatches.of(10, 6, 0, 0, 100)).get();
      tablet.clock.advanceMs(1000 * EXPIRY_MS);
      roll(tablet);
      assertThat(tablet.replica(7).writerSequence(5, 1)).as("named").isEqualTo(9);
      assertThat(tablet.replica(7).writerSequence(6, 0)).as("not named").isEqualTo(-1);
    }
  }

  @Test
  void writerWhoseRowsRetentionDeletedIsKnown() throws Exception {
    try (TestTablet tablet = open("home", 1)) {
      tablet.put(7, TestBatches.of(10, 5, 0, 0, 100)).get();
      roll(tablet);
      tablet.clock.advanceMs(EXPIRY_MS / 2);
      LocalReplica replica = (LocalReplica) tablet.replica(7);
      assertThat(replica.log().trim(Long.MAX_VALUE, Long.MAX_VALUE)).isNotNull();
      assertThat(replica.offsets().logStart()).isPositive();
      ReplicaSetTest.copy(temp.resolve("home"), temp.resolve("copy"));
    }
    try (TestTablet tablet = open("copy", 2)) {
      assertThat(tablet.put(7, TestBatches.of(10, 5, 0, 0, 100)).get().duplicate()).isTrue();
      tablet.put(7, TestBatches.of(10, 5, 0, 10, 100)).get();
    }
  }
}
