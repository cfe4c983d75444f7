package io.sluice.systemtests.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.Connection;
import io.sluice.client.Key;
import io.sluice.client.LogScanner;
import io.sluice.client.Lookuper;
import io.sluice.client.PrefixLookuper;
import io.sluice.client.Scan;
import io.sluice.client.Table;
import io.sluice.client.TableSpec;
import io.sluice.client.UpsertWriter;
import io.sluice.client.WriterOptions;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.format.row.Row;
import io.sluice.systemtests.local.LocalCluster;
import io.sluice.systemtests.local.ScannedRows;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Faults that systems of this kind had in the field; their stores alone are tested beside them. */
final class FieldCasesIT {
  private static final String DATABASE = "field_cases";
  private static final int DROPS = 6;
  private static final int DROPPED_ROWS = 20_000;
  private static final int READERS = 4;

  private Connection connection;

  @BeforeEach
  void connect() {
    connection = LocalCluster.shared().connect();
    connection.admin().createDatabase(DATABASE, true);
  }

  @AfterEach
  void disconnect() {
    connection.close();
  }

  /** B06: puts that change nothing leave no batches that stop a reader. */
  @Test
  void readersPassPutsThatChangedNothing() {
    Table table = create("nothing_new", "table.merge-engine", "first_row");
    try (UpsertWriter writer = table.upsertWriter()) {
      for (int times = 0; times < 11; times++) {
        for (int k = 1; k <= 5; k++) {
          writer.upsert(Row.of(k, "v" + times, null, times));
        }
        writer.flush();
      }
      writer.upsert(Row.of(6, "six", null, 6));
    }
    readsToItsEnd(table, table.scan());
    readsToItsEnd(table, table.scan().columns("c"));
  }

  private void readsToItsEnd(Table table, Scan scan) {
    AtomicInteger inserts = new AtomicInteger();
    try (LogScanner scanner = scan.withChangeType().open()) {
      ScannedRows.poll(
          scanner,
          row -> {
            assertThat(row.getString(row.columnCount() - 1)).isEqualTo("+I");
            inserts.incrementAndGet();
          },
          scanner::finished);
      assertThat(inserts).hasValue(6);
      long end = connection.admin().listOffsets(table.description().path()).get(0).logEnd();
      assertThat(scanner.positions()).isEqualTo(Map.of(0, end));
    }
  }

  /** B14: a partial writer's first row of a key has nothing but what it names. */
  @Test
  void aPartialFirstRowHasOnlyItsColumns() {
    Table plain = create("partial");
    Table sums = create("partial_sums", "table.merge-engine", "aggregation", "fields.c.agg", "sum");
    for (Table table : List.of(plain, sums)) {
      WriterOptions some = WriterOptions.defaults().partial("k", "a");
      try (UpsertWriter writer = table.upsertWriter(some);
          Lookuper lookuper = table.lookuper()) {
        assertThatThrownBy(() -> writer.upsert(Row.of(1, "x", "must not stay", 9)).join())
            .isInstanceOf(SluiceException.class);
        writer.upsert(Row.of(1, "x")).join();
        assertThat(RowTexts.of(table, List.of(lookuper.find(Key.of(1)).orElseThrow())))
            .containsExactly("1, x, null, null");
      }
      assertThat(RowTexts.changes(table)).containsExactly("+I[1, x, null, null]");
    }
    connection
        .admin()
        .createTable(
            TableSpec.of(DATABASE + ".strict")
                .requiredColumn("k", "INT")
                .column("a", "STRING")
                .requiredColumn("must", "INT")
                .primaryKey("k")
                .build());
    Table strict = connection.table(DATABASE + ".strict");
    assertThatThrownBy(() -> strict.upsertWriter(WriterOptions.defaults().partial("k", "a")))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
        .hasMessageContaining("must");
  }

  /**
   * B18: tables are dropped under scans, lookups and puts. These end, with an error that says what
   * happened, and the process and its other tables go on. That the process is this one makes a
   * crash hard to miss.
   */
  @Test
  void tablesDroppedUnderReadersEndTheirCalls() {
    Table other = create("other");
    try (UpsertWriter writer = other.upsertWriter()) {
      writer.upsert(Row.of(1, "x", null, 1));
    }
    for (int drop = 0; drop < DROPS; drop++) {
      dropUnderLoad("dropped_" + drop);
    }
    try (Lookuper lookuper = other.lookuper()) {
      assertThat(lookuper.find(Key.of(1))).isPresent();
    }
  }

