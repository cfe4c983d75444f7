package io.sluice.lake.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.SluiceException;
import io.sluice.lake.duck.DuckSettings;
import io.sluice.lake.sqlfakes.FakeCluster;
import io.sluice.lake.sqlfakes.FakeLake;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** A gateway over a cluster in memory, whose statements run in the database {@code demo}. */
final class StartedGateway implements AutoCloseable {
  final FakeCluster cluster = new FakeCluster();
  final FakeLake lake;
  private final SqlGateway gateway;

  StartedGateway(Path directory) {
    lake = new FakeLake(directory, cluster.calls());
    gateway =
        SqlGateway.open(
            new SqlLimits(2, Duration.ofSeconds(60), 1000),
            new DuckSettings(64 << 20, 1, directory.resolve("spill"), 16 << 20),
            cluster,
            lake,
            (kind, outcome, duration, rows) -> {});
  }

  SqlResult run(String sql) {
    return gateway.execute(new SqlRequest(sql, "demo", null, false));
  }

  List<List<Object>> rows(String sql) {
    return run(sql).values();
  }

  static List<Object> row(Object... values) {
    return Arrays.asList(values);
  }

  SluiceException failure(String sql) {
    try {
      SqlResult result = run(sql);
      throw new AssertionError("Not refused: " + sql + " gave " + result);
    } catch (SluiceException e) {
      return e;
    }
  }

  /** The columns of a table as {@code name TYPE}, in order. */
  List<String> columns(String table) {
    return cluster.table("demo." + table).description().schema().columns().stream()
        .map(column -> column.name() + " " + column.type() + (column.nullable() ? "" : " NOT NULL"))
        .toList();
  }

  @Override
  public void close() {
    gateway.close();
    assertThat(cluster.allocatedBytes()).as("bytes of batches left over").isZero();
    cluster.close();
  }
}
