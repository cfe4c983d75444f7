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
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What tables make of the rows that the Java client, a stock pyarrow and SQL put. */
final class MergeEnginesIT {
  private static final String DATABASE = "engines";
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Duration PYTHON_TIMEOUT = Duration.ofMinutes(1);
  private static final String PUT_ROWS = "system-tests/src/test/python/put_rows.py";
  private static final SqlClient SQL = LakeCluster.shared().sql();

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
  void everyFunctionAggregatesRowsOfJavaOfPyarrowAndOfSql() {
    Python python = Python.orSkip();
    Table table = functions("every_function");
    upsert(
        table,
        Row.of(
            1,
            5L,
            2,
            1.5,
            "b",
            "x",
            "x",
            null,
            null,
            "a",
            true,
            false,
            Bitmaps.of(1, 2),
            Bitmaps.of64(1, 1L << 40),
            77L));
    assertThat(
            pyarrow(
                python,
                "every_function",
                """
                [{"k": [1], "total": [6], "product": [3], "least": [-2.5], "most": ["a"],
                  "latest": [null], "latest_known": [null], "first": [4], "first_known": [4],
                  "list": ["b"], "all": [false], "any": [false], "set32": [{"rbm32": [2, 70000]}],
                  "set64": [{"rbm64": [3, 1099511627776]}], "times": [null]},
                 {"targets": ["k", "total"], "k": [1], "total": [100]}]
                """))
        .containsExactly("stored", "stored");
    SQL.run(
        "INSERT INTO engines.every_function VALUES (1, 1, NULL, NULL, 'ä', 'z', NULL, 5, 5, NULL,"
            + " TRUE, TRUE, RB_BUILD(5), RB64_BUILD(9), 1)");
    SQL.run("INSERT INTO engines.every_function (k, list) VALUES (1, 'c')");
    Row row = find(table, 1);
    assertThat(row.getBytes(12)).isEqualTo(Bitmaps.of(1, 2, 5, 70_000));
    assertThat(Bitmaps.numbers64(row.getBytes(13))).containsExactly(1L, 3L, 9L, 1L << 40);
    List<String> expected =
        List.of("112", "6", "-2.5", "ä", "z", "x", "null", "4", "a|b|c", "false", "true", "2");
    assertThat(
            SQL
                .run(
                    "SELECT total, product, least, most, latest, latest_known, first, first_known,"
                        + " list, \"all\", \"any\", times, RB_CARDINALITY(set32),"
                        + " RB64_CARDINALITY(set64), RB_CONTAINS(set32, 70000)"
                        + " FROM engines.every_function")
                .rows()
                .get(0)
                .stream()
                .map(String::valueOf)
                .toList())
        .startsWith(expected.toArray(String[]::new))
        .endsWith("4", "4", "true");
  }

  private Table functions(String name) {
    return create(
        TableSpec.of(DATABASE + "." + name)
            .requiredColumn("k", "INT")
            .column("total", "BIGINT")
            .column("product", "INT")
            .column("least", "DOUBLE")
            .column("most", "STRING")
            .column("latest", "STRING")
            .column("latest_known", "STRING")
            .column("first", "INT")
            .column("first_known", "INT")
            .column("list", "STRING")
            .column("all", "BOOLEAN")
            .column("any", "BOOLEAN")
            .column("set32", "BYTES")
            .column("set64", "BYTES")
            .column("times", "BIGINT"),
        "table.merge-engine=aggregation",
        "fields.total.agg=sum",
        "fields.product.agg=product",
        "fields.least.agg=min",
        "fields.most.agg=max",
        "fields.latest.agg=last_value",
        "fields.first.agg=first_value",
        "fields.first_known.agg=first_value_not_null",
        "fields.list.agg=string_agg",
        "fields.list.agg.delimiter=|",
        "fields.all.agg=bool_and",
        "fields.any.agg=bool_or",
        "fields.set32.agg=rbm32",
        "fields.set64.agg=rbm64",
        "fields.times.agg=count");
  }

  @Test
  void aggregatesThatDoNotFitRefuseTheirPutAndLeaveTheRow() {
    Table table =
        create(
            TableSpec.of(DATABASE + ".overflow")
                .requiredColumn("k", "INT")
                .column("strict", "INT")
                .column("lax", "INT")
                .column("ids", "BYTES"),
            "table.merge-engine=aggregation",
            "fields.strict.agg=sum",
            "fields.lax.agg=sum",
            "fields.lax.agg.on-overflow=saturate",
            "fields.ids.agg=rbm32");
    upsert(table, Row.of(1, Integer.MAX_VALUE, Integer.MAX_VALUE, Bitmaps.of(7)));
    fails(ErrorCode.AGGREGATE_OVERFLOW, "strict", () -> upsert(table, Row.of(1, 1, 1, null)));
    fails(
        ErrorCode.INVALID_VALUE, "ids", () -> upsert(table, Row.of(1, 0, 0, new byte[] {1, 2, 3})));
    assertThat(SQL.ask("INSERT INTO engines.overflow (k, strict) VALUES (1, 1)").code())
        .isEqualTo("AGGREGATE_OVERFLOW");
    upsert(table, Row.of(1, null, 5, Bitmaps.of(7)));
    assertThat(RowTexts.current(table)).containsExactly("1, 2147483647, 2147483647, [7]");
    // The put that saturates and names a known id changed nothing.
    assertThat(RowTexts.changes(table)).containsExactly("+I[1, 2147483647, 2147483647, [7]]");
  }

