package io.sluice.systemtests.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.Connection;
import io.sluice.client.Key;
import io.sluice.client.LogScanner;
import io.sluice.client.Lookuper;
import io.sluice.client.PrefixLookuper;
import io.sluice.client.Table;
import io.sluice.client.TableSpec;
import io.sluice.client.UpsertWriter;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.row.Row;
import io.sluice.systemtests.lake.LakeCluster;
import io.sluice.systemtests.local.LocalCluster;
import io.sluice.systemtests.local.ScannedRows;
import io.sluice.testkit.Seeds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rows by key, by prefix, some of them, all of them and their number; with partitions too. */
final class LookupsIT {
  private static final String DATABASE = "lookups";
  private static final int CUSTOMERS = 12;
  private static final int CONSISTENT_KEYS = 400;

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

  @Test
  void prefixesFindWhatAModelFinds() {
    Seeds.run(
        1,
        (seed, random) -> {
          Table table = createOrders("orders", false);
          TreeMap<List<Object>, String> model = new TreeMap<>(LookupsIT::compare);
          try (UpsertWriter writer = table.upsertWriter();
              PrefixLookuper prefixes = table.prefixLookuper("order_id", "note")) {
            for (int round = 0; round < 5; round++) {
              change(writer, random, model);
              for (int customer = -1; customer <= CUSTOMERS; customer++) {
                String name = "c" + customer;
                assertThat(texts(prefixes.find(Key.of(name)))).isEqualTo(of(model, name));
                assertThat(texts(prefixes.find(Key.of(name), 3)))
                    .isEqualTo(of(model, name).stream().limit(3).toList());
              }
            }
          }
          assertThat(table.count()).isEqualTo(model.size());
          assertThat(RowTexts.current(table)).hasSize(model.size());
          assertThat(RowTexts.current(table, table.scan().limit(7))).hasSize(7);
        });
  }

  private static int compare(List<Object> one, List<Object> other) {
    int customers = ((String) one.get(0)).compareTo((String) other.get(0));
    return customers != 0 ? customers : Long.compare((Long) one.get(1), (Long) other.get(1));
  }

  private static void change(
      UpsertWriter writer, SplittableRandom random, TreeMap<List<Object>, String> model) {
    for (int i = 0; i < 200; i++) {
      String customer = "c" + random.nextInt(CUSTOMERS);
      // Negative ids too: they come before the others.
      long order = random.nextInt(-20, 20);
      if (random.nextInt(3) == 0) {
        writer.delete(Key.of(customer, order));
        model.remove(List.of(customer, order));
      } else {
        writer.upsert(Row.of(customer, order, "n" + i));
        model.put(List.of(customer, order), "n" + i);
      }
    }
    writer.flush();
  }

  private static List<String> of(TreeMap<List<Object>, String> model, String customer) {
    List<String> rows = new ArrayList<>();
    model.forEach(
        (key, note) -> {
          if (key.get(0).equals(customer)) {
            rows.add(key.get(1) + " " + note);
          }
        });
    return rows;
  }

  private static List<String> texts(List<Row> rows) {
    return rows.stream().map(row -> row.getLong(0) + " " + row.getString(1)).toList();
  }

  @Test
  void partitionedTablesHaveAllOfIt() {
    Table table = createOrders("by_day", true);
    try (UpsertWriter writer = table.upsertWriter();
        Lookuper lookuper = table.lookuper("note");
        PrefixLookuper prefixes = table.prefixLookuper("order_id")) {
      for (long order = 0; order < 30; order++) {
        writer.upsert(Row.of("ann", order, "n" + order, order % 2 == 0 ? "mon" : "tue"));
      }
      writer.flush();
      assertThat(lookuper.find(Key.of("ann", 4L, "mon")).orElseThrow().getString(0))
          .isEqualTo("n4");
      assertThat(lookuper.find(Key.of("ann", 4L, "tue"))).isEmpty();
      assertThat(lookuper.find(Key.of("ann", 4L, "wed"))).isEmpty();
      assertThat(prefixes.find(Key.of("mon", "ann"))).hasSize(15);
      assertThat(prefixes.find(Key.of("tue", "ann"), 2))
          .extracting(row -> row.getLong(0))
          .containsExactly(1L, 3L);
      assertThat(prefixes.find(Key.of("wed", "ann"))).isEmpty();
      assertThat(lookuper.lookupOrInsert(Key.of("bob", 1L, "wed")).join().isNull(0)).isTrue();
      assertThat(prefixes.find(Key.of("wed", "bob"))).hasSize(1);
    }
    Table now = connection.table(DATABASE + ".by_day");
    assertThat(now.count()).isEqualTo(31);
    assertThat(RowTexts.current(now, now.scan().partitions("ds=tue"))).hasSize(15);
    assertThat(RowTexts.current(now, now.scan().limit(4))).hasSize(4);
    assertThat(LakeCluster.shared().sql().number("SELECT COUNT(*) FROM lookups.by_day"))
        .isEqualTo(31);
    assertThat(RowTexts.changes(now)).hasSize(31).allMatch(change -> change.startsWith("+I["));
    connection.admin().dropPartition(now.description().path(), List.of("mon"), false);
    assertThat(connection.table(DATABASE + ".by_day").count()).isEqualTo(16);
  }

