package io.sluice.systemtests.lake;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.Connection;
import io.sluice.common.TablePath;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.Test;

/** A stock DuckDB reads the Parquet files of a lake table, its types and NULLs included. */
final class DuckDbFilesIT {
  private static final TablePath PATH = TablePath.parse("duckdb_files.scalars");

  @Test
  void readsTheFilesOfATableOfEveryType() throws Exception {
    LakeCluster cluster = LakeCluster.shared();
    try (Connection connection = cluster.connect();
        Lake lake = cluster.lake()) {
      ScalarRows.create(LakeTables.spec(connection, PATH), connection);
      LakeTables.append(connection, PATH, ScalarRows.rows());
      OnceInLake.settle(lake, connection, PATH);
      try (java.sql.Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
          Statement statement = duckdb.createStatement()) {
        statement.execute("SET TimeZone = 'UTC'");
        String files = "read_parquet(" + files(lake) + ")";
        assertThat(row(statement, "SELECT * FROM " + files + " WHERE id = 4"))
            .startsWith("4")
            .filteredOn(value -> value == null)
            .hasSize(23);
        assertThat(
                row(
                    statement,
                    "SELECT tiny, big, isnan(f), s, dec38, day, t6, ts6, ltz6, hex(bin),"
                        + " octet_length(bytes), __bucket, __offset FROM "
                        + files
                        + " WHERE id = 3"))
            .containsExactly(
                "0",
                "0",
                "true",
                "tab\tzero\0quote'\"",
                "0.0000000001",
                "2000-02-29",
                "12:34:56.789012",
                "2038-01-19 03:14:08.000001",
                "2021-03-28T00:15:00.000001Z",
                "01020304",
                "1",
                "0",
                "2");
        assertThat(
                row(
                    statement,
                    "SELECT MIN(big), MAX(big), MIN(dec38), MAX(dec38), MIN(ts3), MAX(ts3),"
                        + " COUNT(*), COUNT(c) FROM "
                        + files))
            .containsExactly(
                Long.toString(Long.MIN_VALUE),
                Long.toString(Long.MAX_VALUE),
                "-9999999999999999999999999999.9999999999",
                "9999999999999999999999999999.9999999999",
                "0001-01-01 00:00:00.001",
                "9999-12-31 23:59:59.999",
                "4",
                "3");
      }
    }
  }

  private static List<String> row(Statement statement, String sql) throws SQLException {
    List<String> values = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery(sql)) {
      assertThat(rows.next()).as(sql).isTrue();
      for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
        Object value = rows.getObject(i);
        if (value instanceof OffsetDateTime time) {
          values.add(time.toInstant().toString());
        } else if (value instanceof BigDecimal number) {
          values.add(number.toPlainString());
        } else {
          values.add(rows.getString(i));
        }
      }
      assertThat(rows.next()).as("one row: %s", sql).isFalse();
    }
    return values;
  }

  private static List<String> files(Lake lake) throws IOException {
    List<String> files = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = lake.table(PATH).iceberg().newScan().planFiles()) {
      for (FileScanTask task : tasks) {
        files.add("'" + Path.of(URI.create(task.file().location())) + "'");
      }
    }
    return files;
  }
}
