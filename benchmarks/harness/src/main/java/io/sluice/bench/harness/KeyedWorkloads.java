package io.sluice.bench.harness;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * Carries out the orders about tables with a primary key. Rows are read back after each order that
 * writes, see {@link KeyCheck}. Used by one thread.
 */
final class KeyedWorkloads {
  /** Upserts before the measured ones, so that connections and metadata are there. */
  private static final int FIRST_ROWS = 2_000;

  /** Upserts between two looks at the clock. */
  private static final int STRIDE = 64;

  private static final long SEED = 42;
  private static final LongSupplier NO_CONSUMER = () -> 0;

  private final KeyedProductClient client;
  private final Map<String, KeyCheck> checks = new HashMap<>();
  private final Map<String, RowSums> sums = new HashMap<>();
  private long seed = SEED;

  /** Number of the ring's row that is written next: windows do not repeat each other's. */
  private long next;

  KeyedWorkloads(KeyedProductClient client) {
    this.client = client;
  }

  /** Creates a table and writes a row for each of {@code keys} keys, in their order. */
  void fill(Order order, RowRing ring, Map<String, Object> answer) throws Exception {
    TargetTable table = order.table();
    client.createTable(table);
    long keys = order.number("keys");
    int[] columns = ring.schema().allColumns();
    KeyCheck check = KeyCheck.ofEmptyTable(ring, keys);
    try (KeyedWriter writer = client.upserts(table, ring, columns, order.settings())) {
      Usage start = Usage.now(order.numbers("servers"));
      for (long key = 0; key < keys; key++) {
        writer.upsert(key, key);
        check.written(columns, key, key);
      }
      writer.flush();
      new UsageSum().add(start, Usage.now(order.numbers("servers"))).report(keys, answer);
      refuseFailures(writer.failed(), table);
    }
    compare(table, check, order.settings());
  }

  private void compare(TargetTable table, KeyCheck check, Settings settings) throws Exception {
    try (KeyedReader reader = client.lookups(table, settings)) {
      check.compare(reader, table.name());
    }
    checks.put(table.name(), check);
  }

  private static void refuseFailures(long failed, TargetTable table) {
    if (failed > 0) {
      throw new IllegalStateException(failed + " writes to " + table.name() + " failed");
    }
  }

  /**
   * Upserts random ones of {@code keys} keys for {@code millis}, or {@code rows} of them, and waits
   * until all are answered: the time runs from the first row to the last answer. {@code columns}
   * makes them partial updates. With {@code consumer=true} a thread reads the changelog meanwhile.
   * With {@code failures=counted} writes may fail; what counts as rows is the others.
   */
  void upsert(Order order, RowRing ring, Map<String, Object> answer) throws Exception {
    if (!order.has("consumer")) {
      upsert(order, ring, NO_CONSUMER, answer);
      return;
    }
    TargetTable table = order.table();
    long before = client.storedRows(table);
    try (ChangelogFollower follower =
        ChangelogFollower.start(client.changelog(table, order.settings()))) {
      upsert(order, ring, follower::rows, answer);
      follower.awaitRows(client.storedRows(table) - before);
    }
  }

  private void upsert(Order order, RowRing ring, LongSupplier consumed, Map<String, Object> answer)
      throws Exception {
    TargetTable table = order.table();
    KeyCheck check = takeCheck(order, ring);
    int[] columns = order.given("columns") ? order.numbers("columns") : ring.schema().allColumns();
    Upserts upserts = new Upserts(order.number("keys"), columns, check);
    int[] servers = order.numbers("servers");
    long failed;
    try (KeyedWriter writer = client.upserts(table, ring, columns, order.settings())) {
      upserts.write(writer, FIRST_ROWS);
      writer.flush();
      long failedBefore = writer.failed();
      long consumedBefore = consumed.getAsLong();
      Usage start = Usage.now(servers);
      long rows = order.numberOrZero("rows");
      if (rows > 0) {
        upserts.write(writer, rows);
      } else {
        rows = upserts.writeFor(writer, order.number("millis") * 1_000_000L);
      }
      writer.flush();
      UsageSum used = new UsageSum().add(start, Usage.now(servers));
      if (order.has("consumer")) {
        answer.put(
            "changelog_rows_per_s",
            (consumed.getAsLong() - consumedBefore) * UsageSum.NANOS_PER_SECOND / used.nanos());
      }
      failed = writer.failed();
      used.report(rows - (failed - failedBefore), answer);
      answer.put("failed_writes", failed);
    }
    if (failed == 0) {
      compare(table, check, Settings.NONE);
    } else if (!mayFail(order)) {
      refuseFailures(failed, table);
    }
  }