  /**
   * A writer counts all keys of a bucket up by one, key after key in one order. The rows of a
   * bucket at one moment are then of two neighbouring counts, the larger ones first, whenever they
   * are read; and they are the fold of the changelog up to the position that the scan tells.
   */
  @Test
  void scansOfCurrentRowsShowEachBucketAtOneMomentWhileWritersRun() {
    String path = DATABASE + ".moments";
    connection
        .admin()
        .createTable(
            TableSpec.of(path)
                .requiredColumn("id", "INT")
                .column("n", "BIGINT")
                .primaryKey("id")
                .buckets(1)
                .build());
    Table table = connection.table(path);
    countUp(table, 0);
    AtomicBoolean enough = new AtomicBoolean();
    CompletableFuture<Void> writing =
        CompletableFuture.runAsync(
            () -> {
              for (long n = 1; !enough.get(); n++) {
                countUp(table, n);
              }
            });
    try {
      for (int scan = 0; scan < 10; scan++) {
        checkMoment(table);
      }
    } finally {
      enough.set(true);
      writing.join();
    }
    assertThat(table.count()).isEqualTo(CONSISTENT_KEYS);
  }

  private static void countUp(Table table, long n) {
    try (UpsertWriter writer = table.upsertWriter()) {
      for (int id = 0; id < CONSISTENT_KEYS; id++) {
        writer.upsert(Row.of(id, n));
      }
    }
  }

  private static void checkMoment(Table table) {
    Map<Integer, Long> rows = new TreeMap<>();
    Map<TableBucket, Long> positions;
    try (LogScanner scanner = table.scan().current().open()) {
      ScannedRows.poll(scanner, row -> rows.put(row.getInt(0), row.getLong(1)), scanner::finished);
      positions = scanner.bucketPositions();
    }
    assertThat(rows).hasSize(CONSISTENT_KEYS);
    List<Long> counts = new ArrayList<>(rows.values());
    assertThat(counts.get(0) - counts.get(counts.size() - 1)).isIn(0L, 1L);
    for (int i = 1; i < counts.size(); i++) {
      assertThat(counts.get(i)).isLessThanOrEqualTo(counts.get(i - 1));
    }
    Map<Integer, Long> fold = new HashMap<>();
    ScannedRows.read(
        table.scan().toPositions(positions), row -> fold.put(row.getInt(0), row.getLong(1)));
    assertThat(fold).isEqualTo(rows);
  }

  @Test
  void whatCannotBeLookedUpIsSaidWithTheWayOut() {
    Table single = createKeyed("single_key", "id");
    fails(ErrorCode.UNSUPPORTED, "Look whole keys up", single::prefixLookuper);
    Table whole = createKeyed("whole_key", "id", "v");
    fails(ErrorCode.UNSUPPORTED, "bucket.key", whole::prefixLookuper);
    Table orders = createOrders("errors", false);
    try (PrefixLookuper prefixes = orders.prefixLookuper();
        Lookuper lookuper = orders.lookuper()) {
      fails(ErrorCode.INVALID_VALUE, "customer", () -> prefixes.find(Key.of(7)));
      fails(ErrorCode.INVALID_VALUE, "", () -> prefixes.find(Key.of("ann", 1L)));
      fails(ErrorCode.INVALID_VALUE, "", () -> lookuper.find(Key.of("ann")));
      fails(ErrorCode.INVALID_VALUE, "order_id", () -> lookuper.find(Key.of("ann", "one")));
      fails(ErrorCode.INVALID_VALUE, "", () -> lookuper.find(Key.of("ann", (Object) null)));
    }
    fails(ErrorCode.COLUMN_NOT_FOUND, "nope", () -> orders.lookuper("nope"));
    connection.admin().createTable(TableSpec.of(DATABASE + ".log").column("id", "INT").build());
    Table log = connection.table(DATABASE + ".log");
    fails(ErrorCode.UNSUPPORTED, "primary key", log::lookuper);
    fails(ErrorCode.UNSUPPORTED, "primary key", log::prefixLookuper);
    fails(ErrorCode.UNSUPPORTED, "lookups.log", log::count);
    String path = DATABASE + ".required";
    connection
        .admin()
        .createTable(
            TableSpec.of(path)
                .requiredColumn("id", "INT")
                .requiredColumn("must", "STRING")
                .primaryKey("id")
                .build());
    try (Lookuper lookuper = connection.table(path).lookuper()) {
      fails(ErrorCode.INVALID_VALUE, "must", () -> lookuper.findOrInsert(Key.of(1)));
      assertThat(lookuper.find(Key.of(1))).isEmpty();
    }
  }

  private static void fails(ErrorCode code, String message, ThrowingCallable call) {
    assertThatThrownBy(
            () -> {
              try {
                call.call();
              } catch (CompletionException e) {
                throw e.getCause();
              }
            })
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).as("%s", e.getMessage()).isEqualTo(code))
        .hasMessageContaining(message);
  }

  private Table createKeyed(String name, String... primaryKey) {
    String path = DATABASE + "." + name;
    connection
        .admin()
        .createTable(
            TableSpec.of(path)
                .requiredColumn("id", "INT")
                .requiredColumn("v", "STRING")
                .primaryKey(primaryKey)
                .build());
    return connection.table(path);
  }

  private Table createOrders(String name, boolean partitioned) {
    String path = DATABASE + "." + name;
    TableSpec.Builder spec =
        TableSpec.of(path)
            .requiredColumn("customer", "STRING")
            .requiredColumn("order_id", "BIGINT")
            .column("note", "STRING")
            .bucketKey("customer")
            .buckets(3);
    if (partitioned) {
      spec.requiredColumn("ds", "STRING")
          .primaryKey("customer", "order_id", "ds")
          .partitionedBy("ds");
    } else {
      spec.primaryKey("customer", "order_id");
    }
    connection.admin().createTable(spec.build());
    return connection.table(path);
  }
}
