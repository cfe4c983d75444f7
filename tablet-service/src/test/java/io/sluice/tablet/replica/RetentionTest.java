package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableOptions;
import io.sluice.tablet.log.TestBatches;
import io.sluice.testkit.Await;
import io.sluice.testkit.FaultyFiles.Operation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long the logs of a server's tables are kept. */
final class RetentionTest {
  private static final long MINUTE = 60_000;

  @TempDir private Path temp;

  private static HostedTable table(long id, Map<String, String> options) {
    HostedTable plain = TestTablet.table(id, "t" + id);
    return new HostedTable(
        id, plain.path(), plain.schemas(), plain.bucketCount(), plain.bucketKey(), options);
  }

  private static ReplicaUpdate.Delta alter(long index, long id, String ttl) {
    return new ReplicaUpdate.Delta(
        index,
        List.of(table(id, Map.of(TableOptions.LOG_TTL, ttl))),
        Set.of(),
        List.of(),
        Set.of(),
        List.of());
  }

  private TestTablet open(Map<String, String> options) {
    TestTablet tablet = TestTablet.open(temp);
    ReplicaUpdate.Image image = (ReplicaUpdate.Image) TestTablet.image(1, 1, 7);
    return tablet.apply(
        new ReplicaUpdate.Image(
            image.clusterId(), 1, List.of(table(7, options)), image.replicas(), List.of()));
  }

  /** Puts over so many minutes, one each, of about a quarter of a segment. */
  private static void put(TestTablet tablet, int minutes) throws Exception {
    for (int i = 0; i < minutes; i++) {
      tablet.put(7, TestBatches.plain(4, 15_000)).get();
      tablet.clock.advanceMs(MINUTE);
    }
  }

  /** Some rounds, with time for what one round leaves for the next. */
  private static void keepHouse(TestTablet tablet) {
    for (int i = 0; i < 3; i++) {
      tablet.clock.advanceMs(10_000);
      tablet.set.housekeeper().doWork();
      // What the round has queued on the shard is done before this is.
      tablet.replica(7).writerSequence(1, 0);
    }
  }

  private static long start(TestTablet tablet) {
    return tablet.replica(7).offsets().logStart();
  }