  /**
   * The check of a table, out of the map: it goes back when everything was as it must be. Where the
   * last order failed it begins with what the table has.
   */
  private KeyCheck takeCheck(Order order, RowRing ring) throws Exception {
    KeyCheck known = checks.remove(order.text("table"));
    if (known != null) {
      return known;
    }
    try (KeyedReader reader = client.lookups(order.table(), Settings.NONE)) {
      return KeyCheck.ofTable(ring, order.number("keys"), reader);
    }
  }

  /** Random upserts, of which the check is told. */
  private final class Upserts {
    private final SplittableRandom random = new SplittableRandom(seed++);
    private final long keys;
    private final int[] columns;
    private final KeyCheck check;

    Upserts(long keys, int[] columns, KeyCheck check) {
      this.keys = keys;
      this.columns = columns;
      this.check = check;
    }

    void write(KeyedWriter writer, long rows) throws Exception {
      for (long i = 0; i < rows; i++) {
        long key = random.nextLong(keys);
        writer.upsert(key, next);
        check.written(columns, key, next);
        next++;
      }
    }

    long writeFor(KeyedWriter writer, long nanos) throws Exception {
      long start = System.nanoTime();
      long written = 0;
      while (System.nanoTime() - start < nanos) {
        write(writer, STRIDE);
        written += STRIDE;
      }
      return written;
    }
  }

  /**
   * Looks up random ones of {@code keys} keys of a table that nothing but {@code fill} has written,
   * or groups of them, for {@code millis}, or {@code rows} times, with {@code inflight} under way.
   * Every answer is compared with what was written.
   */
  void lookup(Order order, RowRing ring, Map<String, Object> answer) throws Exception {
    RowSums expected = sums.computeIfAbsent(order.text("schema"), name -> new RowSums(ring));
    long keys = order.number("keys");
    long space = ring.schema().grouped() ? keys / BenchSchema.GROUP_ROWS : keys;
    try (KeyedReader reader = client.lookups(order.table(), order.settings())) {
      new LookupRun(reader, expected, new SplittableRandom(seed++), space).run(order, answer);
    }
  }

  /**
   * Waits for a server that has been killed to answer a lookup and take a write, and then that
   * every acknowledged write is there. With {@code failures=counted} some may be lost.
   */
  void recover(Order order, RowRing ring, Map<String, Object> answer) throws Exception {
    KeyCheck check = checks.remove(order.text("table"));
    if (check == null) {
      throw new IllegalStateException("Nobody knows what " + order.text("table") + " must hold");
    }
    long key = 0;
    new RecoveryRun(client, ring, order, key, next).run(answer);
    check.written(ring.schema().allColumns(), key, next);
    next++;
    if (mayFail(order)) {
      try (KeyedReader reader = client.lookups(order.table(), order.settings())) {
        answer.put("wrong_rows", check.countWrong(reader));
      }
    } else {
      compare(order.table(), check, order.settings());
      answer.put("wrong_rows", 0);
    }
  }

  /**
   * Upserts and looks rows up all the time while the server with the process id {@code kill} is
   * killed, see {@link FailoverRun}, and then that every acknowledged write is there.
   */
  void failover(Order order, RowRing ring, Map<String, Object> answer) throws Exception {
    TargetTable table = order.table();
    KeyCheck check = takeCheck(order, ring);
    long keys = order.number("keys");
    int[] columns = ring.schema().allColumns();
    Upserts upserts = new Upserts(keys, columns, check);
    SplittableRandom random = new SplittableRandom(seed++);
    try (KeyedWriter writer = client.upserts(table, ring, columns, order.settings());
        KeyedReader reader = client.lookups(table, order.settings())) {
      FailoverRun.ofWritesAndLookups(
              rows -> {
                upserts.write(writer, rows);
                writer.flush();
                refuseFailures(writer.failed(), table);
              },
              () -> reader.sum(random.nextLong(keys)))
          .run(order.number("kill"), answer);
    }
    compare(table, check, Settings.NONE);
  }

  private static boolean mayFail(Order order) {
    return order.textOr("failures", "").equals("counted");
  }
}
