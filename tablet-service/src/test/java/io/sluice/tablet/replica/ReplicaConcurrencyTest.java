package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.tablet.log.TestBatches;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writers, readers and housekeeping at the same time, then a crash. */
final class ReplicaConcurrencyTest {
  private static final int PUTS = 300;
  private static final int WRITERS = 4;

  @TempDir private Path temp;

  @Test
  void everyAnsweredRowIsThereOnceAndReadersSeeADenseLog() throws Exception {
    Path crashed = temp.resolve("crashed");
    ExecutorService pool = Executors.newCachedThreadPool();
    try (TestTablet tablet =
        TestTablet.open(temp.resolve("data")).apply(TestTablet.image(1, 1, 7, 8))) {
      AtomicBoolean done = new AtomicBoolean();
      List<Future<?>> writers = new ArrayList<>();
      List<Future<?>> others = new ArrayList<>();
      for (long writer = 0; writer < WRITERS; writer++) {
        long id = writer;
        writers.add(pool.submit(() -> write(tablet, 7 + id % 2, id)));
      }
      for (long table : List.of(7L, 8L)) {
        others.add(pool.submit((Callable<Void>) () -> follow(tablet.replica(table), done)));
      }
      others.add(
          pool.submit(
              () -> {
                while (!done.get()) {
                  tablet.set.housekeeper().doWork();
                }
              }));
      for (Future<?> writer : writers) {
        writer.get();
      }
      done.set(true);
      for (Future<?> other : others) {
        other.get();
      }
      checkWriters(tablet);
      assertThat(tablet.set.files().size()).isLessThanOrEqualTo(16);
      ReplicaSetTest.copy(temp.resolve("data"), crashed);
    } finally {
      pool.shutdownNow();
    }
    try (TestTablet tablet = TestTablet.open(crashed).apply(TestTablet.image(2, 2, 7, 8))) {
      checkWriters(tablet);
    }
  }

  /** Sends each put twice, several at a time, and again when the server is busy. */
  private static void write(TestTablet tablet, long table, long writer) {
    List<Answer> open = new ArrayList<>();
    for (int i = 0; i < PUTS; i++) {
      for (int copy = 0; copy < 2; copy++) {
        open.add(tablet.put(table, TestBatches.of(3, writer, 0, 3L * i, 2000)));
      }
      if (open.size() >= 16) {
        open.forEach(ReplicaConcurrencyTest::await);
        open.clear();
      }
    }
    open.forEach(ReplicaConcurrencyTest::await);
  }

  private static void await(Answer answer) {
    try {
      answer.get();
    } catch (ExecutionException e) {
      assertThat(((SluiceException) e.getCause()).code()).isEqualTo(ErrorCode.BACKPRESSURE);
      throw new AssertionError("Sixteen small puts a writer fit into a shard", e);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static Void follow(Replica replica, AtomicBoolean done) {
    long expected = 0;
    try (BatchCursor cursor = replica.openCursor(0)) {
      while (true) {
        boolean last = done.get();
        ReplicaOffsets offsets = replica.offsets();
        assertThat(offsets.stable()).isLessThanOrEqualTo(offsets.visible());
        assertThat(offsets.visible()).isLessThanOrEqualTo(offsets.logEnd());
        while (cursor.next(offsets.visible())) {
          assertThat(cursor.header().baseOffset()).isEqualTo(expected);
          expected = cursor.header().nextOffset();
        }
        if (last) {
          assertThat(expected).isEqualTo(offsets.visible());
          return null;
        }
        Thread.onSpinWait();
      }
    }
  }

  private static void checkWriters(TestTablet tablet) {
    for (long writer = 0; writer < WRITERS; writer++) {
      List<long[]> stored = TestTablet.sequences(tablet.replica(7 + writer % 2), writer);
      assertThat(stored).hasSize(PUTS);
      for (int i = 0; i < PUTS; i++) {
        assertThat(stored.get(i)).isEqualTo(new long[] {3L * i, 3});
      }
    }
  }
}
