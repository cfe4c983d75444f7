package io.sluice.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
  @Test
  void aFullBudgetTimesOutNamingItsBytes() {
    MemoryBudget budget = new MemoryBudget(100, "The buffer", TimeSource.SYSTEM);
    AtomicInteger asked = new AtomicInteger();
    budget.whenFull(asked::incrementAndGet);
    budget.awaitRoom(1);
    budget.add(100);
    assertThatThrownBy(() -> budget.awaitRoom(2_000_000))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT))
        .hasMessageContaining("The buffer is full: 100 bytes of at most 100");
    assertThat(asked).hasValue(1);
  }

  @Test
  void aWaitingThreadGoesOnWhenBytesAreReleased() throws Exception {
    MemoryBudget budget = new MemoryBudget(100, "The buffer", TimeSource.SYSTEM);
    budget.add(150);
    Thread waiting = new Thread(() -> budget.awaitRoom(60_000_000_000L));
    waiting.start();
    Await.until(
        "waits", Duration.ofSeconds(10), () -> waiting.getState() == Thread.State.TIMED_WAITING);
    budget.release(51);
    waiting.join(10_000);
    assertThat(waiting.isAlive()).isFalse();
    assertThat(budget.used()).isEqualTo(99);
  }
}