  @Test
  void theNewestVersionWinsWhoeverPutsIt() {
    Table table =
        create(
            plain("versioned"),
            "table.merge-engine=versioned",
            "table.merge-engine.versioned.ver-column=n");
    upsert(table, Row.of(1, "java", 5L), Row.of(2, "kept", 5L));
    Python python = Python.orSkip();
    assertThat(
            pyarrow(
                python,
                "versioned",
                """
                [{"k": [1, 2], "v": ["older", "none"], "n": [4, null]},
                 {"k": [1], "v": ["equal"], "n": [5]},
                 {"_op": ["-D"], "k": [1], "v": [null], "n": [null]},
                 {"targets": ["k", "v"], "k": [1], "v": ["partial"]}]
                """))
        .satisfiesExactly(
            line -> assertThat(line).isEqualTo("stored"),
            line -> assertThat(line).isEqualTo("stored"),
            line -> assertThat(line).isEqualTo("stored"),
            line -> assertThat(line).contains("versioned"));
    SQL.run("INSERT INTO engines.versioned VALUES (1, 'sql', 6), (2, 'old', 1)");
    refusesPartialUpdates(table, "versioned");
    assertThat(RowTexts.current(table)).containsExactly("1, sql, 6", "2, kept, 5");
    assertThat(RowTexts.changes(table).stream().filter(change -> change.contains("[1,")))
        .containsExactly(
            "+I[1, java, 5]",
            "-U[1, java, 5]",
            "+U[1, equal, 5]",
            "-U[1, equal, 5]",
            "+U[1, sql, 6]");
  }

  @Test
  void theFirstRowStaysWhoeverPutsIt() {
    Table table = create(plain("first_row"), "table.merge-engine=first_row");
    upsert(table, Row.of(1, "java", 5L));
    SQL.run("INSERT INTO engines.first_row VALUES (1, 'later', 6), (2, 'sql', 1)");
    upsert(table, Row.of(2, "later", 9L));
    try (UpsertWriter writer = table.upsertWriter()) {
      writer.delete(Key.of(1));
    }
    refusesPartialUpdates(table, "first_row");
    assertThat(RowTexts.current(table)).containsExactly("1, java, 5", "2, sql, 1");
    assertThat(RowTexts.changes(table))
        .containsExactlyInAnyOrder("+I[1, java, 5]", "+I[2, sql, 1]");
    assertThat(table.count()).isEqualTo(2);
  }

  private static void refusesPartialUpdates(Table table, String engine) {
    fails(
        ErrorCode.UNSUPPORTED,
        engine,
        () -> table.upsertWriter(WriterOptions.defaults().partial("k", "v")));
    SqlClient.Answer answer = SQL.ask("INSERT INTO engines." + engine + " (k, v) VALUES (1, 'p')");
    assertThat(answer.code()).isEqualTo("UNSUPPORTED");
    assertThat(answer.detail()).contains(engine);
  }

  @Test
  void deletesAreRefusedOrIgnoredAsTheTableSays() {
    Table disabled = create(plain("no_deletes"), "table.delete.behavior=disable");
    upsert(disabled, Row.of(1, "a", 1L));
    try (UpsertWriter writer = disabled.upsertWriter()) {
      fails(ErrorCode.DELETE_DISABLED, DATABASE + ".no_deletes", () -> writer.delete(Key.of(1)));
      writer.upsert(Row.of(1, "b", 2L));
    }
    assertThat(SQL.ask("DELETE FROM engines.no_deletes WHERE k = 1").code())
        .isEqualTo("DELETE_DISABLED");
    Table ignored = create(plain("ignored_deletes"), "table.delete.behavior=ignore");
    upsert(ignored, Row.of(1, "a", 1L));
    try (UpsertWriter writer = ignored.upsertWriter()) {
      writer.delete(Key.of(1)).join();
    }
    Table allowed =
        create(
            plain("allowed_deletes"),
            "table.merge-engine=aggregation",
            "fields.n.agg=sum",
            "table.delete.behavior=allow");
    upsert(allowed, Row.of(1, "a", 1L));
    SQL.run("DELETE FROM engines.allowed_deletes WHERE k = 1");
    upsert(allowed, Row.of(1, null, 2L));
    assertThat(RowTexts.current(disabled)).containsExactly("1, b, 2");
    assertThat(RowTexts.current(ignored)).containsExactly("1, a, 1");
    assertThat(RowTexts.changes(allowed))
        .containsExactly("+I[1, a, 1]", "-D[1, a, 1]", "+I[1, null, 2]");
    Python python = Python.orSkip();
    String delete = "[{\"_op\": [\"-D\"], \"k\": [1]}]";
    assertThat(pyarrow(python, "no_deletes", delete)).singleElement().asString().contains("delete");
    assertThat(RowTexts.current(disabled)).containsExactly("1, b, 2");
  }

