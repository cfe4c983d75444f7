package io.sluice.systemtests.lake;

import io.sluice.client.AppendWriter;
import io.sluice.client.Connection;
import io.sluice.client.TableSpec;
import io.sluice.common.TablePath;
import io.sluice.format.row.Row;
import java.util.List;

/** Makes and fills tables with the lake enabled. */
final class LakeTables {
  private LakeTables() {}

  /** Begins a table that goes into the lake every second, in a database made where missing. */
  static TableSpec.Builder spec(Connection connection, TablePath path) {
    connection.admin().createDatabase(path.database(), true);
    return TableSpec.of(path.toString())
        .option("table.datalake.enabled", "true")
        .option("table.datalake.freshness", "1s");
  }

  /** A table {@code (id INT NOT NULL, text STRING)} whose ids are spread over its buckets. */
  static void createPlain(Connection connection, TablePath path, int buckets) {
    connection
        .admin()
        .createTable(
            spec(connection, path)
                .requiredColumn("id", "INT")
                .column("text", "STRING")
                .bucketKey("id")
                .buckets(buckets)
                .build());
  }

  /** Rows of {@link #createPlain} with ids from {@code start} to {@code end}, exclusive. */
  static void appendPlain(Connection connection, TablePath path, int start, int end) {
    try (AppendWriter writer = connection.table(path.toString()).appendWriter()) {
      for (int id = start; id < end; id++) {
        writer.append(Row.of(id, "text " + id));
      }
    }
  }

  /** Appends rows and waits until they are stored. */
  static void append(Connection connection, TablePath path, List<Row> rows) {
    try (AppendWriter writer = connection.table(path.toString()).appendWriter()) {
      rows.forEach(writer::append);
    }
  }
}