  @Test
  void bounded_rowsGoWhenTheirTimeToLiveHasPassedAndReadersLearnTheStart() throws Exception {
    try (TestTablet tablet = open(Map.of(TableOptions.LOG_TTL, "10 min"))) {
      put(tablet, 30);
      long before = tablet.replica(7).sizeBytes();
      keepHouse(tablet);
      long start = start(tablet);
      // Rows of minute m have offset 4m; the last quarter of a time-to-live may live longer.
      assertThat(start).isBetween(4L * 16, 4L * 21);
      assertThat(tablet.replica(7).sizeBytes()).isLessThan(before / 2);
      assertThat(tablet.set.retention().deletedSegments()).isGreaterThan(3);
      assertThat(tablet.set.retention().deletedBytes())
          .isEqualTo(before - tablet.replica(7).sizeBytes());
      assertThatThrownBy(() -> tablet.replica(7).openCursor(start - 1))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE))
          .hasMessageContaining("its offsets are " + start + " to 120");
      tablet.replica(7).openCursor(start).close();
    }
    try (TestTablet tablet = open(Map.of(TableOptions.LOG_TTL, "none"))) {
      assertThat(start(tablet)).as("kept by a restart").isBetween(4L * 16, 4L * 21);
    }
  }

  @Test
  void openReaderEndsWithTheNewStartInstead() throws Exception {
    try (TestTablet tablet = open(Map.of(TableOptions.LOG_TTL, "10 min"))) {
      put(tablet, 30);
      try (BatchCursor cursor = tablet.replica(7).openCursor(0)) {
        assertThat(cursor.next(Long.MAX_VALUE)).isTrue();
        keepHouse(tablet);
        assertThatThrownBy(
                () -> {
                  while (cursor.next(Long.MAX_VALUE)) {
                    assertThat(cursor.header().baseOffset()).isLessThan(start(tablet));
                  }
                })
            .isInstanceOfSatisfying(
                SluiceException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE))
            .hasMessageContaining("demo.t7-0")
            .hasMessageContaining("its offsets are " + start(tablet));
      }
      assertThat(tablet.set.offline()).isEmpty();
    }
  }

  @Test
  void rowsOfATableThatNobodyWritesToGoToo() throws Exception {
    try (TestTablet tablet = open(Map.of(TableOptions.LOG_TTL, "10 min"))) {
      put(tablet, 1);
      keepHouse(tablet);
      assertThat(start(tablet)).isZero();
      tablet.clock.advanceMs(10 * MINUTE);
      keepHouse(tablet);
      assertThat(start(tablet)).isEqualTo(4);
      assertThat(tablet.replica(7).sizeBytes()).isLessThan(100);
      tablet.put(7, TestBatches.plain(4, 100)).get();
      assertThat(tablet.replica(7).offsets().visible()).isEqualTo(8);
    }
  }

  @Test
  void changedOptionCountsWithoutARestart() throws Exception {
    try (TestTablet tablet = open(Map.of())) {
      put(tablet, 30);
      keepHouse(tablet);
      assertThat(start(tablet)).as("seven days unless it is said").isZero();
      tablet.set.apply(alter(2, 7, "20 min"));
      keepHouse(tablet);
      long twenty = start(tablet);
      assertThat(twenty).isBetween(4L, 4L * 11);
      tablet.set.apply(alter(3, 7, "0"));
      put(tablet, 30);
      keepHouse(tablet);
      assertThat(start(tablet)).as("for ever from now on").isEqualTo(twenty);
      tablet.set.apply(alter(4, 7, "5 min"));
      keepHouse(tablet);
      assertThat(start(tablet)).isGreaterThan(4L * 45);
    }
  }

  @Test
  void tableOfTheLakeKeepsEverything() throws Exception {
    try (TestTablet tablet =
        open(Map.of(TableOptions.LOG_TTL, "1 min", TableOptions.DATALAKE_ENABLED, "true"))) {
      put(tablet, 30);
      keepHouse(tablet);
      assertThat(start(tablet)).isZero();
    }
  }

  @Test
  void deletionThatFailsIsTriedAgainAndNothingElseSuffers() throws Exception {
    try (TestTablet tablet = open(Map.of(TableOptions.LOG_TTL, "10 min"))) {
      put(tablet, 30);
      tablet.faulty.failAlways(Operation.WRITE, "log-start.tmp", "No space left on device");
      keepHouse(tablet);
      assertThat(start(tablet)).isZero();
      assertThat(tablet.set.offline()).isEmpty();
      tablet.faulty.heal();
      keepHouse(tablet);
      assertThat(start(tablet)).isPositive();
    }
  }

  /** state-is-fold: what a restart would replay is never deleted. */
  @Test
  void changelogStaysFromWhereTheRowsOnDiskEnd() throws Exception {
    ReplicaUpdate.Image image = (ReplicaUpdate.Image) KvReplicaRandomTest.image(1);
    HostedTable plain = image.tables().get(0);
    HostedTable table =
        new HostedTable(
            plain.tableId(),
            plain.path(),
            plain.schemas(),
            plain.bucketCount(),
            plain.bucketKey(),
            Map.of(TableOptions.LOG_TTL, "1 min"));
    Path copy = temp.resolve("copy");
    long start;
    try (TestTablet tablet = TestTablet.open(temp.resolve("home"))) {
      tablet.apply(
          new ReplicaUpdate.Image(
              image.clusterId(), 1, List.of(table), image.replicas(), List.of()));
      Replica replica = tablet.replica(plain.tableId());
      KvReplicaTest.putNumbers(replica, 0, 50);
      tablet.set.housekeeper().doWork();
      tablet.clock.advanceMs(10 * MINUTE);
      rounds(tablet, replica);
      assertThat(replica.offsets().logStart()).as("nothing is flushed yet").isZero();
      replica.requireRows().store().flush();
      KvReplicaTest.putNumbers(replica, 50, 60);
      tablet.clock.advanceMs(10 * MINUTE);
      rounds(tablet, replica);
      start = replica.offsets().logStart();
      assertThat(start).isBetween(1L, 50L);
      ReplicaSetTest.copy(temp.resolve("home"), copy);
    }
    try (TestTablet tablet = TestTablet.open(copy).apply(KvReplicaRandomTest.image(2))) {
      Replica replica = tablet.replica(plain.tableId());
      assertThat(replica.offsets().logStart()).isEqualTo(start);
      Await.until("loaded", Duration.ofSeconds(10), () -> replica.requireRows().count() == 60);
    }
  }

  private static void rounds(TestTablet tablet, Replica replica) {
    for (int i = 0; i < 3; i++) {
      tablet.clock.advanceMs(10_000);
      tablet.set.housekeeper().doWork();
      replica.writerSequence(1, 0);
    }
  }
}
