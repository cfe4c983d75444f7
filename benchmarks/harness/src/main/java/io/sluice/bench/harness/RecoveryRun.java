package io.sluice.bench.harness;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A client whose server has been killed: it looks rows up, a new one every {@value #INTERVAL_MS} ms
 * whatever became of the last, and writes one row, until both succeed.
 */
final class RecoveryRun {
  private static final long INTERVAL_MS = 10;
  private static final int MOST_UNDER_WAY = 500;
  private static final long GIVE_UP_SECONDS = 240;

  private final KeyedProductClient client;
  private final RowRing ring;
  private final Order order;
  private final long key;
  private final long number;
  private volatile @Nullable Exception lastFailure;

  /**
   * @param key of the row that is written
   * @param number of the ring's row that it gets
   */
  RecoveryRun(KeyedProductClient client, RowRing ring, Order order, long key, long number) {
    this.client = client;
    this.ring = ring;
    this.order = order;
    this.key = key;
    this.number = number;
  }

  void run(Map<String, Object> answer) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      Future<Long> lookup = threads.submit(() -> untilItWorks(this::firstLookup));
      Future<Long> write = threads.submit(() -> untilItWorks(this::firstWrite));
      answer.put("first_lookup_at_ms", lookup.get(GIVE_UP_SECONDS, TimeUnit.SECONDS));
      answer.put("first_write_at_ms", write.get(GIVE_UP_SECONDS, TimeUnit.SECONDS));
    } catch (TimeoutException e) {
      Exception why = lastFailure;
      throw new IllegalStateException(
          "No lookup and write within " + GIVE_UP_SECONDS + " s of the restart; last: " + why, e);
    } finally {
      threads.shutdownNow();
    }
  }

  /** A failure is no news while the server is down; the last one is for whoever gives up. */
  private long untilItWorks(Callable<Long> attempt) throws InterruptedException {
    while (true) {
      try {
        return attempt.call();
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        lastFailure = e;
        TimeUnit.MILLISECONDS.sleep(INTERVAL_MS);
      }
    }
  }

  private long firstLookup() throws Exception {
    CompletableFuture<Long> found = new CompletableFuture<>();
    AtomicInteger underWay = new AtomicInteger();
    SplittableRandom random = new SplittableRandom(number);
    long keys = order.number("keys");
    try (KeyedReader reader = client.lookups(order.table(), order.settings())) {
      while (true) {
        if (underWay.incrementAndGet() <= MOST_UNDER_WAY) {
          begin(reader, random.nextLong(keys), found, underWay);
        } else {
          underWay.decrementAndGet();
        }
        Long at = await(found);
        if (at != null) {
          return at;
        }
      }
    }
  }

  private void begin(
      KeyedReader reader, long row, CompletableFuture<Long> found, AtomicInteger underWay)
      throws Exception {
    var unused =
        reader
            .sum(row)
            .whenComplete(
                (sum, failure) -> {
                  underWay.decrementAndGet();
                  if (failure instanceof Exception e) {
                    lastFailure = e;
                  } else if (sum != null && sum != 0) {
                    found.complete(System.currentTimeMillis());
                  }
                });
  }

  private static @Nullable Long await(CompletableFuture<Long> found) throws Exception {
    try {
      return found.get(INTERVAL_MS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return null;
    }
  }

  private long firstWrite() throws Exception {
    int[] all = ring.schema().allColumns();
    try (KeyedWriter writer = client.upserts(order.table(), ring, all, order.settings())) {
      writer.upsert(key, number);
      writer.flush();
      long at = System.currentTimeMillis();
      if (writer.failed() > 0) {
        throw new IllegalStateException("The write failed");
      }
      return at;
    }
  }
}
