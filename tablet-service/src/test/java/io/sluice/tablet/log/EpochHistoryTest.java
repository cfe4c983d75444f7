package io.sluice.tablet.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.tablet.log.EpochHistory.End;
import io.sluice.tablet.log.EpochHistory.Start;
import java.util.List;
import org.junit.jupiter.api.Test;

class EpochHistoryTest {
  private static final EpochHistory HISTORY =
      new EpochHistory(List.of(new Start(2, 10), new Start(4, 50), new Start(7, 80)));

  private static List<Integer> epochs(EpochHistory history) {
    return history.starts().stream().map(Start::epoch).toList();
  }

  @Test
  void anEpochEndsWhereTheNextOneBegins() {
    assertThat(HISTORY.endOf(7, 10, 100)).isEqualTo(new End(7, 100));
    assertThat(HISTORY.endOf(9, 10, 100)).isEqualTo(new End(7, 100));
    assertThat(HISTORY.endOf(5, 10, 100)).isEqualTo(new End(4, 80));
    assertThat(HISTORY.endOf(2, 10, 100)).isEqualTo(new End(2, 50));
    assertThat(HISTORY.endOf(1, 10, 100)).isEqualTo(new End(EpochHistory.NO_EPOCH, 10));
  }

  @Test
  void knowsTheEpochOfTheRecordBeforeAnOffset() {
    assertThat(HISTORY.epochBefore(10)).isEqualTo(EpochHistory.NO_EPOCH);
    assertThat(HISTORY.epochBefore(11)).isEqualTo(2);
    assertThat(HISTORY.epochBefore(50)).isEqualTo(2);
    assertThat(HISTORY.epochBefore(51)).isEqualTo(4);
    assertThat(HISTORY.epochBefore(1000)).isEqualTo(7);
  }

  @Test
  void anEpochThatStoredNothingGivesWayToANewerOne() {
    EpochHistory history = HISTORY.started(8, 100).started(9, 100);
    assertThat(epochs(history)).containsExactly(2, 4, 7, 9);
  }

  /** Its leader had no record in the log that went on, which has some of an older epoch there. */
  @Test
  void anEpochThatStoredNothingGivesWayToAnOlderOne() {
    EpochHistory history = HISTORY.started(9, 100).started(8, 100);
    assertThat(epochs(history)).containsExactly(2, 4, 7, 8);
  }

  @Test
  void goingOnInAnEpochChangesNothing() {
    assertThat(HISTORY.started(7, 100)).isEqualTo(HISTORY);
  }

  @Test
  void anEpochCannotBeginBehindRecordsOfANewerOne() {
    assertThatThrownBy(() -> HISTORY.started(6, 100))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("records of epoch 7");
  }

  @Test
  void aCutForgetsWhatBeginsAtOrBehindTheEnd() {
    assertThat(epochs(HISTORY.cutTo(81))).containsExactly(2, 4, 7);
    assertThat(epochs(HISTORY.cutTo(80))).containsExactly(2, 4);
    assertThat(epochs(HISTORY.cutTo(10))).isEmpty();
  }

  @Test
  void trimmingKeepsTheEpochOfTheRecordBeforeTheLogStart() {
    assertThat(epochs(HISTORY.trimmedTo(49))).containsExactly(2, 4, 7);
    assertThat(epochs(HISTORY.trimmedTo(50))).containsExactly(2, 4, 7);
    assertThat(epochs(HISTORY.trimmedTo(51))).containsExactly(4, 7);
    assertThat(HISTORY.trimmedTo(80).epochBefore(80)).isEqualTo(4);
    assertThat(epochs(HISTORY.trimmedTo(1000))).containsExactly(7);
  }
}