  private void dropUnderLoad(String name) {
    String path = DATABASE + "." + name;
    connection
        .admin()
        .createTable(
            TableSpec.of(path)
                .requiredColumn("part", "INT")
                .requiredColumn("k", "INT")
                .column("v", "STRING")
                .primaryKey("part", "k")
                .bucketKey("part")
                .buckets(2)
                .build());
    Table table = connection.table(path);
    try (UpsertWriter writer = table.upsertWriter()) {
      for (int i = 0; i < DROPPED_ROWS; i++) {
        writer.upsert(Row.of(i % 8, i, "value " + i));
      }
    }
    ExecutorService threads = Executors.newFixedThreadPool(2 * READERS + 1);
    try {
      List<CompletableFuture<SluiceException>> ends = new ArrayList<>();
      AtomicInteger turns = new AtomicInteger();
      for (int reader = 0; reader < READERS; reader++) {
        ends.add(until(threads, path, turns, FieldCasesIT::scanOnce));
        ends.add(until(threads, path, turns, FieldCasesIT::lookUpOnce));
      }
      ends.add(until(threads, path, turns, FieldCasesIT::putOnce));
      Await.until(
          "everybody is at work", Duration.ofSeconds(30), () -> turns.get() >= 2 * ends.size());
      connection.admin().dropTable(TablePath.parse(path), false);
      for (CompletableFuture<SluiceException> end : ends) {
        assertThat(end.join().code()).isIn(ENDS);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static final Set<ErrorCode> ENDS =
      Set.of(
          ErrorCode.TABLE_NOT_FOUND,
          ErrorCode.TABLE_CHANGED,
          ErrorCode.UNAVAILABLE,
          ErrorCode.NOT_LEADER,
          ErrorCode.LEADER_NOT_READY);

  private interface Turn {
    void take(Table table);
  }

  /** Does it again and again until it fails, and tells how it failed. */
  private static CompletableFuture<SluiceException> until(
      ExecutorService threads, String path, AtomicInteger turns, Turn turn) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (Connection own = LocalCluster.shared().connect()) {
            Table table = own.table(path);
            while (true) {
              turn.take(table);
              turns.incrementAndGet();
            }
          } catch (SluiceException e) {
            return e;
          } catch (CompletionException e) {
            if (e.getCause() instanceof SluiceException cause) {
              return cause;
            }
            throw e;
          }
        },
        threads);
  }

  private static void scanOnce(Table table) {
    assertThat(ScannedRows.read(table.scan().current(), row -> row.getInt(1)))
        .hasSizeGreaterThanOrEqualTo(DROPPED_ROWS);
  }

  private static void lookUpOnce(Table table) {
    try (PrefixLookuper lookuper = table.prefixLookuper("k")) {
      List<CompletableFuture<List<Row>>> found = new ArrayList<>();
      for (int part = 0; part < 8; part++) {
        found.add(lookuper.lookup(Key.of(part), 100));
      }
      found.forEach(rows -> assertThat(rows.join()).hasSize(100));
    }
  }

  private static void putOnce(Table table) {
    try (UpsertWriter writer = table.upsertWriter()) {
      for (int i = 0; i < 500; i++) {
        writer.upsert(Row.of(i % 8, DROPPED_ROWS + i, "more"));
      }
      writer.flush();
    }
  }

  private Table create(String name, String... options) {
    String path = DATABASE + "." + name;
    TableSpec.Builder spec =
        TableSpec.of(path)
            .requiredColumn("k", "INT")
            .column("a", "STRING")
            .column("b", "STRING")
            .column("c", "INT")
            .primaryKey("k")
            .buckets(1);
    for (int i = 0; i < options.length; i += 2) {
      spec.option(options[i], options[i + 1]);
    }
    connection.admin().createTable(spec.build());
    return connection.table(path);
  }
}
