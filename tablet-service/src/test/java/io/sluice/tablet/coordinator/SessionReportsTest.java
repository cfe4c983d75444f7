package io.sluice.tablet.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.testkit.MovedClock;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

final class SessionReportsTest {
  private final MovedClock clock = new MovedClock(1_700_000_000_000L);
  private final SessionReports reports =
      new SessionReports(clock, TimeUnit.MILLISECONDS.toNanos(3_000));

  private Level ended(boolean joined, ErrorCode code, String reason) {
    return reports.ended("a:1", joined, new SluiceException(code, reason));
  }

  /** One coordinator is dead and the others elect: each attempt fails for another reason. */
  private void assertQuiet(int attempts) {
    for (int i = 0; i < attempts; i++) {
      assertThat(ended(false, ErrorCode.UNAVAILABLE, "refused")).isEqualTo(Level.DEBUG);
      assertThat(ended(false, ErrorCode.NOT_COORDINATOR_LEADER, "b")).isEqualTo(Level.DEBUG);
    }
  }

  @Test
  void aChangeOfTheLeaderIsToldOnceAndIsNoWarning() {
    reports.registered();
    assertThat(ended(true, ErrorCode.UNAVAILABLE, "stopping")).isEqualTo(Level.INFO);
    clock.advanceMs(2_999);
    assertQuiet(20);
    reports.registered();
    assertThat(ended(true, ErrorCode.UNAVAILABLE, "stopping")).isEqualTo(Level.INFO);
  }

  @Test
  void thatNoneLeadsForLongIsWarnedOfOnce() {
    assertQuiet(1);
    clock.advanceMs(3_000);
    assertThat(ended(false, ErrorCode.UNAVAILABLE, "refused")).isEqualTo(Level.WARN);
    clock.advanceMs(600_000);
    assertQuiet(20);
    reports.registered();
    assertThat(ended(true, ErrorCode.UNAVAILABLE, "gone")).isEqualTo(Level.INFO);
    clock.advanceMs(3_000);
    assertThat(ended(false, ErrorCode.UNAVAILABLE, "refused")).isEqualTo(Level.WARN);
  }

  @Test
  void aRefusalThatDoesNotPassIsWarnedOfAtOnce() {
    assertThat(ended(false, ErrorCode.INVALID_ARGUMENT, "another cluster")).isEqualTo(Level.WARN);
    assertThat(ended(false, ErrorCode.INVALID_ARGUMENT, "another cluster")).isEqualTo(Level.DEBUG);
    assertThat(ended(true, ErrorCode.STORAGE_ERROR, "disk")).isEqualTo(Level.WARN);
    reports.registered();
    assertThat(ended(true, ErrorCode.STORAGE_ERROR, "disk")).isEqualTo(Level.WARN);
  }
}
