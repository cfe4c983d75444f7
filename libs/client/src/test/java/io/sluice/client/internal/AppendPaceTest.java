package io.sluice.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AppendPaceTest {
  private static final long LINGER = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int BATCH_BYTES = 1 << 20;
  private static final int ROW_BYTES = 1000;

  private final AppendPace pace = new AppendPace(LINGER, BATCH_BYTES, 0);
  private long now;

  /** So many rows in each of so many milliseconds; the last answer. */
  private boolean rows(int perMillisecond, int milliseconds, int unanswered) {
    boolean slow = false;
    for (int i = 0; i < milliseconds; i++) {
      for (int row = 0; row < perMillisecond; row++) {
        pace.rowAdded();
      }
      now += MILLISECOND;
      slow = pace.isSlow(now, unanswered, 1);
    }
    return slow;
  }

  @Test
  void theFirstRowGoesAtOnce() {
    assertThat(rows(1, 1, 0)).isTrue();
  }

  @Test
  void rowsThatWouldNotFillABatchInTimeGoWhileLittleIsUnanswered() {
    pace.sealed(10, 10 * ROW_BYTES);
    assertThat(rows(5, 50, 0)).isTrue();
    assertThat(rows(5, 50, 1)).isTrue();
    assertThat(rows(5, 50, AppendPace.UNANSWERED_WHEN_SLOW)).isFalse();
  }

  @Test
  void batchesThatDoNotFillUpKeepADistanceUntilTheAnswer() {
    pace.sealed(10, 10 * ROW_BYTES);
    assertThat(rows(5, 50, 1)).isTrue();
    pace.sent(now);
    long halfway = now + AppendPace.DISTANCE_NANOS / 2;
    assertThat(pace.isSlow(halfway, 1, 1)).isFalse();
    assertThat(pace.waitLeft(halfway, 1)).isEqualTo(AppendPace.DISTANCE_NANOS / 2);
    assertThat(pace.isSlow(halfway, 0, 1)).isTrue();
    assertThat(pace.isSlow(now + AppendPace.DISTANCE_NANOS, 1, 1)).isTrue();
  }

  @Test
  void rowsThatFillABatchInTimeWaitForIt() {
    pace.sealed(10, 10 * ROW_BYTES);
    assertThat(rows(100, 50, 0)).isFalse();
  }

  @Test
  void rowsThatAreSharedByManyOpenBatchesDoNotFillThem() {
    pace.sealed(10, 10 * ROW_BYTES);
    assertThat(rows(100, 50, 0)).isFalse();
    assertThat(pace.isSlow(now, 0, 100)).isTrue();
  }

  @Test
  void afterAFastSourcePausesTheRestGoesWhenNothingIsUnanswered() {
    pace.sealed(10, 10 * ROW_BYTES);
    rows(1000, 50, 1);
    assertThat(rows(0, 1, 1)).isFalse();
    assertThat(rows(0, 1, 0)).isTrue();
  }
}
