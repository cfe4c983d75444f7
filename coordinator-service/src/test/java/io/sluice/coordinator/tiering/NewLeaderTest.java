package io.sluice.coordinator.tiering;

import static io.sluice.coordinator.tiering.QueueHarness.FRESHNESS;
import static io.sluice.coordinator.tiering.QueueHarness.finished;
import static io.sluice.coordinator.tiering.QueueHarness.has;
import static io.sluice.coordinator.tiering.QueueHarness.worker;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.LakeHold;
import io.sluice.coordinator.tiering.QueueHarness.Stream;
import io.sluice.protocol.tiering.v1.Assignment;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a new leader makes of the metadata alone. */
class NewLeaderTest {
  private static final TieringSettings TWO_WORKERS =
      new TieringSettings(Duration.ofSeconds(30), Duration.ofMinutes(2), Duration.ofSeconds(15), 2);

  private final QueueHarness harness = new QueueHarness(TWO_WORKERS);
  private final Stream one = new Stream();

  @Test
  void aRunningRoundGoesOnWhenItsWorkerReportsAgain() {
    long table = running("t");
    Assignment assigned = one.lastAssigned();
    lead();
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.TIERING);
    assertThat(harness.status(table).worker()).isNull();
    harness.pass(119_000);
    assertThat(harness.stateOf(table)).as("just heard of").isEqualTo(TieringState.TIERING);
    Stream again = new Stream();
    harness.report(again, worker("w1", "a", 1).addTables(has(assigned)));
    assertThat(harness.status(table).worker()).isEqualTo("w1");
    assertThat(again.fenced).isEmpty();
    harness.commit(assigned);
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.TIERED);
  }

  @Test
  void aRoundNobodyNamesIsTakenBackAfterTheTimeOut() {
    long table = running("t");
    lead();
    harness.pass(120_001);
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.PENDING);
    assertThat(harness.lake(table).epoch()).isEqualTo(2);
  }

  @Test
  void aRoundNoneOfTheExpectedWorkersHasIsTakenBackAtOnce() {
    long table = running("t");
    lead();
    harness.report(new Stream(), worker("w1", "b", 1));
    assertThat(harness.lake(table).epoch()).as("another is expected").isEqualTo(1);
    harness.report(new Stream(), worker("w2", "b", 1));
    assertThat(harness.lake(table).epoch()).isEqualTo(2);
  }

  @Test
  void aRoundThatEndedMeanwhileIsTakenFromTheMetadataOrTheReport() {
    long committed = running("t");
    Assignment assigned = one.lastAssigned();
    lead();
    harness.commit(assigned);
    assertThat(harness.stateOf(committed)).isEqualTo(TieringState.SCHEDULED);
    harness.drop("t");
    long empty = running("u");
    Assignment second = one.lastAssigned();
    lead();
    harness.report(one, worker("w1", "a", 1).addFinished(finished(second, -1, false)));
    assertThat(harness.stateOf(empty)).isEqualTo(TieringState.SCHEDULED);
  }

  @Test
  void tablesWithACommitAreDueAfterWhatIsLeftOfTheirFreshness() {
    long table = running("t");
    harness.commit(one.lastAssigned());
    harness.nowMs += 20_000;
    lead();
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.INITIALIZED);
    assertThat(harness.status(table).dueMs()).isEqualTo(harness.nowMs + FRESHNESS - 20_000);
    harness.nowMs += 10 * FRESHNESS;
    lead();
    assertThat(harness.status(table).dueMs()).isEqualTo(harness.nowMs);
    long fresh = harness.create("u");
    lead();
    assertThat(harness.stateOf(fresh)).isEqualTo(TieringState.NEW);
  }

  @Test
  void whatIsLeftFollowsAnotherFreshness() {
    long table = running("t");
    harness.commit(one.lastAssigned());
    harness.nowMs += 20_000;
    lead();
    harness.alter(table, 2 * FRESHNESS);
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.INITIALIZED);
    assertThat(harness.status(table).dueMs()).isEqualTo(harness.nowMs + 2 * FRESHNESS - 20_000);
    lead();
    assertThat(harness.status(table).dueMs()).isEqualTo(harness.nowMs + 2 * FRESHNESS - 20_000);
    harness.alter(table, 20_000);
    assertThat(harness.status(table).dueMs()).isEqualTo(harness.nowMs);
  }

  @Test
  void aRoundOfATableThatRegressedMeanwhileDoesNotGoOn() {
    long table = running("t");
    Assignment assigned = one.lastAssigned();
    harness.queue.forget();
    harness.hold(table, LakeHold.REGRESSED, "rolled back");
    lead();
    Stream again = new Stream();
    harness.report(again, worker("w1", "a", 1).addTables(has(assigned)));
    assertThat(again.fenced).hasSize(1);
    harness.pass(120_001);
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.PENDING);
    assertThat(again.assigned).isEmpty();
  }

  @Test
  void holdsAndFailuresSurvive() {
    long table = running("t");
    harness.apply(new Command.RoundFailed(table, 1, "w1", "boom", harness.nowMs));
    harness.hold(table, LakeHold.QUARANTINED, "too many");
    lead();
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.FAILED);
    TableStatus status = harness.status(table);
    assertThat(status.hold()).isEqualTo("quarantined");
    assertThat(status.failures()).isEqualTo(1);
    assertThat(status.lastFailure().cause()).isEqualTo("boom");
    harness.pass(3_600_000);
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.FAILED);
  }

  /** A table that worker w1, incarnation a, has. */
  private long running(String name) {
    long table = harness.create(name);
    harness.report(one, worker("w1", "a", 1));
    harness.pass(FRESHNESS);
    assertThat(one.lastAssigned().getTableId()).isEqualTo(table);
    return table;
  }

  private void lead() {
    harness.queue.forget();
    harness.queue.restore(harness.state, harness.nowMs);
  }
}
