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
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.format.row.Row;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.SchemaChange;
import io.sluice.systemtests.lake.LakeCluster;
import io.sluice.systemtests.lake.SqlClient;
import io.sluice.systemtests.local.LocalCluster;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Columns of tables with merge engines change while rows, ids and functions stay what they are. */
final class EvolvedKeysIT {
  private static final String DATABASE = "evolved_keys";
  private static final SqlClient SQL = LakeCluster.shared().sql();

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
  void aggregatedColumnsAreAddedRenamedAndWidened() {
    TablePath path = TablePath.parse(DATABASE + ".sums");
    connection
        .admin()
        .createTable(
            TableSpec.of(path.toString())
                .requiredColumn("k", "INT")
                .column("n", "INT")
                .column("ids", "BYTES")
                .primaryKey("k")
                .buckets(2)
                .option("table.merge-engine", "aggregation")
                .option("fields.n.agg", "sum")
                .option("fields.ids.agg", "rbm32")
                .build());
    Table old = connection.table(path.toString());
    try (UpsertWriter oldWriter = old.upsertWriter()) {
      oldWriter.upsert(Row.of(1, Integer.MAX_VALUE, Bitmaps.of(1)));
      oldWriter.upsert(Row.of(2, 5, null));
      oldWriter.flush();
      connection
          .admin()
          .alterTable(path, List.of(add("top", "BIGINT", "0")), Map.of("fields.top.agg", "max"));
      connection
          .admin()
          .alterTable(
              path,
              List.of(
                  new SchemaChange.Rename(List.of("n"), "total"),
                  new SchemaChange.ChangeType(List.of("total"), DataTypeParser.parse("BIGINT"))));
      Table now = connection.table(path.toString());
      assertThat(now.description().options())
          .containsEntry("fields.total.agg", "sum")
          .containsEntry("fields.top.agg", "max")
          .doesNotContainKey("fields.n.agg");
      assertThat(RowTexts.current(now)).containsExactly("1, 2147483647, [1], 0", "2, 5, null, 0");
      try (UpsertWriter writer = now.upsertWriter()) {
        writer.upsert(Row.of(1, 1L, Bitmaps.of(2), 7L)).join();
      }
      // Opened before the change: what it does not know it leaves alone.
      oldWriter.upsert(Row.of(1, 2, Bitmaps.of(9))).join();
      SQL.run("INSERT INTO evolved_keys.sums (k, total, top) VALUES (2, 10, 3), (3, 1, -4)");
      assertThat(RowTexts.current(now))
          .containsExactly("1, 2147483650, [1, 2, 9], 7", "2, 15, null, 3", "3, 1, null, -4");
      assertThat(
              SQL.run("SELECT k, total, RB_CARDINALITY(ids), top FROM evolved_keys.sums ORDER BY k")
                  .rows()
                  .get(0))
          .containsExactly("1", "2147483650", "3", "7");
    }
    assertThatThrownBy(
            () ->
                connection
                    .admin()
                    .alterTable(
                        path, List.of(add("bad", "STRING", null)), Map.of("fields.bad.agg", "sum")))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("fields.bad.agg")
        .hasMessageContaining("listagg");
    assertThatThrownBy(
            () ->
                connection.admin().alterOptions(path, Map.of("fields.total.agg", "max"), List.of()))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("fields.total.agg");
  }

  @Test
  void idsGoOnAfterTheirColumnWasRenamedAndWidened() {
    TablePath path = TablePath.parse(DATABASE + ".dictionary");
    SQL.run(
        "CREATE TABLE evolved_keys.dictionary (name STRING, uid INT, PRIMARY KEY (name)"
            + " NOT ENFORCED) WITH ('auto-increment.fields' = 'uid', 'bucket.num' = '1')");
    try (Connection early = LocalCluster.shared().connect();
        Lookuper before = early.table(path.toString()).lookuper("uid")) {
      int first = before.findOrInsert(Key.of("a")).getInt(0);
      SQL.run("ALTER TABLE evolved_keys.dictionary RENAME uid TO id");
      SQL.run("ALTER TABLE evolved_keys.dictionary MODIFY id BIGINT");
      SQL.run("ALTER TABLE evolved_keys.dictionary ADD remark STRING");
      Table now = connection.table(path.toString());
      assertThat(now.description().options()).containsEntry("auto-increment.fields", "id");
      try (Lookuper after = now.lookuper();
          UpsertWriter writer = now.upsertWriter()) {
        assertThat(after.findOrInsert(Key.of("a")).getLong(1)).isEqualTo(first);
        long second = after.findOrInsert(Key.of("b")).getLong(1);
        assertThat(second).isGreaterThan(first);
        writer.upsert(Row.of("a", "kept")).join();
        writer.upsert(Row.of("c", "new")).join();
        assertThat(RowTexts.current(now).get(0)).isEqualTo("a, " + first + ", kept");
        assertThat(after.find(Key.of("c")).orElseThrow().getLong(1)).isGreaterThan(second);
      }
    }
    assertThatThrownBy(
            () ->
                connection.admin().alterTable(path, List.of(new SchemaChange.Drop(List.of("id")))))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("id");
  }

  @Test
  void versionsAreComparedUnderTheirNewNameAndType() {
    TablePath path = TablePath.parse(DATABASE + ".versioned");
    connection
        .admin()
        .createTable(
            TableSpec.of(path.toString())
                .requiredColumn("k", "INT")
                .column("v", "STRING")
                .column("ver", "INT")
                .primaryKey("k")
                .buckets(1)
                .option("table.merge-engine", "versioned")
                .option("table.merge-engine.versioned.ver-column", "ver")
                .build());
    upsert(connection.table(path.toString()), Row.of(1, "first", 10));
    connection
        .admin()
        .alterTable(
            path,
            List.of(
                new SchemaChange.Rename(List.of("ver"), "version"),
                new SchemaChange.ChangeType(List.of("version"), DataTypeParser.parse("BIGINT"))));
    Table now = connection.table(path.toString());
    upsert(now, Row.of(1, "older", 9L));
    assertThat(RowTexts.current(now)).containsExactly("1, first, 10");
    upsert(now, Row.of(1, "newer", 1L << 40));
    assertThat(RowTexts.current(now)).containsExactly("1, newer, " + (1L << 40));
    assertThat(now.description().options())
        .containsEntry("table.merge-engine.versioned.ver-column", "version");
  }

  private static void upsert(Table table, Row row) {
    try (UpsertWriter writer = table.upsertWriter(WriterOptions.defaults())) {
      writer.upsert(row).join();
    }
  }

  private static SchemaChange add(String name, String type, String defaultValue) {
    return new SchemaChange.Add(
        List.of(),
        name,
        DataTypeParser.parse(type),
        true,
        "",
        defaultValue,
        new SchemaChange.Position.Last());
  }
}
