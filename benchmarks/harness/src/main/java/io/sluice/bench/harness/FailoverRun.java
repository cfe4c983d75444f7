package io.sluice.bench.harness;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A client that writes, and looks rows up, all the time while a server is killed with kill -9. What
 * is measured: the time from the kill to the acknowledgement of the first rows, and to the answer
 * of the first lookup, that began after it. So an answer that was on its way at that moment does
 * not count. Failed lookups are what a dead server gives; a failed write ends the run.
 */
final class FailoverRun {
  /** Rows are written in steps of so many, each when the one before is acknowledged. */
  static final int STEP_ROWS = 50;

  private static final long INTERVAL_MS = 10;

  /** Steps, and answered lookups, before the kill. */
  private static final int STEADY = 100;

  private static final int MOST_UNDER_WAY = 500;
  private static final long GIVE_UP_SECONDS = 120;

  private final Writes writes;
  private final @Nullable Lookups lookups;
  private final CompletableFuture<Void> writing = new CompletableFuture<>();
  private final CompletableFuture<Void> lookingUp = new CompletableFuture<>();
  private final CompletableFuture<Long> firstWrite = new CompletableFuture<>();
  private final CompletableFuture<Long> firstLookup = new CompletableFuture<>();
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger answered = new AtomicInteger();
  private volatile @Nullable Throwable lastFailure;
  private volatile boolean killed;
  private volatile boolean ended;

  private FailoverRun(Writes writes, @Nullable Lookups lookups) {
    this.writes = writes;
    this.lookups = lookups;
  }

  /** Writes so many rows and returns when all are acknowledged. */
  @FunctionalInterface
  interface Writes {
    void write(int rows) throws Exception;
  }

  /** Begins a lookup of a row that exists; its answer is not 0. */
  @FunctionalInterface
  interface Lookups {
    CompletableFuture<Long> begin() throws Exception;
  }

  static FailoverRun ofWrites(Writes writes) {
    return new FailoverRun(writes, null);
  }

  static FailoverRun ofWritesAndLookups(Writes writes, Lookups lookups) {
    return new FailoverRun(writes, lookups);
  }

  /**
   * @param pid process id of the server
   */
  void run(long pid, Map<String, Object> answer) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      Future<?> writer = threads.submit(this::writeUntilTheEnd);
      Future<?> reader = threads.submit(this::lookUpUntilTheEnd);
      await(writing, "write is acknowledged");
      await(lookingUp, "lookup is answered");
      long start = kill(pid);
      answer.put("first_write_s", seconds(start, await(firstWrite, "write is acknowledged")));
      if (lookups != null) {
        answer.put("first_lookup_s", seconds(start, await(firstLookup, "lookup is answered")));
      }
      ended = true;
      writer.get(GIVE_UP_SECONDS, TimeUnit.SECONDS);
      reader.get(GIVE_UP_SECONDS, TimeUnit.SECONDS);
    } finally {
      ended = true;
      threads.shutdownNow();
    }
  }

  private static double seconds(long start, long end) {
    return (end - start) / UsageSum.NANOS_PER_SECOND;
  }

  private <T> T await(CompletableFuture<T> event, String what) throws Exception {
    try {
      return event.get(GIVE_UP_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException(
          "No " + what + " for " + GIVE_UP_SECONDS + " s; last failure: " + lastFailure, e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  /** Returns the moment just before; what begins after it is over is not answered by the dead. */
  private long kill(long pid) {
    ProcessHandle server =
        ProcessHandle.of(pid)
            .orElseThrow(() -> new IllegalStateException("There is no process " + pid));
    long start = System.nanoTime();
    if (!server.destroyForcibly()) {
      throw new IllegalStateException("Process " + pid + " cannot be killed");
    }
    killed = true;
    return start;
  }

  private Void writeUntilTheEnd() throws Exception {
    int steps = 0;
    try {
      while (!ended) {
        boolean afterwards = killed;
        writes.write(STEP_ROWS);
        if (afterwards) {
          firstWrite.complete(System.nanoTime());
        }
        if (++steps == STEADY) {
          writing.complete(null);
        }
        TimeUnit.MILLISECONDS.sleep(INTERVAL_MS);
      }
      return null;
    } catch (Exception e) {
      writing.completeExceptionally(e);
      firstWrite.completeExceptionally(e);
      throw e;
    }
  }

  private Void lookUpUntilTheEnd() throws Exception {
    if (lookups == null) {
      lookingUp.complete(null);
      return null;
    }
    while (!ended) {
      if (underWay.incrementAndGet() <= MOST_UNDER_WAY) {
        beginOne(lookups);
      } else {
        underWay.decrementAndGet();
      }
      TimeUnit.MILLISECONDS.sleep(INTERVAL_MS);
    }
    return null;
  }

  private void beginOne(Lookups begun) {
    boolean afterwards = killed;
    CompletableFuture<Long> lookup;
    try {
      lookup = begun.begin();
    } catch (Exception e) {
      lookup = CompletableFuture.failedFuture(e);
    }
    var unused =
        lookup.whenComplete(
            (sum, failure) -> {
              underWay.decrementAndGet();
              if (failure != null) {
                lastFailure = failure;
              } else if (sum == 0) {
                IllegalStateException lost = new IllegalStateException("A row is missing");
                lookingUp.completeExceptionally(lost);
                firstLookup.completeExceptionally(lost);
              } else {
                count(afterwards);
              }
            });
  }

  private void count(boolean afterwards) {
    if (afterwards) {
      firstLookup.complete(System.nanoTime());
    }
    if (answered.incrementAndGet() == STEADY) {
      lookingUp.complete(null);
    }
  }
}
