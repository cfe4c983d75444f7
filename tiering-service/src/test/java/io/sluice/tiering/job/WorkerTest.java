package io.sluice.tiering.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.tiering.v1.FailureScope;
import io.sluice.testkit.Await;
import io.sluice.testkit.MovedClock;
import io.sluice.tiering.commit.CommitOutcome;
import io.sluice.tiering.commit.Committer;
import io.sluice.tiering.commit.RoundCommit;
import io.sluice.tiering.job.RoundResult.Dropped;
import io.sluice.tiering.job.RoundResult.Failed;
import io.sluice.tiering.job.RoundResult.Finished;
import io.sluice.tiering.write.LakeTables;
import io.sluice.tiering.write.WriteSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.data.Record;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WorkerTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final long FRESHNESS_MS = 10_000;

  @TempDir private Path directory;
  private final MovedClock clock = new MovedClock(1_750_000_000_000L);
  private final CoordinatorContact contact = new CoordinatorContact(clock, Duration.ofMinutes(2));
  private final List<String> outcomes = new CopyOnWriteArrayList<>();
  private BufferAllocator allocator;
  private FakeLog log;
  private FakeLake lake;
  private Worker worker;

  @BeforeEach
  void open() {
    allocator = new RootAllocator();
    log = new FakeLog(allocator);
    lake = new FakeLake(directory);
    worker = worker(2);
  }

  @AfterEach
  void close() {
    worker.close();
    allocator.close();
  }

  private Worker worker(int slots) {
    RoundObserver observer =
        new RoundObserver() {
          @Override
          public void phaseEnded(RoundPhase phase, long nanos) {}

          @Override
          public void ended(RoundResult result) {
            outcomes.add(result.outcome());
          }
        };
    return new Worker(
        new WorkerParts(
            log,
            lake,
            // The pauses are real, what ends them is the moved clock.
            new Committer(lake, clock, new Committer.Timings(1, 1, 60_000)),
            new RoundPlanner(10_000),
            new WriteSettings(1 << 20, 1 << 20, 1 << 20),
            contact,
            observer,
            clock),
        slots);
  }

  private void assign(long tableId, long epoch) {
    worker.assign(new RoundAssignment(tableId, epoch, LakeTables.PATH, FRESHNESS_MS));
  }

  private RoundReport awaitReport() {
    List<RoundReport> reports = new ArrayList<>();
    Await.until(
        "a report",
        SOON,
        () -> {
          reports.addAll(worker.takeChanges().results());
          return !reports.isEmpty();
        });
    assertThat(reports).hasSize(1);
    return reports.get(0);
  }

  private List<Long> valuesInFiles(RoundCommit commit) {
    List<Long> values = new ArrayList<>();
    commit
        .files()
        .forEach(
            file -> {
              Path path =
                  lake.files(commit.key().roundId())
                      .resolve("0-" + file.bucket() + "-" + file.startOffset() + ".parquet");
              for (Record row : LakeTables.read(path, FakeLog.SCHEMA)) {
                values.add((Long) row.getField("c1"));
              }
            });
    return values;
  }

  private Path onlyRoundDirectory() {
    return lake.files(worker.rounds().get(0).roundId());
  }

  @Test
  void commitsTheRowsFromTheRecordedOffsetsToTheStableOnes() {
    log.bucket(0, 0, 25).bucket(1, 0, 7);
    lake.recorded.put(0, 12L);
    assign(5, 3);
    RoundReport report = awaitReport();
    assertThat(report.key().roundId()).matches("5-3-[0-9a-f]{8}");
    RoundCommit commit = lake.commits.get(0);
    assertThat(report.result()).isEqualTo(new Finished(101, 20, commit.bytes(), 2, false));
    assertThat(commit.fence()).isEqualTo(7);
    assertThat(commit.start()).isEqualTo(Map.of(0, 12L, 1, 0L));
    assertThat(commit.end()).isEqualTo(Map.of(0, 25L, 1, 7L));
    assertThat(valuesInFiles(commit))
        .containsExactly(
            12L, 13L, 14L, 15L, 16L, 17L, 18L, 19L, 20L, 21L, 22L, 23L, 24L, 1000L, 1001L, 1002L,
            1003L, 1004L, 1005L, 1006L);
    assertThat(outcomes).containsExactly("committed");
    assertThat(worker.rounds()).isEmpty();
  }

  @Test
  void aRoundWithNothingNewCommitsNothing() {
    log.bucket(0, 0, 25);
    lake.recorded.put(0, 25L);
    assign(5, 3);
    assertThat(awaitReport().result()).isEqualTo(new Finished(-1, 0, 0, 0, false));
    assertThat(lake.commits).isEmpty();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void saysWhenThereIsMoreThanARoundTakes() {
    // 100 bytes a row, 10,000 bytes a round.
    log.bucket(0, 0, 1_000);
    assign(5, 3);
    assertThat(awaitReport().result())
        .isInstanceOfSatisfying(
            Finished.class,
            finished -> {
              assertThat(finished.rows()).isEqualTo(100);
              assertThat(finished.more()).isTrue();
            });
  }

  @Test
  void commitsThePrefixReadWhenFreshnessHasPassedSinceTheFirstRead() {
    log.bucket(0, 0, 50).bucket(1, 0, 50);
    log.beforePoll =
        polls -> {
          // Long planning does not count; only the time since the first batch does.
          clock.advanceMs(polls == 0 ? FRESHNESS_MS * 5 : polls == 3 ? FRESHNESS_MS : 0);
        };
    assign(5, 3);
    assertThat(awaitReport().result())
        .isInstanceOfSatisfying(
            Finished.class,
            finished -> {
              assertThat(finished.rows()).isEqualTo(40);
              assertThat(finished.more()).isTrue();
            });
    assertThat(lake.commits.get(0).end()).isEqualTo(Map.of(0, 20L, 1, 20L));
    assign(5, 4);
    awaitReport();
    assertThat(lake.commits.get(1).start()).isEqualTo(Map.of(0, 20L, 1, 20L));
  }

  @Test
  void leavesBucketsOutOfTheCommitThatForceFinishDidNotReach() {
    log.bucket(0, 0, 50).bucket(1, 0, 50).bucket(2, 0, 50);
    log.beforePoll = polls -> clock.advanceMs(polls == 1 ? FRESHNESS_MS : 0);
    assign(5, 3);
    awaitReport();
    assertThat(lake.commits.get(0).start()).isEqualTo(Map.of(0, 0L, 1, 0L));
    assertThat(lake.commits.get(0).end()).isEqualTo(Map.of(0, 10L, 1, 10L));
  }

  /** Blocks the second poll until the returned latch falls, or the round is interrupted. */
  private CountDownLatch blockReading() {
    CountDownLatch go = new CountDownLatch(1);
    log.beforePoll =
        polls -> {
          if (polls == 1) {
            await(go);
          }
        };
    return go;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new SluiceException(ErrorCode.CANCELLED, "interrupted", e);
    }
  }

  private void awaitPhase(String phase, long rows) {
    Await.until(
        phase,
        SOON,
        () ->
            worker.rounds().stream()
                .anyMatch(round -> round.phase().equals(phase) && round.rows() == rows));
  }

  @Test
  void aFenceStopsARoundThatReadsAndDeletesItsFiles() {
    log.bucket(0, 0, 50);
    blockReading();
    assign(5, 3);
    awaitPhase("reading", 10);
    Path files = onlyRoundDirectory();
    assertThat(files).isNotEmptyDirectory();
    worker.fence(5, 2, "older epoch");
    assertThat(worker.rounds()).hasSize(1);
    worker.fence(5, 3, "epoch 4");
    Await.until("the round to end", SOON, () -> outcomes.contains("dropped"));
    assertThat(files).doesNotExist();
    assertThat(lake.commits).isEmpty();
    assertThat(worker.takeChanges()).isEqualTo(new Worker.Changes(List.of(), List.of()));
  }

  @Test
  void aFenceDoesNotCutACommitOff() {
    log.bucket(0, 0, 5);
    CountDownLatch go = new CountDownLatch(1);
    lake.inCommit = () -> await(go);
    assign(5, 3);
    awaitPhase("committing", 5);
    Path files = onlyRoundDirectory();
    worker.fence(5, 3, "epoch 4");
    go.countDown();
    Await.until("the round to end", SOON, () -> outcomes.contains("committed"));
    assertThat(files).isNotEmptyDirectory();
    assertThat(worker.takeChanges().results()).isEmpty();
  }

  @Test
  void aNewerEpochTakesThePlaceOfAnOlderOneAndNotTheOtherWayRound() {
    log.bucket(0, 0, 50);
    CountDownLatch go = blockReading();
    assign(5, 3);
    awaitPhase("reading", 10);
    assign(5, 2);
    assign(5, 3);
    assign(5, 4);
    Await.until("the older round to end", SOON, () -> outcomes.contains("dropped"));
    go.countDown();
    RoundReport report = awaitReport();
    assertThat(report.key().epoch()).isEqualTo(4);
    assertThat(report.result()).isInstanceOf(Finished.class);
  }

  @Test
  void aRefusedRoundIsSupersededAndItsFilesAreDeleted() {
    log.bucket(0, 0, 5);
    lake.outcomes.add(new CommitOutcome.Refused(ErrorCode.FENCED_ROUND, "epoch 4 is current"));
    assign(5, 3);
    RoundReport report = awaitReport();
    assertThat(report.result())
        .isEqualTo(
            new Failed(
                "FENCED_ROUND: epoch 4 is current",
                FailureScope.FAILURE_TABLE,
                RoundResult.Weight.SUPERSEDED));
    assertThat(lake.files(report.key().roundId())).doesNotExist();
  }

  @Test
  void anUnknownOutcomeIsAskedForUntilItIsKnown() {
    log.bucket(0, 0, 5);
    lake.outcomes.add(new CommitOutcome.Unknown("connection reset"));
    lake.outcomes.add(new CommitOutcome.Unknown("away"));
    assign(5, 3);
    RoundReport report = awaitReport();
    assertThat(report.result()).isInstanceOf(Finished.class);
    assertThat(lake.resolves).hasValue(2);
    assertThat(lake.commits).hasSize(1);
    assertThat(lake.files(report.key().roundId())).isNotEmptyDirectory();
  }

  @Test
  void anUnknownOutcomeThatTurnsOutRefusedDeletesTheFiles() {
    log.bucket(0, 0, 5);
    lake.outcomes.add(new CommitOutcome.Unknown("connection reset"));
    lake.outcomes.add(new CommitOutcome.Refused(ErrorCode.FENCED_ROUND, "fenced out"));
    assign(5, 3);
    RoundReport report = awaitReport();
    assertThat(report.result())
        .isInstanceOfSatisfying(Failed.class, failed -> assertThat(failed.superseded()).isTrue());
    assertThat(lake.files(report.key().roundId())).doesNotExist();
  }

  @Test
  void filesStayWhenTheOutcomeStaysUnknown() {
    log.bucket(0, 0, 5);
    for (int i = 0; i < 10_000; i++) {
      lake.outcomes.add(new CommitOutcome.Unknown("away"));
    }
    assign(5, 3);
    Await.until("some questions", SOON, () -> lake.resolves.get() > 3);
    clock.advanceMs(60_001);
    RoundReport report = awaitReport();
    assertThat(report.result())
        .isInstanceOfSatisfying(
            Failed.class,
            failed -> {
              assertThat(failed.scope()).isEqualTo(FailureScope.FAILURE_LAKE);
              assertThat(failed.cause()).contains("unknown").contains("away");
            });
    assertThat(lake.files(report.key().roundId())).isNotEmptyDirectory();
  }

  @Test
  void aStopWhileTheOutcomeIsUnknownIsNotTheLakesFault() {
    log.bucket(0, 0, 5);
    for (int i = 0; i < 10_000; i++) {
      lake.outcomes.add(new CommitOutcome.Unknown("away"));
    }
    assign(5, 3);
    Await.until("some questions", SOON, () -> lake.resolves.get() > 3);
    worker.close();
    RoundReport report = awaitReport();
    assertThat(report.result()).isInstanceOf(Dropped.class);
    assertThat(lake.files(report.key().roundId())).isNotEmptyDirectory();
  }

  @Test
  void aLakeThatIsAwayIsNotTheTablesFault() {
    log.bucket(0, 0, 5);
    lake.refusal = new SluiceException(ErrorCode.UNAVAILABLE, "connection refused");
    assign(5, 3);
    assertThat(awaitReport().result())
        .isEqualTo(
            new Failed(
                "lake-service: UNAVAILABLE: connection refused",
                FailureScope.FAILURE_LAKE,
                RoundResult.Weight.COUNTED));
  }

  @Test
  void aGapInTheLogFailsTheTableAndLeavesNoFiles() {
    log.bucket(0, 0, 50);
    log.gap = 3;
    assign(5, 3);
    assertThat(awaitReport().result())
        .isInstanceOfSatisfying(
            Failed.class,
            failed -> {
              assertThat(failed.scope()).isEqualTo(FailureScope.FAILURE_TABLE);
              assertThat(failed.cause())
                  .contains(
                      "Bucket 0 of demo.t has a gap: read on at offset 0, got 10 rows from 3");
            });
  }

  @Test
  void aRoundWhoseCoordinatorWasLostMeanwhileIsDroppedBeforeItsCommit() {
    log.bucket(0, 0, 5);
    log.beforePoll = polls -> clock.advanceMs(120_001);
    assign(5, 3);
    assertThat(awaitReport().result())
        .isEqualTo(new Dropped("The coordinator was not reached for 120 s"));
    assertThat(lake.commits).isEmpty();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void anAssignmentBeyondTheSlotsWaits() {
    worker.close();
    worker = worker(1);
    log.bucket(0, 0, 50);
    CountDownLatch go = blockReading();
    assign(5, 3);
    awaitPhase("reading", 10);
    assign(6, 1);
    assertThat(worker.busy()).isEqualTo(1);
    assertThat(worker.rounds())
        .extracting(RoundStatus::phase)
        .containsExactly("reading", "waiting");
    go.countDown();
    // Both have the same log: the second finds nothing new.
    Await.until("both rounds", SOON, () -> outcomes.equals(List.of("committed", "empty")));
  }

  @Test
  void aWorkerThatStopsDropsWhatIsNotInItsCommit() {
    log.bucket(0, 0, 50);
    blockReading();
    assign(5, 3);
    awaitPhase("reading", 10);
    worker.close();
    assertThat(worker.takeChanges().results())
        .extracting(RoundReport::result)
        .containsExactly(new Dropped("The worker stops"));
    assign(6, 1);
    assertThat(worker.rounds()).isEmpty();
    assertThat(directory).isEmptyDirectory();
  }
}
