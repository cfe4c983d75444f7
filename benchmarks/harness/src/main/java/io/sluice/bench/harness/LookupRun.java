package io.sluice.bench.harness;

import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Random lookups, one after the other with the time of each, or many at once. Every answer is
 * compared with what must be found.
 */
final class LookupRun {
  /** Many at once: so many before the measured ones, one after the other: a few. */
  private static final int FIRST = 2_000;

  private static final int FIRST_ALONE = 3;

  /** Lookups between two looks at the clock. */
  private static final int STRIDE = 64;

  private static final long ANSWER_SECONDS = 60;
  private static final double NANOS_PER_MS = 1e6;

  private final KeyedReader reader;
  private final RowSums expected;
  private final SplittableRandom random;
  private final long space;
  private final AtomicReference<@Nullable String> wrong = new AtomicReference<>();

  /**
   * @param space lookups are of the numbers below
   */
  LookupRun(KeyedReader reader, RowSums expected, SplittableRandom random, long space) {
    this.reader = reader;
    this.expected = expected;
    this.random = random;
    this.space = space;
  }

  void run(Order order, Map<String, Object> answer) throws Exception {
    long nanos = TimeUnit.MILLISECONDS.toNanos(order.numberOrZero("millis"));
    long rows = order.numberOrZero("rows");
    int inFlight = (int) order.number("inflight");
    int[] servers = order.numbers("servers");
    if (inFlight == 1) {
      alone(0, FIRST_ALONE);
      Usage start = Usage.now(servers);
      long[] latencies = alone(nanos, rows);
      new UsageSum().add(start, Usage.now(servers)).report(latencies.length, answer);
      report(latencies, answer);
    } else {
      together(inFlight, 0, FIRST);
      Usage start = Usage.now(servers);
      long done = together(inFlight, nanos, rows);
      new UsageSum().add(start, Usage.now(servers)).report(done, answer);
    }
    String found = wrong.get();
    if (found != null) {
      throw new IllegalStateException(found);
    }
  }

  /** For a time, or so many when that is not 0; returns how long each took. */
  private long[] alone(long nanos, long rows) throws Exception {
    long[] latencies = new long[(int) Math.max(rows, 1_024)];
    int done = 0;
    long start = System.nanoTime();
    while (rows > 0 ? done < rows : System.nanoTime() - start < nanos) {
      long number = random.nextLong(space);
      long begin = System.nanoTime();
      long sum = reader.sum(number).get(ANSWER_SECONDS, TimeUnit.SECONDS);
      if (done == latencies.length) {
        latencies = Arrays.copyOf(latencies, 2 * done);
      }
      latencies[done++] = System.nanoTime() - begin;
      compare(number, sum);
    }
    return Arrays.copyOf(latencies, done);
  }

  private static void report(long[] latencies, Map<String, Object> answer) {
    Arrays.sort(latencies);
    answer.put("p50_ms", LatencyRun.rank(latencies, 50) / NANOS_PER_MS);
    answer.put("p99_ms", LatencyRun.rank(latencies, 99) / NANOS_PER_MS);
    answer.put("max_ms", LatencyRun.rank(latencies, 100) / NANOS_PER_MS);
  }

  /** For a time, or so many when that is not 0; returns how many when all are answered. */
  private long together(int inFlight, long nanos, long rows) throws Exception {
    Semaphore room = new Semaphore(inFlight);
    long begun = 0;
    long start = System.nanoTime();
    while (rows > 0 ? begun < rows : System.nanoTime() - start < nanos) {
      for (int i = 0; i < STRIDE; i++) {
        take(room, 1);
        begin(random.nextLong(space), room);
      }
      begun += STRIDE;
    }
    take(room, inFlight);
    return begun;
  }

  private static void take(Semaphore room, int permits) throws InterruptedException {
    if (!room.tryAcquire(permits, ANSWER_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("No lookup has been answered for " + ANSWER_SECONDS + " s");
    }
  }

  private void begin(long number, Semaphore room) throws Exception {
    var unused =
        reader
            .sum(number)
            .whenComplete(
                (sum, failure) -> {
                  if (failure == null) {
                    compare(number, sum);
                  } else {
                    wrong.compareAndSet(null, "Lookup of " + number + " failed: " + failure);
                  }
                  room.release();
                });
  }

  private void compare(long number, long sum) {
    if (sum != expected.of(number)) {
      wrong.compareAndSet(
          null,
          "A lookup of %d found the sum %d instead of %d"
              .formatted(number, sum, expected.of(number)));
    }
  }
}
