package io.sluice.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AgentRunnerTest {
  @Test
  void runsOnAThreadNamedAfterTheAgentAndClosesItOnce() throws Exception {
    CountDownLatch ran = new CountDownLatch(1);
    AtomicInteger closed = new AtomicInteger();
    AtomicBoolean named = new AtomicBoolean();
    AgentRunner runner =
        AgentRunner.start(
            new Agent() {
              @Override
              public String name() {
                return "some-agent";
              }

              @Override
              public int doWork() {
                named.set(Thread.currentThread().getName().equals("some-agent"));
                ran.countDown();
                return 0;
              }

              @Override
              public void close() {
                closed.incrementAndGet();
              }
            },
            1);
    assertThat(ran.await(10, TimeUnit.SECONDS)).isTrue();
    runner.close();
    runner.close();
    assertThat(named).isTrue();
    assertThat(closed).hasValue(1);
  }

  @Test
  void goesOnAfterAPassThatThrows() throws Exception {
    CountDownLatch passes = new CountDownLatch(3);
    Agent failing =
        new Agent() {
          @Override
          public String name() {
            return "failing-agent";
          }

          @Override
          public int doWork() {
            passes.countDown();
            throw new IllegalStateException("pass failed on purpose");
          }
        };
    try (AgentRunner runner = AgentRunner.start(failing, 1)) {
      assertThat(passes.await(10, TimeUnit.SECONDS)).isTrue();
      runner.wake();
    }
  }

  @Test
  void wakeEndsALongIdleWait() throws Exception {
    CountDownLatch twice = new CountDownLatch(2);
    Agent idle =
        new Agent() {
          @Override
          public String name() {
            return "idle-agent";
          }

          @Override
          public int doWork() {
            twice.countDown();
            return 0;
          }
        };
    try (AgentRunner runner = AgentRunner.start(idle, 3_600_000)) {
      runner.wake();
      assertThat(twice.await(10, TimeUnit.SECONDS)).isTrue();
    }
  }
}
