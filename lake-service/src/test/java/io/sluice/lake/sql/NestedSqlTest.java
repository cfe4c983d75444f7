package io.sluice.lake.sql;

import static io.sluice.lake.sql.StartedGateway.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.format.row.Row;
import io.sluice.lake.duck.ResultColumn;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** ARRAY, MAP and ROW in SQL. */
final class NestedSqlTest extends GatewayTest {
  @BeforeEach
  void open() {
    gateway.run(
        "CREATE TABLE t (id INT, a ARRAY<INT>, m MAP<STRING, BIGINT>,"
            + " r ROW<x INT, y ROW<z STRING NOT NULL>>)");
  }

  @Test
  void literalsBecomeNestedValues() {
    gateway.run("INSERT INTO t VALUES (1, ARRAY[1, NULL, 3], MAP {'k': 2}, ROW(5, ROW('deep')))");
    gateway.run(
        "INSERT INTO t VALUES (2, [], MAP {}, {'y': {'z': 'named'}, 'x': 6}),"
            + " (3, NULL, NULL, NULL)");
    List<List<Object>> stored = gateway.cluster.table("demo.t").rows(0);
    assertThat(stored.get(0).get(1)).isEqualTo(Arrays.asList(1, null, 3));
    assertThat(stored.get(0).get(2)).isEqualTo(Map.of("k", 2L));
    Row unnamed = (Row) stored.get(0).get(3);
    assertThat(unnamed.getInt(0)).isEqualTo(5);
    assertThat(stored.get(1).get(1)).isEqualTo(List.of());
    assertThat(((Row) stored.get(1).get(3)).getInt(0)).isEqualTo(6);
    assertThat(stored.get(2)).containsExactly(3, null, null, null);
    assertThat(gateway.run("SELECT * FROM t").columns())
        .extracting(ResultColumn::type)
        .containsExactly(
            "INT", "ARRAY<INT>", "MAP<STRING,BIGINT>", "ROW<`x` INT, `y` ROW<`z` STRING>>");
    assertThat(gateway.rows("SELECT a, m, r FROM t ORDER BY id"))
        .containsExactly(
            row(
                Arrays.asList(1, null, 3),
                Map.of("k", 2L),
                Map.of("x", 5, "y", Map.of("z", "deep"))),
            row(List.of(), Map.of(), Map.of("x", 6, "y", Map.of("z", "named"))),
            row(null, null, null));
    assertThat(gateway.rows("SELECT a[3], m['k'], r.y.z, t.r.x, len(a) FROM t WHERE id = 1"))
        .containsExactly(row(3, 2L, "deep", 5, 3L));
    assertThat(gateway.rows("SELECT id, unnest(a) AS e FROM t ORDER BY id, e DESC"))
        .containsExactly(row(1, 3), row(1, 1), row(1, null));
    gateway.run("INSERT INTO t SELECT id + 10, a, m, r FROM t");
    assertThat(gateway.rows("SELECT r.y.z FROM t WHERE id = 11")).containsExactly(row("deep"));
  }

  @Test
  void valuesThatDoNotFitAreRefusedWithTheirPath() {
    assertThat(gateway.failure("INSERT INTO t (id, a) VALUES (1, [1.5])"))
        .hasMessageContaining("Column 'a.element' of type INT cannot take 1.5");
    assertThat(gateway.failure("INSERT INTO t (id, r) VALUES (1, {'x': 1, 'y': {'z': NULL}})"))
        .hasMessageContaining("Column 'r.y.z' is NOT NULL");
    assertThat(gateway.failure("INSERT INTO t (id, r) VALUES (1, {'xx': 1})"))
        .hasMessageContaining("has no field 'xx'");
    assertThat(gateway.failure("INSERT INTO t (id, r) VALUES (1, ROW(1))").code())
        .isEqualTo(ErrorCode.INVALID_VALUE);
    assertThat(gateway.failure("INSERT INTO t (id, m) VALUES (1, [1])").code())
        .isEqualTo(ErrorCode.INVALID_VALUE);
  }

  @Test
  void rowsWithoutNamesKeepAllTheirFields() {
    assertThat(gateway.run("SELECT ROW(1, 'a')").columns().get(0).type())
        .isEqualTo("ROW<INT, STRING>");
    assertThat(gateway.rows("SELECT ROW(1, 'a'), ROW(2)"))
        .containsExactly(row(Map.of("EXPR$0", 1, "EXPR$1", "a"), Map.of("EXPR$0", 2)));
  }
}
