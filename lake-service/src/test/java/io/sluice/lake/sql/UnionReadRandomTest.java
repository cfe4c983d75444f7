package io.sluice.lake.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.TableSpec;
import io.sluice.lake.duck.DuckSettings;
import io.sluice.lake.sqlfakes.FakeCluster;
import io.sluice.lake.sqlfakes.FakeLake;
import io.sluice.lake.sqlfakes.FakeTable;
import io.sluice.testkit.Seeds;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is written and tiered in whatever order, a union read gives the log once. */
final class UnionReadRandomTest {
  private static final int BUCKETS = 3;
  private static final int STEPS = 25;

  @TempDir Path directory;

  @Test
  void unionEqualsTheLog() {
    Seeds.run(4, (seed, random) -> run(random));
  }

  private void run(SplittableRandom random) {
    try (FakeCluster cluster = new FakeCluster()) {
      FakeLake lake = new FakeLake(directory, cluster.calls());
      FakeTable table =
          cluster.create(
              TableSpec.of("demo.t")
                  .column("k", "BIGINT")
                  .column("v", "STRING")
                  .column("s", "SMALLINT")
                  .option("table.datalake.enabled", "true")
                  .buckets(BUCKETS)
                  .build());
      DuckSettings settings = new DuckSettings(64 << 20, 1, directory.resolve("spill"), 16 << 20);
      try (SqlGateway gateway =
          SqlGateway.open(
              new SqlLimits(1, Duration.ofMinutes(1), 100_000),
              settings,
              cluster,
              lake,
              SqlObserver.NONE)) {
        // Rows that arrive between the two questions of the planner belong to the tail.
        lake.duringView = () -> write(random, table, 2);
        for (int step = 0; step < STEPS; step++) {
          switch (random.nextInt(4)) {
            case 0 -> write(random, table, 10);
            case 1 -> tier(random, table, lake);
            default -> compare(random, table, gateway);
          }
        }
        compare(random, table, gateway);
      }
    }
  }

  private static void write(SplittableRandom random, FakeTable table, int most) {
    for (int i = random.nextInt(most + 1); i > 0; i--) {
      table.append(
          random.nextInt(BUCKETS),
          random.nextInt(10) == 0 ? null : (long) random.nextInt(20),
          random.nextInt(5) == 0 ? null : "v" + random.nextInt(100),
          (short) random.nextInt(1000));
    }
  }

  private static void tier(SplittableRandom random, FakeTable table, FakeLake lake) {
    Map<Integer, Long> until = new HashMap<>();
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
      until.put(bucket, (long) random.nextInt(table.bucket(bucket).size() + 1));
    }
    lake.tier(table, until);
  }

  private static void compare(SplittableRandom random, FakeTable table, SqlGateway gateway) {
    int variant = random.nextInt(3);
    String sql =
        switch (variant) {
          case 0 -> "SELECT __bucket, __offset, k, v, s FROM t ORDER BY __bucket, __offset";
          case 1 -> "SELECT COUNT(*), COUNT(k), COUNT(v), SUM(s) FROM t";
          default -> "SELECT k, COUNT(*) FROM t WHERE s >= 500 GROUP BY k ORDER BY k";
        };
    List<List<Object>> found = gateway.execute(new SqlRequest(sql, "demo", null, false)).values();
    // Nothing is written after the offsets were taken, so the log now is the log as planned.
    assertThat(found)
        .isEqualTo(variant == 0 ? all(table) : variant == 1 ? counts(table) : groups(table));
  }

  private static List<List<Object>> all(FakeTable table) {
    List<List<Object>> rows = new ArrayList<>();
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
      long offset = 0;
      for (FakeTable.Entry entry : table.bucket(bucket)) {
        List<Object> row = new ArrayList<>(List.of(bucket, offset++));
        row.addAll(entry.values(table.description().schema()));
        rows.add(row);
      }
    }
    return rows;
  }

  private static List<List<Object>> counts(FakeTable table) {
    long count = 0;
    long keys = 0;
    long texts = 0;
    long sum = 0;
    for (List<Object> row : all(table)) {
      count++;
      keys += row.get(2) == null ? 0 : 1;
      texts += row.get(3) == null ? 0 : 1;
      sum += (short) row.get(4);
    }
    List<Object> expected = new ArrayList<>(List.of(count, keys, texts));
    expected.add(count == 0 ? null : Long.toString(sum));
    return List.of(expected);
  }

  private static List<List<Object>> groups(FakeTable table) {
    Map<Long, Long> groups = new HashMap<>();
    for (List<Object> row : all(table)) {
      if ((short) row.get(4) >= 500) {
        groups.merge(row.get(2) == null ? -1L : (Long) row.get(2), 1L, Long::sum);
      }
    }
    List<List<Object>> rows = new ArrayList<>();
    groups.keySet().stream()
        .sorted()
        .forEach(
            key -> {
              List<Object> row = new ArrayList<>();
              row.add(key == -1 ? null : key);
              row.add(groups.get(key));
              rows.add(row);
            });
    return rows;
  }
}
