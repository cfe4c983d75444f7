package io.sluice.systemtests.lake;

import io.sluice.client.AppendWriter;
import io.sluice.client.Connection;
import io.sluice.format.row.Row;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Appends rows at a steady pace until closed, and knows which were handed over and acknowledged.
 */
final class SteadyLoad implements AutoCloseable {
  private static final long TICK_MS = 20;
  private static final long STOP_SECONDS = 60;

  private final AppendWriter writer;
  private final LongFunction<Row> rows;
  private final int rowsPerTick;
  private final AtomicLong handedOver = new AtomicLong();
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(work -> new Thread(work, "steady-load"));

  /**
   * @param rows makes the row of a number; numbers count from 0
   */
  SteadyLoad(Connection connection, String table, int rowsPerSecond, LongFunction<Row> rows) {
    this.writer = connection.table(table).appendWriter();
    this.rows = rows;
    this.rowsPerTick = Math.max(1, (int) (rowsPerSecond * TICK_MS / 1000));
    thread.scheduleAtFixedRate(this::append, 0, TICK_MS, TimeUnit.MILLISECONDS);
  }

  /** Rows handed to the writer: no more than these can be stored. */
  long handedOver() {
    return handedOver.get();
  }

  /** Rows acknowledged: at least these are stored. */
  long acknowledged() {
    return acknowledged.get();
  }

  private void append() {
    if (failure.get() != null) {
      return;
    }
    try {
      for (int i = 0; i < rowsPerTick; i++) {
        // Counted before it is handed over, so that the count is never too low.
        Row row = rows.apply(handedOver.getAndIncrement());
        writer.append(row).whenComplete((result, problem) -> count(problem));
      }
    } catch (RuntimeException e) {
      failure.compareAndSet(null, e);
    }
  }

  private void count(@Nullable Throwable problem) {
    if (problem == null) {
      acknowledged.incrementAndGet();
    } else {
      failure.compareAndSet(null, problem);
    }
  }

  /** Fails when a row was not stored. */
  void check() {
    Throwable problem = failure.get();
    if (problem != null) {
      throw new AssertionError("The load failed after " + acknowledged + " rows", problem);
    }
  }

  /** Stops, stores what was handed over, and fails when a row was not stored. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("The load does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    writer.close();
    check();
  }
}
