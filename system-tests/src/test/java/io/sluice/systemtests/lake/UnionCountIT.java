package io.sluice.systemtests.lake;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.Connection;
import io.sluice.client.TableSpec;
import io.sluice.common.TablePath;
import io.sluice.format.row.Row;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * union: a query over lake and tail counts every acknowledged row once, at every moment of a load
 * while rounds are committed. Every round adds files that all later queries open, so rounds come
 * some seconds apart: a slow machine, on which the samples take longer, would get slower and
 * slower.
 */
final class UnionCountIT {
  private static final int SAMPLES = Integer.getInteger("sluice.union.samples", 1000);
  private static final int CLIENTS = 2;
  private static final int ROWS_PER_SECOND = 150;
  private static final int KEYS = 12;
  private static final int FEWEST_ROUNDS = 5;
  private static final TablePath PATH = TablePath.parse("unions.counted");

  private final LakeCluster cluster = LakeCluster.shared();
  private final SqlClient sql = cluster.sql();
  private SteadyLoad load;
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicInteger sampled = new AtomicInteger();

  /** The greatest count that was answered. */
  private final AtomicLong counted = new AtomicLong();

  @Test
  @Timeout(value = 8, unit = TimeUnit.MINUTES)
  void countsAreExactAtEveryMomentOfALoad() {
    try (Connection connection = cluster.connect();
        Lake lake = cluster.lake()) {
      create(connection);
      load = new SteadyLoad(connection, PATH.toString(), ROWS_PER_SECOND, UnionCountIT::row);
      long started = System.nanoTime();
      try (SteadyLoad running = load) {
        List<CompletableFuture<Void>> clients =
            Stream.generate(() -> CompletableFuture.runAsync(() -> sample(lake), runNow()))
                .limit(CLIENTS)
                .toList();
        clients.forEach(CompletableFuture::join);
        running.check();
      }
      int rounds = lake.table(PATH).checkChain();
      System.out.printf(
          "%d samples in %d s, %d rows, %d rounds%n",
          sampled.get(),
          TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - started),
          load.handedOver(),
          rounds);
      assertThat(sampled.get()).isGreaterThanOrEqualTo(SAMPLES);
      assertThat(rounds).as("rounds during the samples").isGreaterThanOrEqualTo(FEWEST_ROUNDS);

      assertThat(sql.number("SELECT COUNT(*) FROM unions.counted")).isEqualTo(load.handedOver());
      assertThat(OnceInLake.settle(lake, connection, PATH)).isEqualTo(load.handedOver());
      assertThat(sql.number("SELECT COUNT(*) FROM unions.counted$lake"))
          .isEqualTo(load.handedOver());
      checkSums();
      connection.admin().dropTable(PATH, false);
    }
  }

  private static Executor runNow() {
    return work -> new Thread(work, "union-count").start();
  }

  /**
   * One client's part of the samples; each counts at least what any client was told before. On a
   * fast machine there are more of them, until enough rounds were committed meanwhile.
   */
  private void sample(Lake lake) {
    for (int sample = next.getAndIncrement();
        sample < SAMPLES || rounds(lake) < FEWEST_ROUNDS;
        sample = next.getAndIncrement()) {
      switch (sample % 10) {
        case 3 -> checkSums();
        case 7 -> checkLakeIsNotAhead();
        default -> checkCount();
      }
      sampled.incrementAndGet();
      load.check();
    }
  }

  private static int rounds(Lake lake) {
    return lake.exists(PATH) ? lake.table(PATH).rounds().size() : 0;
  }

  private static void create(Connection connection) {
    connection.admin().createDatabase(PATH.database(), true);
    connection
        .admin()
        .createTable(
            TableSpec.of(PATH.toString())
                .requiredColumn("k", "INT")
                .requiredColumn("i", "BIGINT")
                .column("half", "BIGINT")
                .option("table.datalake.enabled", "true")
                .option("table.datalake.freshness", "4s")
                .bucketKey("k")
                .buckets(3)
                .build());
  }

  /**
   * Row number n is the i-th row of its key: rows of a key lie in one bucket in their order, so of
   * each key a query sees those from 0 to some i. Every second row has NULL in {@code half}.
   */
  private static Row row(long n) {
    long i = n / KEYS;
    return Row.of((int) (n % KEYS), i, i % 2 == 0 ? i : null);
  }

  private long checkCount() {
    long least = Math.max(load.acknowledged(), counted.get());
    long count = sql.number("SELECT COUNT(*) FROM unions.counted");
    assertThat(count).as("count of all rows").isBetween(least, load.handedOver());
    counted.accumulateAndGet(count, Math::max);
    return count;
  }

  /** For each key: no hole, no row twice, and NULLs are not counted. */
  private void checkSums() {
    long least = Math.max(load.acknowledged(), counted.get());
    long all = 0;
    List<List<String>> rows =
        sql.run("SELECT k, COUNT(*), MAX(i), SUM(i), COUNT(half) FROM unions.counted GROUP BY k")
            .rows();
    for (List<String> row : rows) {
      long count = Long.parseLong(row.get(1));
      all += count;
      assertThat(Long.parseLong(row.get(2))).as("greatest i of %s", row).isEqualTo(count - 1);
      assertThat(Long.parseLong(row.get(3)))
          .as("sum of i of %s", row)
          .isEqualTo(count * (count - 1) / 2);
      assertThat(Long.parseLong(row.get(4))).as("halves of %s", row).isEqualTo((count + 1) / 2);
    }
    assertThat(all).as("sum of the counts").isBetween(least, load.handedOver());
    counted.accumulateAndGet(all, Math::max);
  }

  /** What the lake had before is part of what the union has after. */
  private void checkLakeIsNotAhead() {
    long inLake = sql.number("SELECT COUNT(*) FROM unions.counted$lake");
    assertThat(inLake).isLessThanOrEqualTo(checkCount());
  }
}
