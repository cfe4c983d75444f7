package io.sluice.systemtests.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.AppendWriter;
import io.sluice.client.Connection;
import io.sluice.client.LogScanner;
import io.sluice.client.Scan;
import io.sluice.client.TableSpec;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.row.Row;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.SchemaChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rows that were stored before a table changed read rightly after it, on every way to read. */
final class EvolvedTableIT {
  private static final String DATABASE = "evolved";

  private final LocalCluster cluster = LocalCluster.shared();

  @BeforeEach
  void createDatabase() {
    try (Connection connection = cluster.connect()) {
      connection.admin().createDatabase(DATABASE, true);
    }
  }

  @Test
  void anAddedColumnIsNullInRowsStoredBefore() {
    String path = create("added");
    try (Connection early = cluster.connect();
        AppendWriter writer = early.table(path).appendWriter()) {
      for (int id = 1; id <= 5; id++) {
        writer.append(Row.of(id, "n" + id));
      }
      writer.flush();
      alter(path, add("age", "BIGINT"));
      try (Connection late = cluster.connect();
          AppendWriter lateWriter = late.table(path).appendWriter()) {
        lateWriter.append(Row.of(6, "f", 60L)).join();

        Function<Row, String> age = row -> row.isNull(0) ? "-" : "" + row.getLong(0);
        assertThat(read(late.table(path).scan().columns("age"), age))
            .containsExactly("-", "-", "-", "-", "-", "60");
        assertThat(read(late.table(path).scan().columns("age", "id"), row -> "" + row.getInt(1)))
            .containsExactly("1", "2", "3", "4", "5", "6");
        assertThat(read(late.table(path).scan(), row -> row.getString(1) + row.isNull(2)))
            .containsExactly("n1true", "n2true", "n3true", "n4true", "n5true", "ffalse");
        assertThat(read(late.table(path).scan().limit(4), row -> "" + row.getInt(0))).hasSize(4);
        assertThat(read(late.table(path).scan().filter("age IS NULL"), row -> "" + row.getInt(0)))
            .containsExactly("1", "2", "3", "4", "5");
        assertThat(read(late.table(path).scan().filter("age = 60"), row -> "" + row.getInt(0)))
            .containsExactly("6");
      }
      // Opened before: it goes on under the columns it knows.
      writer.append(Row.of(7, "g")).join();
      assertThat(read(early.table(path).scan().columns("id"), row -> "" + row.getInt(0)))
          .hasSize(7);
    }
  }

  @Test
  void widenedRenamedMovedAndDefaultedColumnsReadRightly() {
    String path = create("changed");
    try (Connection connection = cluster.connect()) {
      try (AppendWriter writer = connection.table(path).appendWriter()) {
        writer.append(Row.of(1, "a")).join();
      }
      alter(
          path,
          new SchemaChange.ChangeType(List.of("id"), DataTypeParser.parse("BIGINT")),
          new SchemaChange.Rename(List.of("name"), "title"),
          new SchemaChange.Add(
              List.of(),
              "score",
              DataTypeParser.parse("INT"),
              false,
              "",
              "7",
              new SchemaChange.Position.First()));
    }
    try (Connection connection = cluster.connect()) {
      try (AppendWriter writer = connection.table(path).appendWriter()) {
        writer.append(Row.of(8, 1L << 40, "b")).join();
      }
      assertThat(
              read(
                  connection.table(path).scan(),
                  row -> row.getInt(0) + " " + row.getLong(1) + " " + row.getString(2)))
          .containsExactly("7 1 a", "8 " + (1L << 40) + " b");
      assertThat(read(connection.table(path).scan().filter("score = 7"), row -> row.getString(2)))
          .containsExactly("a");
      assertThat(
              read(
                  connection.table(path).scan().filter("id > 2147483647"), row -> row.getString(2)))
          .containsExactly("b");
    }
  }

