package io.sluice.coordinator.tiering;

import static io.sluice.coordinator.tiering.QueueHarness.FRESHNESS;
import static io.sluice.coordinator.tiering.QueueHarness.failed;
import static io.sluice.coordinator.tiering.QueueHarness.finished;
import static io.sluice.coordinator.tiering.QueueHarness.has;
import static io.sluice.coordinator.tiering.QueueHarness.worker;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.metadata.LakeHold;
import io.sluice.coordinator.tiering.QueueHarness.Stream;
import io.sluice.protocol.tiering.v1.Assignment;
import io.sluice.protocol.tiering.v1.FailureScope;
import org.junit.jupiter.api.Test;

class TieringQueueTest {
  private final QueueHarness harness = new QueueHarness();
  private final Stream one = new Stream();
  private final Stream two = new Stream();

  @Test
  void aNewTableIsDueAfterOneFreshnessAndEntersPendingInItsFirstEpoch() {
    long table = harness.create("t");
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.NEW);
    assertThat(harness.status(table).dueMs()).isEqualTo(harness.nowMs + FRESHNESS);
    harness.pass(FRESHNESS - 1);
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.NEW);
    harness.pass(1);
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.PENDING);
    assertThat(harness.lake(table).epoch()).isEqualTo(1);
    assertThat(harness.status(table).dueMs()).isNull();
  }

  @Test
  void aFreeSlotGetsTheTableAtOnceAndARoundThroughTheLakeSchedulesTheNext() {
    long table = harness.create("t");
    harness.report(one, worker("w1", "a", 1));
    harness.pass(FRESHNESS);
    Assignment assigned = one.lastAssigned();
    assertThat(assigned.getTableId()).isEqualTo(table);
    assertThat(assigned.getEpoch()).isEqualTo(1);
    assertThat(assigned.getFreshnessMs()).isEqualTo(FRESHNESS);
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.TIERING);
    harness.report(one, worker("w1", "a", 1).addTables(has(assigned)));
    assertThat(harness.status(table).phase()).isEqualTo("reading");
    assertThat(harness.status(table).worker()).isEqualTo("w1");

    harness.commit(assigned);
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.TIERED);
    harness.report(one, worker("w1", "a", 1).addFinished(finished(assigned, 7, false)));
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.SCHEDULED);
    TableStatus status = harness.status(table);
    assertThat(status.dueMs()).isEqualTo(harness.nowMs + FRESHNESS);
    assertThat(status.tierLagMs()).isZero();
    assertThat(status.lastCommitMs()).isEqualTo(harness.nowMs);
    assertThat(status.lastRound().rows()).isEqualTo(10);
    assertThat(status.lastRound().durationMs()).isNull();
    assertThat(status.offsets()).containsExactly(new TableStatus.Offset(0, 10));
    harness.pass(FRESHNESS);
    assertThat(one.lastAssigned().getEpoch()).isEqualTo(2);
  }

  @Test
  void aTableThatWaitsIsDueByItsNewFreshness() {
    long fresh = harness.create("t");
    harness.pass(20_000);
    harness.alter(fresh, 2 * FRESHNESS);
    assertThat(harness.status(fresh).dueMs()).isEqualTo(harness.nowMs + 2 * FRESHNESS - 20_000);
    assertThat(harness.status(fresh).freshnessMs()).isEqualTo(2 * FRESHNESS);
    harness.alter(fresh, 20_000);
    harness.report(one, worker("w1", "a", 1));
    Assignment assigned = one.lastAssigned();
    assertThat(assigned.getTableId()).isEqualTo(fresh);
    assertThat(assigned.getFreshnessMs()).isEqualTo(20_000);

    harness.commit(assigned);
    harness.alter(fresh, 30_000);
    assertThat(harness.stateOf(fresh)).isEqualTo(TieringState.TIERED);
    harness.report(one, worker("w1", "a", 1).addFinished(finished(assigned, 7, false)));
    assertThat(harness.stateOf(fresh)).isEqualTo(TieringState.SCHEDULED);
    assertThat(harness.status(fresh).dueMs()).isEqualTo(harness.nowMs + 30_000);
    harness.pass(10_000);
    harness.alter(fresh, 10_000);
    harness.tick();
    assertThat(one.lastAssigned().getEpoch()).isEqualTo(2);
  }

  @Test
  void anotherFreshnessTouchesNeitherARoundNorThePauseAfterAFailure() {
    long table = harness.create("t");
    Assignment assigned = assigned(table);
    harness.alter(table, 3_600_000);
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.TIERING);
    harness.report(
        one, worker("w1", "a", 1).addFailed(failed(assigned, FailureScope.FAILURE_TABLE, "boom")));
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.FAILED);
    Long dueMs = harness.status(table).dueMs();
    harness.alter(table, FRESHNESS);
    assertThat(harness.status(table).dueMs()).isEqualTo(dueMs);
  }

  @Test
  void aTieredTableIsLetGoWhenItsWorkerSaysNothing() {
    long table = harness.create("t");
    Assignment assigned = assigned(table);
    harness.commit(assigned);
    harness.pass(4_999);
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.TIERED);
    harness.pass(1);
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.SCHEDULED);
    assertThat(harness.status(table).dueMs())
        .as("due counts from the commit")
        .isEqualTo(harness.nowMs + FRESHNESS - 5_000);
  }

  @Test
  void moreThanARoundTookMakesTheTablePendingAtOnce() {
    long table = harness.create("t");
    Assignment assigned = assigned(table);
    harness.commit(assigned);
    harness.report(one, worker("w1", "a", 1).addFinished(finished(assigned, 7, true)));
    assertThat(one.lastAssigned().getEpoch()).isEqualTo(2);
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.TIERING);
  }

  @Test
  void aRoundThatFoundNothingIsASuccessWithoutACommit() {
    long table = harness.create("t");
    Assignment assigned = assigned(table);
    harness.report(one, worker("w1", "a", 1).addFinished(finished(assigned, -1, false)));
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.SCHEDULED);
    assertThat(harness.status(table).tierLagMs()).isZero();
    assertThat(harness.status(table).lastRound()).isNull();
    assertThat(harness.lake(table).snapshotId()).isEqualTo(-1);
  }

  @Test
  void finishedBeforeTheCommitIsRecordedFreesTheSlotAndWaitsForTheRecord() {
    long first = harness.create("a");
    harness.create("b");
    Assignment assigned = assigned(first);
    harness.report(one, worker("w1", "a", 1).addFinished(finished(assigned, 7, false)));
    assertThat(harness.stateOf(first)).isEqualTo(TieringState.TIERING);
    assertThat(one.assigned).hasSize(2);
    harness.commit(assigned);
    assertThat(harness.stateOf(first)).isEqualTo(TieringState.SCHEDULED);
  }

  @Test
  void fifoGivesOutInTheOrderOfBecomingDue() {
    long late = harness.create("a", 90_000);
    long early = harness.create("b", 30_000);
    long middle = harness.create("c", 60_000);
    harness.pass(30_000);
    harness.pass(30_000);
    harness.pass(30_000);
    harness.report(one, worker("w1", "a", 3));
    assertThat(one.assigned.stream().map(Assignment::getTableId))
        .containsExactly(early, middle, late);
  }

  @Test
  void tablesGoToTheWorkerWithMostFreeSlots() {
    harness.report(one, worker("w1", "a", 1));
    harness.report(two, worker("w2", "a", 3));
    for (int i = 0; i < 4; i++) {
      harness.create("t" + i);
    }
    harness.pass(FRESHNESS);
    assertThat(two.assigned).hasSize(3);
    assertThat(one.assigned).hasSize(1);
  }

  @Test
  void aWorkerSilentForTheTimeOutLosesItsTablesInANewEpoch() {
    long table = harness.create("t");
    Assignment assigned = assigned(table);
    harness.report(two, worker("w2", "a", 1));
    harness.pass(100_000);
    harness.report(two, worker("w2", "a", 1));
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.TIERING);
    assertThat(two.assigned).isEmpty();
    harness.pass(20_001);
    assertThat(two.lastAssigned().getTableId()).isEqualTo(table);
    assertThat(two.lastAssigned().getEpoch()).isEqualTo(assigned.getEpoch() + 1);
    assertThat(one.fenced).singleElement().satisfies(f -> assertThat(f.getEpoch()).isEqualTo(1));
    assertThat(harness.queue.status(harness.nowMs).workersAlive()).isEqualTo(1);
    assertThat(harness.lake(table).failures().inRow()).isZero();
    harness.report(one, worker("w1", "a", 1).addTables(has(assigned)));
    assertThat(one.fenced).as("the late worker is told again").hasSize(2);
  }

  @Test
  void aNewIncarnationFencesTheOldOnesTablesAtOnce() {
    long table = harness.create("t");
    Assignment before = assigned(table);
    harness.report(two, worker("w1", "b", 1));
    assertThat(one.failure).hasMessageContaining("replaced by a newer stream");
    assertThat(two.lastAssigned().getEpoch()).isEqualTo(before.getEpoch() + 1);
    Stream again = new Stream();
    harness.report(again, worker("w1", "a", 1).addTables(has(before)));
    assertThat(again.failure)
        .hasMessageContaining("Incarnation a of tiering worker w1 was replaced by b");
    assertThat(harness.status(table).worker()).isEqualTo("w1");
  }

  @Test
  void aReconnectOfTheSameIncarnationKeepsItsTables() {
    long table = harness.create("t");
    Assignment assigned = assigned(table);
    harness.queue.disconnected(one, false, harness.nowMs);
    harness.pass(10_000);
    harness.report(two, worker("w1", "a", 1).addTables(has(assigned)));
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.TIERING);
    assertThat(harness.lake(table).epoch()).isEqualTo(assigned.getEpoch());
    assertThat(two.fenced).isEmpty();
  }

  @Test
  void aWorkerThatStopsGivesItsTablesBackAtOnce() {
    long table = harness.create("t");
    assigned(table);
    harness.report(two, worker("w2", "a", 1));
    harness.queue.disconnected(one, true, harness.nowMs);
    harness.tick();
    assertThat(two.lastAssigned().getTableId()).isEqualTo(table);
  }

  @Test
  void aTableLeftOutOfTwoReportsReturnsToPending() {
    long table = harness.create("t");
    Assignment assigned = assigned(table);
    harness.report(one, worker("w1", "a", 1));
    harness.report(one, worker("w1", "a", 1));
    assertThat(harness.lake(table).epoch()).as("orders and reports may cross").isEqualTo(1);
    harness.pass(5_000);
    harness.report(one, worker("w1", "a", 1));
    harness.report(one, worker("w1", "a", 1).addTables(has(assigned)));
    harness.report(one, worker("w1", "a", 1));
    assertThat(harness.lake(table).epoch()).isEqualTo(1);
    harness.report(one, worker("w1", "a", 1));
    assertThat(harness.lake(table).epoch()).isEqualTo(2);
  }

  @Test
  void droppingATableFencesItsWorkerAndForgetsIt() {
    long table = harness.create("t");
    Assignment assigned = assigned(table);
    harness.drop("t");
    assertThat(one.fenced)
        .singleElement()
        .satisfies(fence -> assertThat(fence.getReason()).contains("dropped"));
    assertThat(harness.stateOf(table)).isNull();
    assertThat(harness.queue.status(harness.nowMs).counts().tiering()).isZero();
    long again = harness.create("t");
    harness.report(one, worker("w1", "a", 1).addTables(has(assigned)));
    assertThat(one.fenced).hasSize(2);
    harness.pass(FRESHNESS);
    assertThat(one.lastAssigned().getTableId()).as("its slot is free").isEqualTo(again);
  }

  @Test
  void anEpochIsGivenOutOnlyOnceItIsDurable() {
    long table = harness.create("t");
    harness.report(one, worker("w1", "a", 1));
    harness.raftIsDown = true;
    harness.pass(FRESHNESS);
    harness.pass(10_000);
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.PENDING);
    assertThat(one.assigned).isEmpty();
    harness.raftIsDown = false;
    harness.pass(1_000);
    assertThat(one.lastAssigned().getEpoch()).isEqualTo(1);
  }

  @Test
  void aPausedTableEndsItsRoundAndGetsNoOtherUntilItIsResumed() {
    long table = harness.create("t");
    Assignment assigned = assigned(table);
    harness.hold(table, LakeHold.PAUSED, "by an operator");
    harness.commit(assigned);
    harness.report(one, worker("w1", "a", 1).addFinished(finished(assigned, 7, true)));
    harness.pass(10 * FRESHNESS);
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.SCHEDULED);
    assertThat(harness.status(table).late()).isTrue();
    assertThat(harness.queue.status(harness.nowMs).counts().held()).isEqualTo(1);
    harness.report(one, worker("w1", "a", 1));
    harness.hold(table, LakeHold.NONE, "");
    harness.tick();
    assertThat(one.assigned).hasSize(2);
  }

  @Test
  void aRegressedTableIsTakenAwayAndAPauseDoesNotHideIt() {
    long table = harness.create("t");
    assigned(table);
    harness.hold(table, LakeHold.REGRESSED, "snapshot 5 is gone");
    assertThat(one.fenced).hasSize(1);
    harness.hold(table, LakeHold.PAUSED, "by an operator");
    assertThat(harness.status(table).hold()).isEqualTo("regressed");
    harness.pass(1_000);
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.PENDING);
    assertThat(one.assigned).hasSize(1);
    assertThat(harness.notices).anyMatch(n -> n.startsWith("ERROR Table demo.t is regressed"));
    harness.hold(table, LakeHold.NONE, "");
    harness.tick();
    assertThat(one.assigned).hasSize(2);
  }

  @Test
  void aRoundOfAnOlderEpochMovesOffsetsAndLeavesTheTableToItsWorker() {
    long table = harness.create("t");
    Assignment old = assigned(table);
    harness.report(two, worker("w1", "b", 1));
    Assignment current = two.lastAssigned();
    harness.commit(old);
    assertThat(harness.lake(table).offset(0, 0)).isEqualTo(10);
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.TIERING);
    harness.commit(current);
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.TIERED);
    assertThat(harness.lake(table).offset(0, 0)).isEqualTo(20);
  }

  @Test
  void malformedReportsEndTheirStream() {
    harness.report(one, worker("", "a", 1));
    assertThat(one.failure).hasMessageContaining("A worker id and an incarnation");
    harness.report(two, worker("w", "a", 5_000));
    assertThat(two.failure).hasMessageContaining("5000 slots");
    assertThat(harness.queue.workerStatuses(harness.nowMs)).isEmpty();
  }

  @Test
  void aReportOfAFailureForAnEpochThatIsOverChangesNothing() {
    long table = harness.create("t");
    Assignment old = assigned(table);
    harness.report(two, worker("w1", "b", 1));
    harness.report(
        two,
        worker("w1", "b", 1)
            .addTables(has(two.lastAssigned()))
            .addFailed(failed(old, FailureScope.FAILURE_TABLE, "late")));
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.TIERING);
    assertThat(harness.lake(table).failures().total()).isZero();
  }

  /** Makes the table due and gives it to worker w1, incarnation a, with one slot. */
  private Assignment assigned(long table) {
    harness.report(one, worker("w1", "a", 1));
    harness.pass(FRESHNESS);
    assertThat(one.lastAssigned().getTableId()).isEqualTo(table);
    return one.lastAssigned();
  }
}
