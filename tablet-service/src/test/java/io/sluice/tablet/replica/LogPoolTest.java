package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.log.BucketLog;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class LogPoolTest {
  private static final int THREADS = 4;

  private static List<TableBucket> buckets(int count) {
    List<TableBucket> buckets = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      buckets.add(TableBucket.of(7, i));
    }
    return buckets;
  }

  /** Ends every piece of work, as no log is needed here. */
  private static BucketLog done() {
    throw new SluiceException(ErrorCode.UNSUPPORTED, "done");
  }

  /** A force that is interrupted closes its file: the replica would go offline. */
  @Test
  void workGoesOnWhenALaterThreadCannotBeStarted() {
    AtomicInteger asked = new AtomicInteger();
    LogPool pool =
        new LogPool(
            THREADS,
            task -> {
              if (asked.incrementAndGet() == 3) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              return new Thread(task);
            });
    Thread caller = Thread.currentThread();
    CountDownLatch bothBlock = new CountDownLatch(2);
    CountDownLatch go = new CountDownLatch(1);
    Set<Thread> workers = ConcurrentHashMap.newKeySet();
    Queue<InterruptedException> interrupts = new ConcurrentLinkedQueue<>();
    LogPool.Outcome outcome =
        pool.run(
            "Forcing",
            buckets(6),
            bucket -> {
              workers.add(Thread.currentThread());
              try {
                if (Thread.currentThread() == caller) {
                  bothBlock.await();
                  go.countDown();
                } else {
                  bothBlock.countDown();
                  go.await();
                }
              } catch (InterruptedException e) {
                interrupts.add(e);
              }
              return done();
            });
    assertThat(interrupts).isEmpty();
    assertThat(workers).hasSize(3).contains(caller);
    assertThat(outcome.failed()).hasSize(6).containsValue("done");
  }

  @Test
  void aCallerThatIsInterruptedWaitsForWhatHasBegun() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    AtomicReference<@Nullable InterruptedException> interrupt = new AtomicReference<>();
    AtomicReference<LogPool.@Nullable Outcome> outcome = new AtomicReference<>();
    Thread caller =
        new Thread(
            () ->
                outcome.set(
                    new LogPool(THREADS)
                        .run(
                            "Forcing",
                            buckets(1),
                            bucket -> {
                              begun.countDown();
                              try {
                                go.await();
                              } catch (InterruptedException e) {
                                interrupt.set(e);
                              }
                              return done();
                            })));
    caller.start();
    begun.await();
    caller.interrupt();
    Await.until(
        "it waits on",
        Duration.ofSeconds(10),
        () -> !caller.isInterrupted() && caller.getState() == Thread.State.WAITING);
    go.countDown();
    caller.join();
    assertThat(interrupt.get()).isNull();
    assertThat(outcome.get()).isNotNull();
  }

  @Test
  void whatFailsIsNamedAndKeepsNothingBack() {
    LogPool.Outcome outcome =
        new LogPool(THREADS)
            .run(
                "Forcing",
                buckets(9),
                bucket -> {
                  if (bucket.bucket() == 2) {
                    throw new OutOfMemoryError("no heap");
                  }
                  return done();
                });
    assertThat(outcome.failed()).hasSize(9);
    assertThat(outcome.failed().get(TableBucket.of(7, 2))).contains("no heap");
    assertThat(new LogPool(THREADS).run("Forcing", List.of(), bucket -> done()).failed()).isEmpty();
  }
}