  @Test
  void aFieldAddedInsideOfARowIsNullInOldRows() {
    String path = DATABASE + ".nested";
    try (Connection connection = cluster.connect()) {
      connection
          .admin()
          .createTable(
              TableSpec.of(path)
                  .column("id", "INT")
                  .column("address", "ROW<zip STRING, tags ARRAY<STRING>>")
                  .buckets(1)
                  .build());
      try (AppendWriter writer = connection.table(path).appendWriter()) {
        writer.append(Row.of(1, Row.of("80331", List.of("a", "b"))));
        writer.append(Row.of(2, null));
      }
      alter(
          path,
          new SchemaChange.Add(
              List.of("address"),
              "city",
              DataTypeParser.parse("STRING"),
              true,
              "",
              null,
              new SchemaChange.Position.After("zip")));
    }
    try (Connection connection = cluster.connect()) {
      try (AppendWriter writer = connection.table(path).appendWriter()) {
        writer.append(Row.of(3, Row.of("1000", "Lisboa", List.of()))).join();
      }
      assertThat(
              read(
                  connection.table(path).scan(),
                  row ->
                      row.isNull(1)
                          ? "none"
                          : row.getRow(1).getString(0)
                              + " "
                              + (row.getRow(1).isNull(1) ? "-" : row.getRow(1).getString(1))
                              + row.getRow(1).getArray(2)))
          .containsExactly("80331 -[a, b]", "none", "1000 Lisboa[]");
      assertThat(
              read(
                  connection.table(path).scan().columns("address.city"),
                  row -> row.isNull(0) || row.getRow(0).isNull(0) ? "-" : "" + row.getRow(0)))
          .hasSize(3)
          .element(2)
          .asString()
          .contains("Lisboa");
    }
  }

  @Test
  void aFollowingReaderGoesOnOverAnAddAndEndsWhereItsColumnIsGone() {
    String path = create("followed");
    try (Connection connection = cluster.connect();
        LogScanner scanner = connection.table(path).scan().follow().open()) {
      append(path, Row.of(1, "a"));
      List<String> found = new ArrayList<>();
      follow(scanner, found, 1);
      alter(path, add("age", "BIGINT"));
      append(path, Row.of(2, "b", 5L));
      follow(scanner, found, 2);
      assertThat(found).containsExactly("1 a", "2 b");

      alter(path, new SchemaChange.Drop(List.of("name")));
      append(path, Row.of(3, 6L));
      assertThatThrownBy(() -> follow(scanner, found, 3))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SCHEMA_CHANGED))
          .hasMessageContaining("name");
      assertThat(scanner.bucketPositions().values()).containsExactly(2L);

      Map<TableBucket, Long> positions = scanner.bucketPositions();
      try (Connection reopened = cluster.connect()) {
        assertThat(
                read(
                    reopened.table(path).scan().fromPositions(positions),
                    row -> row.getInt(0) + " " + row.getLong(1)))
            .containsExactly("3 6");
      }
    }
  }

  @Test
  void forbiddenChangesSayWhy() {
    String path = create("refused");
    assertThatThrownBy(
            () ->
                alter(
                    path,
                    new SchemaChange.ChangeType(List.of("id"), DataTypeParser.parse("SMALLINT"))))
        .hasMessageContaining("id")
        .hasMessageContaining("SMALLINT");
    assertThatThrownBy(() -> alter(path, new SchemaChange.Drop(List.of("nothing"))))
        .hasMessageContaining("nothing");
    assertThatThrownBy(() -> alter(path, add("id", "INT"))).hasMessageContaining("id");
  }

  private String create(String name) {
    String path = DATABASE + "." + name;
    try (Connection connection = cluster.connect()) {
      connection
          .admin()
          .createTable(
              TableSpec.of(path).column("id", "INT").column("name", "STRING").buckets(1).build());
    }
    return path;
  }

  private static SchemaChange add(String name, String type) {
    return new SchemaChange.Add(
        List.of(),
        name,
        DataTypeParser.parse(type),
        true,
        "",
        null,
        new SchemaChange.Position.Last());
  }

  private void alter(String path, SchemaChange... changes) {
    try (Connection connection = cluster.connect()) {
      connection.admin().alterTable(TablePath.parse(path), List.of(changes));
    }
  }

  private void append(String path, Row row) {
    try (Connection connection = cluster.connect();
        AppendWriter writer = connection.table(path).appendWriter()) {
      writer.append(row).join();
    }
  }

  private static void follow(LogScanner scanner, List<String> found, int wanted) {
    ScannedRows.poll(
        scanner,
        row -> found.add(row.getInt(0) + " " + row.getString(1)),
        () -> found.size() >= wanted);
  }

  private static List<String> read(Scan scan, Function<Row, String> text) {
    return ScannedRows.read(scan, text);
  }
}
