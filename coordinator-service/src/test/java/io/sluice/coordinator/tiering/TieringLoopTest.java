package io.sluice.coordinator.tiering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.FakeMetadataLog;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.coordinator.metadata.Table;
import io.sluice.coordinator.tiering.QueueHarness.Stream;
import io.sluice.testkit.MovedClock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** The loop with its passes done by the test. */
class TieringLoopTest {
  private final FakeMetadataLog log = FakeMetadataLog.withDatabase();
  private final MovedClock clock = new MovedClock(2_000);
  private final TieringLoop loop =
      new TieringLoop(log, clock, TieringSettings.DEFAULT, new SplittableRandom(1));
  private final Stream stream = new Stream();

  @Test
  void givesADueTableOutOnceItsEpochIsDurable() {
    leadWithATable();
    report();
    clock.advanceMs(10_000);
    passes();
    assertThat(stream.lastAssigned().getEpoch()).isEqualTo(1);
    assertThat(log.current().state().lakes().get(1L).epoch()).isEqualTo(1);
    assertThat(loop.published().status().counts().tiering()).isZero();
    clock.advanceMs(1_000);
    passes();
    assertThat(loop.published().status().counts().tiering()).isEqualTo(1);
  }

  @Test
  void aLostCommandIsSentAgain() {
    leadWithATable();
    report();
    log.setAvailable(false);
    clock.advanceMs(10_000);
    passes();
    assertThat(stream.assigned).isEmpty();
    log.setAvailable(true);
    clock.advanceMs(1_000);
    passes();
    assertThat(stream.assigned).hasSize(1);
  }

  @Test
  void aJumpOfTheWallClockTakesNoTableFromItsWorker() {
    leadWithATable();
    report();
    clock.advanceMs(10_000);
    passes();
    clock.jumpTo(90_000_000);
    passes();
    clock.jumpTo(1);
    passes();
    assertThat(stream.fenced).isEmpty();
    CompletableFuture<Long> time = loop.ask((queue, nowMs) -> nowMs);
    passes();
    assertThat(time).isCompletedWithValue(12_000L);
  }

  @Test
  void reportsAndQuestionsAreRefusedWhereThisCoordinatorDoesNotLead() {
    report();
    assertThat(stream.failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertUnavailable(loop.ask((queue, nowMs) -> nowMs));
  }

  @Test
  void whenLeadershipEndsStreamsEndAndNothingIsPublished() {
    leadWithATable();
    report();
    clock.advanceMs(1_000);
    passes();
    assertThat(loop.published().leading()).isTrue();
    loop.following();
    passes();
    assertThat(stream.failure.code()).isEqualTo(ErrorCode.NOT_COORDINATOR_LEADER);
    assertThat(loop.published().leading()).isFalse();
    assertThat(loop.published().tables()).isEmpty();
    assertUnavailable(loop.ask((queue, nowMs) -> nowMs));
  }

  @Test
  void afterItsEndTheLoopAnswersWithoutAThread() {
    leadWithATable();
    report();
    loop.close();
    assertThat(stream.failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    CompletableFuture<Long> late = loop.ask((queue, nowMs) -> nowMs);
    assertThat(catchThrowable(late::join)).isInstanceOf(CompletionException.class);
  }

  @Test
  void aQuestionSeesWhatWasAppliedBeforeIt() {
    leadWithATable();
    log.submit(Fixtures.createLakeTable("u", List.of(List.of(1))));
    CompletableFuture<Integer> tables =
        loop.ask((queue, nowMs) -> queue.tableStatuses(nowMs).size());
    passes();
    assertThat(tables).isCompletedWithValue(2);
  }

  @Test
  void followsATableWhoseOptionsAloneWereAltered() {
    leadWithATable();
    report();
    Table table = log.current().state().table(1);
    Map<String, String> options = new HashMap<>(table.options());
    options.put("table.datalake.freshness", "3s");
    log.submit(new Command.AlterTable(1, table.version(), null, options, table.comment()));
    clock.advanceMs(3_000);
    passes();
    assertThat(stream.lastAssigned().getFreshnessMs()).isEqualTo(3_000);
  }

  private void leadWithATable() {
    log.submit(Fixtures.register(1, "i"));
    log.submit(Fixtures.createLakeTable("t", List.of(List.of(1))));
    loop.leading();
    passes();
  }

  private void report() {
    loop.reported(stream, QueueHarness.worker("w1", "a", 1).build());
    passes();
  }

  private void passes() {
    for (int i = 0; i < 4; i++) {
      loop.doWork();
    }
  }

  private void assertUnavailable(CompletableFuture<?> future) {
    passes();
    assertThat(catchThrowable(future::join))
        .cause()
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
  }
}
