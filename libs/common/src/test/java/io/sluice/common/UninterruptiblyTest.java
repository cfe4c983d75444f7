package io.sluice.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class UninterruptiblyTest {
  @Test
  void anInterruptionCountsAfterTheWait() throws Exception {
    CountDownLatch begun = new CountDownLatch(2);
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger interrupted = new AtomicInteger(-1);
    Thread waiting =
        new Thread(
            () -> {
              Uninterruptibly.run(
                  () -> {
                    begun.countDown();
                    end.await();
                  });
              interrupted.set(Thread.currentThread().isInterrupted() ? 1 : 0);
            });
    waiting.start();
    waiting.interrupt();
    assertThat(begun.await(20, TimeUnit.SECONDS)).as("it waits again").isTrue();
    assertThat(waiting.isAlive()).isTrue();
    end.countDown();
    waiting.join();
    assertThat(interrupted).hasValue(1);
  }

  @Test
  void withoutAnInterruptionNothingIsLeft() {
    Uninterruptibly.run(new CountDownLatch(0)::await);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void aFailureEndsTheWaitAndKeepsTheInterruption() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(
            () ->
                Uninterruptibly.run(
                    () -> {
                      new CountDownLatch(0).await();
                      throw new IllegalStateException("over");
                    }))
        .hasMessage("over");
    assertThat(Thread.interrupted()).isTrue();
  }
}
