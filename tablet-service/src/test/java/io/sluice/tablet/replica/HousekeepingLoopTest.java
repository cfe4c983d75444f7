package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.tablet.log.TestBatches;
import io.sluice.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The threads that do one round after another, whatever becomes of one. */
final class HousekeepingLoopTest {
  private static final Duration SOON = Duration.ofSeconds(10);

  @TempDir private Path temp;

  @Test
  void aRoundWithoutMemoryIsNotTheLast() throws Exception {
    try (TestTablet tablet = TestTablet.open(temp).apply(TestTablet.image(1, 1, 7))) {
      tablet.put(7, TestBatches.plain(3, 100)).get();
      tablet.diskFailure.set(new OutOfMemoryError("unable to create native thread"));
      HousekeepingLoop loop = new HousekeepingLoop(tablet.set.housekeeper());
      loop.start(1);
      try {
        Await.until("a later round forces", SOON, () -> tablet.replica(7).offsets().stable() == 3);
        assertThat(tablet.diskFailure.get()).isNull();
      } finally {
        loop.stop();
      }
    }
  }

  @Test
  void followersAreLookedAtAgainAfterAnError() throws Exception {
    AtomicInteger rounds = new AtomicInteger();
    Runnable work =
        () -> {
          if (rounds.incrementAndGet() == 1) {
            throw new OutOfMemoryError("unable to create native thread");
          }
        };
    try (ReplicationTick tick = new ReplicationTick(work)) {
      tick.start();
      Await.until("a second round", SOON, () -> rounds.get() > 1);
    }
  }
}
