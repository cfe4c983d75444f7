package io.sluice.bench.harness;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Carries out the orders of a client process on one product. Used by one thread. */
final class Workloads {
  private static final Duration POLL = Duration.ofSeconds(1);

  /** A scan that gets nothing for so long has lost rows, or its server. */
  private static final long STUCK_NANOS = Duration.ofSeconds(30).toNanos();

  /** Rows written before the measured ones, so that connections and metadata are there. */
  private static final int FIRST_ROWS = 2_000;

  /** Rows between two looks at the clock. */
  private static final int STRIDE = 64;

  private final ProductClient client;
  private final @Nullable KeyedWorkloads keyed;
  private final Map<String, RowRing> rings = new HashMap<>();

  Workloads(ProductClient client) {
    this.client = client;
    this.keyed = client instanceof KeyedProductClient k ? new KeyedWorkloads(k) : null;
  }

  /** Does what the order says; what is measured goes into the answer. */
  void run(Order order, Map<String, Object> answer) throws Exception {
    switch (order.verb()) {
      case "append" -> append(order, answer);
      case "load" -> load(order, answer);
      case "scan" -> scan(order, answer);
      case "latency" -> new LatencyRun(client, ring(order), order).run(answer);
      case "fill" -> keyed(order).fill(order, ring(order), answer);
      case "upsert" -> keyed(order).upsert(order, ring(order), answer);
      case "lookup" -> keyed(order).lookup(order, ring(order), answer);
      case "recover" -> keyed(order).recover(order, ring(order), answer);
      case "failover" -> failover(order, answer);
      case "drop" -> client.dropTable(order.table());
      default -> throw new IllegalArgumentException("Unknown order " + order.verb());
    }
  }

  /**
   * Kills a server, see {@link FailoverRun}; then every row that was acknowledged must be there.
   */
  private void failover(Order order, Map<String, Object> answer) throws Exception {
    if (ring(order).schema().keyColumns() > 0) {
      keyed(order).failover(order, ring(order), answer);
      return;
    }
    TargetTable table = order.table();
    long before = client.storedRows(table);
    long[] written = {0};
    try (RowWriter writer = client.writer(table, ring(order), order.settings())) {
      FailoverRun.ofWrites(
              rows -> {
                written[0] += write(writer, before + written[0], rows);
                writer.flush();
              })
          .run(order.number("kill"), answer);
    }
    stored(table, before + written[0], answer);
  }

  private KeyedWorkloads keyed(Order order) {
    if (keyed == null) {
      throw new IllegalArgumentException(
          "This product has no tables with a primary key to " + order.verb());
    }
    return keyed;
  }

  private RowRing ring(Order order) {
    return rings.computeIfAbsent(order.text("schema"), name -> RowRing.of(BenchSchema.of(name)));
  }

  /**
   * Writes for {@code seconds} of time, or {@code rows} rows, and waits until all are acknowledged:
   * the time runs from the first row to the last acknowledgement.
   */
  private void append(Order order, Map<String, Object> answer) throws Exception {
    TargetTable table = order.table();
    client.createTable(table);
    int[] servers = order.numbers("servers");
    long first;
    long rows;
    try (RowWriter writer = client.writer(table, ring(order), order.settings())) {
      first = write(writer, 0, FIRST_ROWS);
      writer.flush();
      Usage start = Usage.now(servers);
      rows = order.numberOrZero("rows");
      if (rows > 0) {
        rows = write(writer, first, rows);
      } else {
        rows = writeFor(writer, first, order.number("millis") * 1_000_000L);
      }
      writer.flush();
      new UsageSum().add(start, Usage.now(servers)).report(rows, answer);
    }
    stored(table, first + rows, answer);
  }

  private void stored(TargetTable table, long rows, Map<String, Object> answer) throws Exception {
    long stored = client.storedRows(table);
    if (stored != rows) {
      throw new IllegalStateException(
          rows + " rows were written to " + table.name() + ", the servers have " + stored);
    }
    answer.put("stored_rows", stored);
    long bytes = client.storedBytes(table);
    if (bytes >= 0) {
      answer.put("stored_bytes", bytes);
    }
  }

  /** Writes at least so many rows and returns how many. */
  private static long write(RowWriter writer, long first, long rows) throws Exception {
    long written = 0;
    while (written < rows) {
      written += writer.write(first + written);
    }
    return written;
  }

  private static long writeFor(RowWriter writer, long first, long nanos) throws Exception {
    long start = System.nanoTime();
    long written = 0;
    while (System.nanoTime() - start < nanos) {
      for (int i = 0; i < STRIDE; i++) {
        written += writer.write(first + written);
      }
    }
    return written;
  }

  /** Fills a new table with exactly {@code rows} rows, to be read. */
  private void load(Order order, Map<String, Object> answer) throws Exception {
    TargetTable table = order.table();
    client.createTable(table);
    long rows = order.number("rows");
    try (RowWriter writer = client.writer(table, ring(order), order.settings())) {
      write(writer, 0, rows);
      writer.flush();
    }
    stored(table, rows, answer);
  }

  /**
   * Reads the whole table again and again until {@code millis} of reading have passed; the last
   * time is finished. The time of a pass runs from the opening of the reader to its last row. Every
   * pass must give the same sum.
   */
  private void scan(Order order, Map<String, Object> answer) throws Exception {
    long rows = order.number("rows");
    long nanos = order.number("millis") * 1_000_000L;
    UsageSum used = new UsageSum();
    long passes = 0;
    long sum = 0;
    while (passes == 0 || used.nanos() < nanos) {
      long read = scanOnce(order, rows, used);
      if (passes > 0 && read != sum) {
        throw new IllegalStateException(
            "Two scans of one table have the sums " + sum + " and " + read);
      }
      sum = read;
      passes++;
    }
    used.report(passes * rows, answer);
    answer.put("passes", passes);
    answer.put("checksum", sum);
  }

  private long scanOnce(Order order, long rows, UsageSum used) throws Exception {
    int[] servers = order.numbers("servers");
    ReadForm form = ReadForm.valueOf(order.text("form"));
    ReadSum sum = ReadSum.plain();
    Usage start = Usage.now(servers);
    try (RowReader reader =
        client.reader(order.table(), order.numbers("columns"), form, order.settings())) {
      readAll(reader, rows, sum);
      used.add(start, Usage.now(servers));
    }
    return sum.sum();
  }

  private static void readAll(RowReader reader, long rows, ReadSum sum) throws Exception {
    long read = 0;
    long last = System.nanoTime();
    while (read < rows) {
      int got = reader.poll(POLL, sum);
      read += got;
      if (got > 0) {
        last = System.nanoTime();
      } else if (System.nanoTime() - last > STUCK_NANOS) {
        throw new IllegalStateException("The scan stands still at row " + read + " of " + rows);
      }
    }
    if (read > rows) {
      throw new IllegalStateException("The scan returned " + read + " rows of " + rows);
    }
  }
}
