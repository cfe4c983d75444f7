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
import io.sluice.testkit.Seeds;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class FailureScopesTest {
  private final QueueHarness harness = new QueueHarness();
  private final Stream one = new Stream();
  private final Stream two = new Stream();

  @Test
  void aTableThatFailsWaitsLongerEachTime() {
    long table = pending("t");
    harness.report(one, worker("w1", "a", 1));
    long expected = 10_000;
    for (int failures = 1; failures <= 4; failures++) {
      fail(one, "w1", FailureScope.FAILURE_TABLE);
      assertThat(harness.stateOf(table)).isEqualTo(TieringState.FAILED);
      TableStatus status = harness.status(table);
      assertThat(status.failures()).isEqualTo(failures);
      assertThat(status.lastFailure().cause()).isEqualTo("boom");
      assertThat(status.dueMs() - harness.nowMs).isBetween(expected * 8 / 10, expected * 12 / 10);
      harness.nowMs = status.dueMs();
      harness.report(one, worker("w1", "a", 1));
      expected *= 2;
    }
    harness.commit(one.lastAssigned());
    assertThat(harness.status(table).failures()).isZero();
    assertThat(harness.status(table).failuresTotal()).isEqualTo(4);
  }

  @Test
  void pausesStayBetweenTenSecondsAndTenMinutesWithinTheirJitter() {
    Seeds.run(
        50,
        (seed, random) -> {
          for (int failures = 1; failures < 40; failures++) {
            long pause = RetryPause.ms(failures, random);
            assertThat(pause).isBetween(8_000L, 600_000L);
            if (failures > 8) {
              assertThat(pause).isGreaterThan(450_000);
            }
          }
        });
    assertThat(RetryPause.ms(1, new SplittableRandom(1)))
        .isNotEqualTo(RetryPause.ms(1, new SplittableRandom(2)));
  }

  @Test
  void tenFailuresOnTheOnlyWorkerQuarantineTheTableUntilItIsResumed() {
    long table = pending("t");
    harness.report(one, worker("w1", "a", 1));
    for (int failures = 1; failures <= 10; failures++) {
      assertThat(harness.status(table).hold()).isEmpty();
      fail(one, "w1", FailureScope.FAILURE_TABLE);
      harness.nowMs = harness.status(table).dueMs();
      harness.report(one, worker("w1", "a", 1));
    }
    assertThat(harness.status(table).hold()).isEqualTo("quarantined");
    assertThat(harness.status(table).holdReason())
        .isEqualTo("10 failures in a row on w1; the last: boom");
    assertThat(one.assigned).hasSize(10);
    harness.hold(table, LakeHold.NONE, "");
    harness.tick();
    assertThat(one.assigned).hasSize(11);
    fail(one, "w1", FailureScope.FAILURE_TABLE);
    assertThat(harness.status(table).failures()).isEqualTo(1);
    assertThat(harness.status(table).hold()).isEmpty();
  }

  @Test
  void withTwoWorkersBothHaveToFailAndTheOtherOneIsTriedNext() {
    long table = pending("t");
    harness.report(one, worker("w1", "a", 1));
    fail(one, "w1", FailureScope.FAILURE_TABLE);
    harness.report(two, worker("w2", "a", 1));
    harness.nowMs = harness.status(table).dueMs();
    harness.tick();
    assertThat(two.assigned).hasSize(1);
    assertThat(one.assigned).hasSize(1);
    for (int failures = 2; failures <= 10; failures++) {
      boolean onTwo = harness.status(table).worker().equals("w2");
      assertThat(harness.status(table).hold()).isEmpty();
      fail(onTwo ? two : one, onTwo ? "w2" : "w1", FailureScope.FAILURE_TABLE);
      harness.nowMs = harness.status(table).dueMs();
      harness.report(one, worker("w1", "a", 1));
      harness.report(two, worker("w2", "a", 1));
    }
    assertThat(harness.status(table).holdReason()).startsWith("10 failures in a row on w1, w2");
  }

  @Test
  void failuresThatOnlyOneOfTwoWorkersSeesDoNotQuarantine() {
    long table = pending("t");
    harness.report(one, worker("w1", "a", 1));
    harness.report(two, worker("w2", "a", 0));
    for (int failures = 1; failures <= 12; failures++) {
      fail(one, "w1", FailureScope.FAILURE_TABLE);
      harness.nowMs = harness.status(table).dueMs();
      harness.report(two, worker("w2", "a", 0));
      harness.report(one, worker("w1", "a", 1));
    }
    assertThat(harness.status(table).failures()).isEqualTo(12);
    assertThat(harness.status(table).hold()).isEmpty();
  }

  @Test
  void aWorkerThatFailsByItselfIsDrainedAndTheTableGoesElsewhereUncounted() {
    long table = pending("t");
    harness.report(one, worker("w1", "a", 4));
    harness.report(two, worker("w2", "a", 1));
    assertThat(one.assigned).hasSize(1);
    fail(one, "w1", FailureScope.FAILURE_WORKER);
    assertThat(two.lastAssigned().getTableId()).isEqualTo(table);
    assertThat(harness.status(table).failuresTotal()).isZero();
    assertThat(harness.queue.workerStatuses(harness.nowMs).get(0).state())
        .isEqualTo(WorkerStatus.State.DRAINED);
    pending("u");
    pending("v");
    harness.report(two, worker("w2", "a", 1).addTables(has(two.lastAssigned())));
    harness.report(one, worker("w1", "a", 4));
    assertThat(one.assigned).as("after its minute it gets one table to prove itself").hasSize(2);
    Assignment proof = one.lastAssigned();
    harness.commit(proof);
    harness.report(one, worker("w1", "a", 4).addFinished(finished(proof, 1, false)));
    assertThat(one.assigned).hasSize(3);
  }

  @Test
  void aLakeOutOfOrderStopsAllRoundsButOneProbeAtAGrowingDistance() {
    long first = pending("a");
    harness.create("b");
    harness.create("c");
    harness.report(one, worker("w1", "a", 4));
    assertThat(one.assigned).hasSize(1);
    fail(one, "w1", FailureScope.FAILURE_LAKE);
    QueueStatus status = harness.queue.status(harness.nowMs);
    assertThat(status.lakeBreakerOpen()).isTrue();
    assertThat(status.lakeFailure()).isEqualTo("boom");
    assertThat(harness.stateOf(first)).isEqualTo(TieringState.PENDING);
    assertThat(harness.status(first).failuresTotal()).isZero();
    harness.pass(4_999);
    assertThat(one.assigned).hasSize(1);
    harness.pass(1);
    assertThat(one.assigned).as("one probe, although three are due").hasSize(2);
    int probes = 2;
    for (long pause : new long[] {10_000, 20_000, 40_000, 60_000, 60_000}) {
      fail(one, "w1", FailureScope.FAILURE_LAKE);
      harness.pass(pause - 1);
      assertThat(one.assigned).hasSize(probes);
      harness.pass(1);
      assertThat(one.assigned).as("probe after %s ms", pause).hasSize(++probes);
    }
    harness.commit(one.lastAssigned());
    harness.tick();
    assertThat(harness.queue.status(harness.nowMs).lakeBreakerOpen()).isFalse();
    assertThat(one.assigned).as("all that is due goes on").hasSizeGreaterThan(probes + 1);
  }

  @Test
  void aSupersededRoundIsTriedAgainAfterAMomentAndNeverCounts() {
    long table = pending("t");
    harness.report(one, worker("w1", "a", 1));
    harness.report(
        one,
        worker("w1", "a", 1)
            .addFailed(
                failed(one.lastAssigned(), FailureScope.FAILURE_TABLE, "fenced").toBuilder()
                    .setSuperseded(true)));
    assertThat(harness.stateOf(table)).isEqualTo(TieringState.FAILED);
    harness.pass(1_000);
    assertThat(one.assigned).hasSize(2);
    assertThat(harness.status(table).failuresTotal()).isZero();
  }

  @Test
  void anOutageWaitsLongerEachTimeButNeverCounts() {
    long table = pending("t");
    harness.report(one, worker("w1", "a", 1));
    for (int i = 1; i <= 20; i++) {
      harness.report(
          one,
          worker("w1", "a", 1)
              .addFailed(
                  failed(one.lastAssigned(), FailureScope.FAILURE_TABLE, "tablet 1 is away")
                      .toBuilder()
                      .setOutage(true)));
      assertThat(harness.stateOf(table)).isEqualTo(TieringState.FAILED);
      harness.pass(7_000);
      assertThat(one.assigned).hasSize(i);
      harness.pass(100_000);
      assertThat(one.assigned).hasSize(i + 1);
    }
    assertThat(harness.status(table).failuresTotal()).isZero();
    assertThat(harness.status(table).hold()).isEmpty();
  }

  private long pending(String name) {
    long table = harness.create(name);
    harness.pass(FRESHNESS);
    return table;
  }

  private void fail(Stream stream, String worker, FailureScope scope) {
    harness.report(
        stream, worker(worker, "a", 4).addFailed(failed(stream.lastAssigned(), scope, "boom")));
  }
}
