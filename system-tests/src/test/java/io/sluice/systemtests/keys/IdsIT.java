package io.sluice.systemtests.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.Connection;
import io.sluice.client.Key;
import io.sluice.client.Lookuper;
import io.sluice.client.Table;
import io.sluice.client.TableSpec;
import io.sluice.client.UpsertWriter;
import io.sluice.client.WriterOptions;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.systemtests.clients.Python;
import io.sluice.systemtests.lake.LakeCluster;
import io.sluice.systemtests.lake.SqlClient;
import io.sluice.systemtests.local.LocalCluster;
import io.sluice.systemtests.local.ScannedRows;
import io.sluice.testkit.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/** Ids of the rows of a table, by whatever puts the rows, and lookups that make missing rows. */
final class IdsIT {
  private static final String DATABASE = "ids";
  private static final int CLIENTS = 16;
  private static final int KEYS = 300;
  private static final int LOOKUPS = 200;
  private static final Duration PYTHON_TIMEOUT = Duration.ofMinutes(1);
  private static final String MAKE_IDS = "system-tests/src/test/python/make_ids.py";

  private final LocalCluster cluster = LocalCluster.shared();
  private Connection connection;

  @BeforeEach
  void connect() {
    connection = cluster.connect();
    connection.admin().createDatabase(DATABASE, true);
  }

  @AfterEach
  void disconnect() {
    connection.close();
  }

  @Test
  void oneKeyHasOneIdWhoeverAsksForIt() {
    Seeds.run(
        1,
        (seed, random) -> {
          Table table = create("dictionary");
          Map<String, Long> ids = new ConcurrentHashMap<>();
          ExecutorService threads = Executors.newFixedThreadPool(CLIENTS + 1);
          try {
            List<CompletableFuture<?>> clients = new ArrayList<>();
            clients.add(CompletableFuture.runAsync(() -> pyarrow("dictionary", ids), threads));
            for (int client = 0; client < CLIENTS; client++) {
              SplittableRandom own = random.split();
              clients.add(CompletableFuture.runAsync(() -> lookUp(own, ids), threads));
            }
            clients.forEach(CompletableFuture::join);
          } finally {
            threads.shutdownNow();
          }
          assertThat(ids.values()).doesNotHaveDuplicates().allMatch(id -> id > 0);
          Map<String, Long> rows = new HashMap<>();
          ScannedRows.read(
              table.scan().current(), row -> rows.put(row.getString(0), row.getLong(1)));
          assertThat(rows).isEqualTo(ids);
          assertThat(table.count()).isEqualTo(ids.size());
          // Making a row is one record, also when many ask for it at once.
          assertThat(RowTexts.changes(table))
              .hasSize(ids.size())
              .allMatch(change -> change.startsWith("+I["));
        });
  }

  /** Half of the clients wait for each answer, the others have many lookups under way. */
  private void lookUp(SplittableRandom random, Map<String, Long> ids) {
    try (Connection own = cluster.connect();
        Lookuper lookuper = own.table(DATABASE + ".dictionary").lookuper("id")) {
      boolean waits = random.nextBoolean();
      List<CompletableFuture<Void>> underWay = new ArrayList<>();
      for (int i = 0; i < LOOKUPS; i++) {
        String key = "key_" + random.nextInt(KEYS);
        CompletableFuture<Void> known =
            lookuper.lookupOrInsert(Key.of(key)).thenAccept(row -> know(ids, key, row.getLong(0)));
        underWay.add(known);
        if (waits) {
          known.join();
        }
      }
      underWay.forEach(CompletableFuture::join);
    }
  }

  private void pyarrow(String table, Map<String, Long> ids) {
    Python python;
    try {
      python = Python.orSkip();
    } catch (TestAbortedException noPython) {
      // The other clients go on without this one.
      return;
    }
    String address = "grpc://127.0.0.1:" + cluster.flightPort(2);
    Python.Result result =
        python.runScript(
            PYTHON_TIMEOUT, MAKE_IDS, address, DATABASE, table, "0", Integer.toString(KEYS - 1));
    assertThat(result.exitCode()).as("%s", result.output()).isZero();
    assertThat(result.output().lines()).hasSize(KEYS);
    result
        .output()
        .lines()
        .map(line -> line.split(" "))
        .forEach(words -> know(ids, words[0], Long.parseLong(words[1])));
  }

  private static void know(Map<String, Long> ids, String key, long id) {
    Long known = ids.putIfAbsent(key, id);
    assertThat(known == null || known == id).as("%s has ids %s and %s", key, known, id).isTrue();
  }

  @Test
  void everyWayOfPuttingARowGivesItsIdOnce() {
    Table table = create("ways");
    SqlClient sql = LakeCluster.shared().sql();
    try (UpsertWriter writer = table.upsertWriter();
        UpsertWriter names =
            table.upsertWriter(WriterOptions.defaults().partial("name", "remark"));
        Lookuper lookuper = table.lookuper()) {
      writer.upsert(Row.of("a", null));
      writer.upsert(Row.of("b", null));
      writer.flush();
      names.upsert(Row.of("c", "partial")).join();
      lookuper.findOrInsert(Key.of("d"));
      sql.run("INSERT INTO ids.ways VALUES ('e', 'sql')");
      sql.run("INSERT INTO ids.ways (name) VALUES ('f')");
      Map<String, Long> first = idsOf(table);
      assertThat(first).hasSize(6);
      assertThat(first.values()).doesNotHaveDuplicates();
      // What is there keeps its id; a row that was deleted gets another one.
      writer.upsert(Row.of("a", "changed")).join();
      names.upsert(Row.of("b", "changed")).join();
      sql.run("INSERT INTO ids.ways VALUES ('c', 'changed')");
      writer.delete(Key.of("d")).join();
      assertThat(lookuper.findOrInsert(Key.of("d")).getLong(1)).isNotIn(first.values());
      Map<String, Long> second = idsOf(table);
      first.remove("d");
      second.remove("d");
      assertThat(second).isEqualTo(first);
    }
    assertThatThrownBy(() -> table.upsertWriter(WriterOptions.defaults().partial("name", "id")))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
        .hasMessageContaining("id");
    assertThat(sql.ask("INSERT INTO ids.ways (name, id) VALUES ('z', 1)").code())
        .isEqualTo("INVALID_ARGUMENT");
  }

  private static Map<String, Long> idsOf(Table table) {
    Map<String, Long> ids = new HashMap<>();
    ScannedRows.read(table.scan().current(), row -> ids.put(row.getString(0), row.getLong(1)));
    return ids;
  }

  private Table create(String name) {
    String path = DATABASE + "." + name;
    connection
        .admin()
        .createTable(
            TableSpec.of(path)
                .requiredColumn("name", "STRING")
                .column("id", "BIGINT")
                .column("remark", "STRING")
                .primaryKey("name")
                .buckets(4)
                .option("auto-increment.fields", "id")
                .build());
    return connection.table(path);
  }
}
