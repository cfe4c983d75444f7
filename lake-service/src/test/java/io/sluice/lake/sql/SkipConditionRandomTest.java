package io.sluice.lake.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Seeds;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What servers leave out by a query's condition is nothing that the engine would have taken: the
 * same query in a form of which nothing is given to the servers has the same rows.
 */
final class SkipConditionRandomTest extends GatewayTest {
  private static final int QUERIES = 12;

  /** Conditions that servers are given; the engine's meaning is the one that counts. */
  private static final String[] TESTS = {
    "id >= 4",
    "3 > id",
    "n <> -9223372036854775807",
    "n > 2147483648",
    "id < 3000000000",
    "n IN (7, 0, 9223372036854775807)",
    "id NOT BETWEEN 2 AND 6",
    "s = 'a'",
    "s > 'Z'",
    "s <= '\u00e4'",
    "s >= '\uffee' AND s < '\ud83d\ude01'",
    "s < ''",
    "s IN ('', 'A ', 'it''s')",
    "s BETWEEN 'a' AND 'b'",
    "d = '1969-12-31'",
    "d >= DATE '1970-01-01'",
    "d IN ('2024-02-29', DATE '1969-12-31')",
    "ts < TIMESTAMP '1970-01-01 00:00:00'",
    "ts = '1969-12-31 23:59:59.999'",
    "ts > '1969-12-31 23:59:59.9985'",
    "ts <= TIMESTAMP '1969-12-31 23:59:59.999000'",
    "ts IN ('2024-02-29 12:00:00.0001', '2024-02-29 12:00:00')",
    "seconds = '2024-02-29 12:00:00.5'",
    "seconds < '2024-02-29 12:00:00.5'",
    "b = TRUE",
    "b <> FALSE",
    "s IS NULL",
    "ts IS NOT NULL"
  };

  private static final String[] ROWS = {
    "(1, -9223372036854775807, '', DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:59.999',"
        + " TIMESTAMP '1969-12-31 23:59:59', TRUE)",
    "(2, 7, 'a', DATE '1970-01-01', TIMESTAMP '1970-01-01 00:00:00',"
        + " TIMESTAMP '2024-02-29 12:00:00', FALSE)",
    "(3, 2147483649, 'A ', DATE '2024-02-29', TIMESTAMP '2024-02-29 12:00:00',"
        + " TIMESTAMP '2024-02-29 12:00:01', NULL)",
    "(4, NULL, '\u00e4', NULL, TIMESTAMP '2024-02-29 12:00:00.001', NULL, TRUE)",
    "(5, 0, '\uffee', DATE '0001-01-01', NULL, TIMESTAMP '1970-01-01 00:00:00', NULL)",
    "(6, 9223372036854775807, '\ud83d\ude00', DATE '9999-12-31',"
        + " TIMESTAMP '1969-12-31 23:59:59.998', NULL, FALSE)",
    "(7, 1, NULL, NULL, NULL, NULL, NULL)",
    "(8, -1, 'it''s', DATE '1969-12-30', TIMESTAMP '0001-01-01 00:00:00',"
        + " TIMESTAMP '9999-12-31 23:59:59', TRUE)"
  };

  private int given;

  @BeforeEach
  void open() {
    gateway.run(
        "CREATE TABLE x (id INT, n BIGINT, s STRING, d DATE, ts TIMESTAMP(3),"
            + " seconds TIMESTAMP(0), b BOOLEAN)");
    gateway.run("INSERT INTO x VALUES " + String.join(", ", ROWS));
  }

  @Test
  void everySingleTestLosesNoRow() {
    for (String test : TESTS) {
      check(test);
    }
    assertThat(given).as("conditions given to the servers").isGreaterThan(TESTS.length * 3 / 4);
  }

  @Test
  void noCombinationLosesARow() {
    Seeds.run(
        3,
        (seed, random) -> {
          for (int i = 0; i < QUERIES; i++) {
            check(condition(random, 3));
          }
        });
  }

  private void check(String condition) {
    // Of an OR with an expression on a column nothing is given to the servers.
    assertThat(gateway.rows("SELECT id FROM x WHERE " + condition + " ORDER BY id"))
        .as(condition)
        .isEqualTo(
            gateway.rows(
                "SELECT id FROM x y WHERE (" + condition + ") OR id + 0 = -1 ORDER BY id"));
    assertThat(gateway.cluster.lastScan.skip()).isEmpty();
    gateway.rows("SELECT id FROM x WHERE " + condition);
    given += gateway.cluster.lastScan.skip().isEmpty() ? 0 : 1;
  }

  private static String condition(SplittableRandom random, int depth) {
    if (depth == 0 || random.nextInt(4) == 0) {
      return TESTS[random.nextInt(TESTS.length)];
    }
    String first = "(" + condition(random, depth - 1) + ")";
    if (random.nextInt(4) == 0) {
      return "NOT " + first;
    }
    return first
        + (random.nextBoolean() ? " AND " : " OR ")
        + "("
        + condition(random, depth - 1)
        + ")";
  }
}
