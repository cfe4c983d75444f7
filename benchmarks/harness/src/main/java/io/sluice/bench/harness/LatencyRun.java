package io.sluice.bench.harness;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Rows at a fixed pace, open loop: each has a due time that does not depend on the rows before it,
 * and its latency runs from there to the poll that returns it, so a stall is charged to every row
 * that had to wait for it. One thread writes, another reads whole rows from the beginning.
 */
final class LatencyRun {
  private static final Duration POLL = Duration.ofMillis(500);
  private static final long GRACE_SECONDS = 60;
  private static final double NANOS_PER_MS = 1e6;

  private final ProductClient client;
  private final RowRing ring;
  private final Order order;
  private final int rows;
  private final int skipped;
  private final long paceNanos;

  /**
   * @param order {@code rows}, of which the first {@code skip} are not measured, at {@code rate}
   *     rows a second
   */
  LatencyRun(ProductClient client, RowRing ring, Order order) {
    this.client = client;
    this.ring = ring;
    this.order = order;
    this.rows = (int) order.number("rows");
    this.skipped = (int) order.number("skip");
    this.paceNanos = 1_000_000_000L / order.number("rate");
    if (skipped >= rows) {
      throw new IllegalArgumentException("All " + rows + " rows are skipped");
    }
  }

  void run(Map<String, Object> answer) throws Exception {
    TargetTable table = order.table();
    client.createTable(table);
    int[] columns = new int[table.schema().size()];
    Arrays.setAll(columns, column -> column);
    int[] servers = order.numbers("servers");
    ReadSum sum = ReadSum.withArrivals(rows);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (RowReader reader = client.reader(table, columns, ReadForm.RAW, order.settings());
        RowWriter writer = client.writer(table, ring, order.settings())) {
      Future<?> reading = thread.submit(() -> read(reader, sum));
      long start = System.nanoTime();
      write(writer, start, 0, skipped);
      Usage from = Usage.now(servers);
      write(writer, start, skipped, rows);
      writer.flush();
      reading.get(GRACE_SECONDS, TimeUnit.SECONDS);
      new UsageSum().add(from, Usage.now(servers)).report(rows - skipped, answer);
      report(start, sum.arrivals(), answer);
    } catch (TimeoutException e) {
      throw new IllegalStateException(
          "Not every row was read within " + GRACE_SECONDS + " s of the last one", e);
    } finally {
      thread.shutdownNow();
    }
  }

  private Void read(RowReader reader, ReadSum sum) throws Exception {
    int read = 0;
    while (read < rows && !Thread.currentThread().isInterrupted()) {
      read += reader.poll(POLL, sum);
    }
    return null;
  }

  private void write(RowWriter writer, long start, int from, int to) throws Exception {
    for (int number = from; number < to; number++) {
      long due = start + number * paceNanos;
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      writer.write(number);
    }
  }

  private void report(long start, long[] arrivals, Map<String, Object> answer) {
    long[] latencies = new long[rows - skipped];
    for (int number = skipped; number < rows; number++) {
      if (arrivals[number] == Long.MIN_VALUE) {
        throw new IllegalStateException("Row " + number + " was not read");
      }
      latencies[number - skipped] = arrivals[number] - (start + number * paceNanos);
    }
    Arrays.sort(latencies);
    answer.put("p50_ms", rank(latencies, 50) / NANOS_PER_MS);
    answer.put("p99_ms", rank(latencies, 99) / NANOS_PER_MS);
    answer.put("max_ms", rank(latencies, 100) / NANOS_PER_MS);
  }

  /** The smallest of the sorted values that so many percent of them do not exceed. */
  static long rank(long[] sorted, int percent) {
    return sorted[Math.max(0, (int) (((long) sorted.length * percent + 99) / 100) - 1)];
  }
}
