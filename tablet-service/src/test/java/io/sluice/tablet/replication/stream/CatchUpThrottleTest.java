package io.sluice.tablet.replication.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.SluiceException;
import io.sluice.testkit.MovedClock;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class CatchUpThrottleTest {
  private final MovedClock clock = new MovedClock(0);
  private final StreamStats stats = new StreamStats();
  private final CatchUpThrottle throttle = new CatchUpThrottle(1_000_000, clock, stats);

  @Test
  void pausesForAsLongAsTheBytesShouldHaveTaken() {
    assertThat(throttle.take(500_000)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(500));
    clock.advanceMs(200);
    assertThat(throttle.take(100_000)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(400));
    assertThat(stats.throttledBytes()).isEqualTo(600_000);
  }

  @Test
  void afterAPauseALittleComesAtOnceButNotAll() {
    clock.advanceMs(60_000);
    assertThat(throttle.take(100_000)).isZero();
    assertThat(stats.throttledBytes()).isZero();
    assertThat(throttle.take(100_000)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
  }

  @Test
  void asksForSoLittleAtOnceThatPausesAreShort() {
    assertThat(throttle.answerBytes(8 << 20)).isEqualTo(256 << 10);
    assertThat(new CatchUpThrottle(16 << 20, clock, stats).answerBytes(8 << 20)).isEqualTo(2 << 20);
    assertThat(new CatchUpThrottle(1 << 30, clock, stats).answerBytes(8 << 20)).isEqualTo(8 << 20);
  }

  @Test
  void refusesAPaceOfNothing() {
    assertThatThrownBy(() -> new CatchUpThrottle(0, clock, stats))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("catch-up-bytes-per-second");
  }
}