  @Test
  void theWalImageHasNoRowsBefore() {
    Table table = create(plain("wal"), "table.changelog.image=wal");
    upsert(table, Row.of(1, "a", 1L));
    upsert(table, Row.of(1, "b", 2L));
    try (UpsertWriter writer = table.upsertWriter(WriterOptions.defaults().partial("k", "n"))) {
      writer.upsert(Row.of(1, 3L)).join();
      writer.upsert(Row.of(1, 3L)).join();
      writer.upsert(Row.of(2, 9L)).join();
    }
    SQL.run("DELETE FROM engines.wal WHERE k = 1");
    List<String> changes =
        List.of("+U[1, a, 1]", "+U[1, b, 2]", "+U[1, b, 3]", "+I[2, null, 9]", "-D[1, b, 3]");
    assertThat(RowTexts.changes(table)).containsExactlyElementsOf(changes);
    assertThat(SQL.run("SELECT _change_type, n FROM engines.wal$changelog").rows())
        .extracting(row -> row.get(0) + row.get(1))
        .containsExactly("+U1", "+U2", "+U3", "+I9", "-D3");
    assertThat(RowTexts.current(table)).containsExactly("2, null, 9");
    fails(ErrorCode.UNSUPPORTED, "current()", table::count);
    assertThat(SQL.number("SELECT COUNT(*) FROM engines.wal")).isEqualTo(1);
  }

  @Test
  void rowsThatHaveOutlivedTheirTimeAreNotThereAndThenDeleted() {
    Table table = create(plain("ttl"), "table.kv.ttl=1h", "table.delete.behavior=disable");
    upsert(table, Row.of(1, "a", 1L), Row.of(2, "b", 2L));
    assertThat(find(table, 1).getString(1)).isEqualTo("a");
    assertThat(RowTexts.current(table)).hasSize(2);
    connection
        .admin()
        .alterOptions(table.description().path(), Map.of("table.kv.ttl", "1s"), List.of());
    try (Lookuper lookuper = table.lookuper()) {
      Await.until("row 1 is gone", SOON, () -> lookuper.find(Key.of(1)).isEmpty());
    }
    Await.until("no row is left", SOON, () -> RowTexts.current(table).isEmpty());
    assertThat(SQL.run("SELECT k FROM engines.ttl").rows()).isEmpty();
    Await.until("the rows are deleted", SOON, () -> table.count() == 0);
    assertThat(RowTexts.changes(table))
        .containsExactlyInAnyOrder("+I[1, a, 1]", "+I[2, b, 2]", "-D[1, a, 1]", "-D[2, b, 2]");
    connection.admin().alterOptions(table.description().path(), Map.of(), List.of("table.kv.ttl"));
    upsert(table, Row.of(1, "a", 1L));
    assertThat(find(table, 1).getLong(2)).isEqualTo(1);
  }

  private static TableSpec.Builder plain(String name) {
    return TableSpec.of(DATABASE + "." + name)
        .requiredColumn("k", "INT")
        .column("v", "STRING")
        .column("n", "BIGINT");
  }

  private Table create(TableSpec.Builder spec, String... options) {
    spec.primaryKey("k").buckets(1);
    for (String option : options) {
      int equals = option.indexOf('=');
      spec.option(option.substring(0, equals), option.substring(equals + 1));
    }
    TableSpec built = spec.build();
    connection.admin().createTable(built);
    return connection.table(built.path().toString());
  }

  /** Returns when the rows are stored, in one put or several. */
  private static void upsert(Table table, Row... rows) {
    try (UpsertWriter writer = table.upsertWriter()) {
      for (Row row : rows) {
        writer.upsert(row);
      }
      writer.flush();
    }
  }

  private static Row find(Table table, int key) {
    try (Lookuper lookuper = table.lookuper()) {
      return lookuper.find(Key.of(key)).orElseThrow();
    }
  }

  /** What became of each upload. */
  private List<String> pyarrow(Python python, String table, String uploads) {
    String address = "grpc://127.0.0.1:" + cluster.flightPort(1);
    Python.Result result =
        python.runScript(PYTHON_TIMEOUT, PUT_ROWS, address, DATABASE, table, uploads);
    assertThat(result.exitCode()).as("%s", result.output()).isZero();
    return new ArrayList<>(result.output().lines().toList());
  }

  private static void fails(ErrorCode code, String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).as("%s", e.getMessage()).isEqualTo(code))
        .hasMessageContaining(message);
  }
}
