package io.sluice.lake.sql;

import static io.sluice.lake.sql.StartedGateway.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** UPDATE and DELETE by key, tables that merge or number their rows, statements of sessions. */
final class ChangeSqlTest extends GatewayTest {
  @BeforeEach
  void open() {
    gateway.run(
        "CREATE TABLE t (a INT, b STRING, v INT, n INT NOT NULL, PRIMARY KEY (a, b) NOT ENFORCED)");
    gateway.run("INSERT INTO t VALUES (1, 'x', 10, 1), (1, 'y', 20, 2), (2, 'x', 30, 3)");
    gateway.run("CREATE TABLE pets (k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED)");
    gateway.run("INSERT INTO pets VALUES (1, 'a'), (2, 'b'), (3, 'c')");
    gateway.run("CREATE TABLE log (k INT, v STRING)");
    gateway.run(
        "CREATE TABLE ids (name STRING, id INT, PRIMARY KEY (name) NOT ENFORCED)"
            + " WITH ('auto-increment.fields' = 'id')");
    gateway.run(
        "CREATE TABLE sums (k INT, v BIGINT, PRIMARY KEY (k) NOT ENFORCED)"
            + " WITH ('table.merge-engine' = 'aggregation', 'fields.v.agg' = 'sum')");
    gateway.run(
        "CREATE TABLE firsts (k INT, v INT, PRIMARY KEY (k) NOT ENFORCED)"
            + " WITH ('table.merge-engine' = 'first_row')");
  }

  private List<List<Object>> rowsOf(String table) {
    return gateway.rows("SELECT * FROM " + table + " ORDER BY 1, 2");
  }

  @Test
  void rowsAreDeletedByTheirKeys() {
    assertThat(gateway.run("DELETE FROM pets WHERE k = 2").message())
        .isEqualTo("1 row deleted from demo.pets");
    assertThat(gateway.run("DELETE FROM demo.pets WHERE k = 2").message())
        .isEqualTo("0 rows deleted from demo.pets");
    assertThat(gateway.run("delete from `pets` where K in (1 + 0, 1, 9, NULL)").message())
        .isEqualTo("1 row deleted from demo.pets");
    assertThat(rowsOf("pets")).containsExactly(row(3, "c"));
    assertThat(gateway.run("DELETE FROM t WHERE b IN ('x', 'y') AND a = 1").message())
        .isEqualTo("2 rows deleted from demo.t");
    assertThat(rowsOf("t")).containsExactly(row(2, "x", 30, 3));
  }

  @Test
  void rowsThatAreThereAreUpdatedByTheirKeys() {
    assertThat(gateway.run("UPDATE pets SET v = upper('z') || '''' WHERE k IN (1, 3, 7)").message())
        .isEqualTo("2 rows updated in demo.pets");
    assertThat(gateway.cluster.lastSinkColumns).containsExactly("k", "v");
    assertThat(rowsOf("pets")).containsExactly(row(1, "Z'"), row(2, "b"), row(3, "Z'"));
    gateway.run("UPDATE t SET v = NULL WHERE a = 1 AND b = 'y'");
    assertThat(gateway.cluster.lastSinkColumns).containsExactly("a", "b", "v", "n");
    assertThat(rowsOf("t"))
        .containsExactly(row(1, "x", 10, 1), row(1, "y", null, 2), row(2, "x", 30, 3));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "DELETE FROM pets|UNSUPPORTED|DELETE without WHERE would change every row",
        "UPDATE pets SET v = 'x'|UNSUPPORTED|UPDATE without WHERE",
        "DELETE FROM pets WHERE v = 'a'|UNSUPPORTED|'v' is not of the primary key (k)",
        "DELETE FROM t WHERE a = 1|UNSUPPORTED|'b' is missing. Select the keys first",
        "DELETE FROM pets WHERE k > 1|UNSUPPORTED|This condition is not in this build",
        "DELETE FROM pets WHERE k = 1 OR k = 2|UNSUPPORTED|key IN (value, ...)",
        "DELETE FROM pets WHERE NOT k = 1|UNSUPPORTED|condition is not in this build",
        "DELETE FROM pets WHERE k BETWEEN 1 AND 2|UNSUPPORTED|condition is not in this build",
        "DELETE FROM pets WHERE (k = 1)|UNSUPPORTED|column of the primary key was expected",
        "DELETE FROM pets WHERE k = 1 AND k = 2|UNSUPPORTED|has two conditions",
        "DELETE FROM pets WHERE k IN (SELECT k FROM pets)|UNSUPPORTED|must be constants",
        "DELETE FROM pets WHERE k = 1.5|INVALID_VALUE|cannot take 1.5",
        "DELETE FROM pets WHERE k = |INVALID_SQL|A value was expected",
        "DELETE pets WHERE k = 1|INVALID_SQL|Write DELETE FROM",
        "DELETE FROM log WHERE k = 1|UNSUPPORTED|has no primary key",
        "DELETE FROM petz WHERE k = 1|TABLE_NOT_FOUND|did you mean pets",
        "UPDATE pets SET v = v WHERE k = 1|UNSUPPORTED|and v is none",
        "UPDATE pets SET k = 2 WHERE k = 1|UNSUPPORTED|DELETE the row and INSERT another",
        "UPDATE pets SET w = 2 WHERE k = 1|COLUMN_NOT_FOUND|has no column 'w'",
        "UPDATE pets SET v = 'a', v = 'b' WHERE k = 1|INVALID_SQL|is set twice",
        "UPDATE pets SET v = 5 WHERE k = 1|INVALID_VALUE|cannot take 5",
        "UPDATE pets SET v WHERE k = 1|INVALID_SQL|Write SET column = value",
        "UPDATE pets SET v = noo(1) WHERE k = 1|INVALID_SQL|noo",
        "UPDATE pets SET v = unnest(['x', 'y']) WHERE k = 1|INVALID_SQL|makes several",
        "DELETE FROM pets WHERE k = unnest([]::INT[])|INVALID_SQL|makes none",
        "UPDATE pets SET v = unnest({'x': 'x', 'y': 2}) WHERE k = 1|INVALID_SQL|makes several",
        "UPDATE pets SET v = getenv('HOME') WHERE k = 1|PERMISSION_DENIED|getenv is not allowed",
        "UPDATE ids SET id = 7 WHERE name = 'a'|INVALID_ARGUMENT|gets its values from the server",
        "UPDATE sums SET v = 7 WHERE k = 1|UNSUPPORTED|is merged with the row that is there",
        "INSERT INTO ids (name, id) VALUES ('a', 1)|INVALID_ARGUMENT|leave it out of the INSERT",
        "INSERT INTO ids VALUES ('a', 1)|INVALID_SQL|takes 1 columns (name), the source has 2;"
            + " column 'id' gets its values from the server",
        "INSERT INTO firsts (k) VALUES (1)|UNSUPPORTED|takes whole rows only (table.merge-engine is"
            + " first_row)",
        "SET 'execution.runtime-mode' = 'streaming'|UNSUPPORTED|a job of Flink",
        "SET 'table.exec.mini-batch.enabled' = 'true'|UNSUPPORTED|has no meaning here",
        "SET 'a' 'b'|INVALID_SQL|Write SET",
        "CREATE TEMPORARY FUNCTION f AS 'x.Y'|UNSUPPORTED|Functions of your own",
        "CREATE TEMPORARY VIEW v AS SELECT 1|UNSUPPORTED|WITH v AS (SELECT ...)",
        "CREATE CATALOG c WITH ('type' = 'jdbc')|UNSUPPORTED|Other catalogs"
      })
  void whatIsNotPossibleIsSaidWithTheWayOut(String sql, ErrorCode code, String message) {
    SluiceException failure = gateway.failure(sql);
    assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
    assertThat(failure).hasMessageContaining(message);
  }

  @Test
  void deletesFollowTheTablesOption() {
    gateway.run("INSERT INTO sums VALUES (1, 5), (1, 6)");
    SqlResult ignored = gateway.run("DELETE FROM sums WHERE k = 1");
    assertThat(ignored.message()).isEqualTo("0 rows deleted from demo.sums");
    assertThat(ignored.notices()).singleElement().asString().contains("ignores deletes");
    assertThat(rowsOf("sums")).containsExactly(row(1, 11L));
    gateway.run(
        "CREATE TABLE kept (k INT, PRIMARY KEY (k) NOT ENFORCED)"
            + " WITH ('table.delete.behavior' = 'disable')");
    assertThat(gateway.failure("DELETE FROM kept WHERE k = 1").code())
        .isEqualTo(ErrorCode.DELETE_DISABLED);
  }

  @Test
  void tablesThatNumberTheirRowsTakeTheOtherColumns() {
    gateway.run("INSERT INTO ids VALUES ('a'), ('b')");
    gateway.run("INSERT INTO ids (name) SELECT 'c'");
    gateway.run("INSERT INTO ids VALUES ('a')");
    assertThat(rowsOf("ids")).containsExactly(row("a", 1), row("b", 2), row("c", 3));
    assertThat(gateway.cluster.lastSinkColumns).isEmpty();
  }

  @Test
  void columnsAreAddedWithTheirFunction() {
    gateway.run("ALTER TABLE sums ADD w BIGINT DEFAULT 0 WITH ('fields.w.agg' = 'max')");
    gateway.run("ALTER TABLE sums ADD (x BIGINT, y INT) SET ('fields.x.agg' = 'sum')");
    assertThat(gateway.columns("sums"))
        .containsExactly("k INT NOT NULL", "v BIGINT", "w BIGINT", "x BIGINT", "y INT");
    assertThat(gateway.cluster.table("demo.sums").description().options())
        .containsEntry("fields.w.agg", "max")
        .containsEntry("fields.x.agg", "sum");
    assertThat(gateway.failure("ALTER TABLE sums ADD z INT WITH ('a')").code())
        .isEqualTo(ErrorCode.INVALID_SQL);
  }

  @Test
  void whatIsSoAnywayIsTakenFromScripts() {
    for (String harmless :
        List.of(
            "SET 'execution.runtime-mode' = 'batch'",
            "SET 'sql-client.execution.result-mode' = 'tableau'",
            "CREATE CATALOG c WITH ('type' = 'fluss', 'bootstrap.servers' = 'x:9123')",
            "USE CATALOG c",
            "CREATE TEMPORARY SYSTEM FUNCTION IF NOT EXISTS RB_AND_AGG AS 'x.Y'",
            "DROP TEMPORARY FUNCTION IF EXISTS rb64_build")) {
      SqlResult result = gateway.run(harmless);
      assertThat(result.message()).startsWith("Nothing was changed: ");
      assertThat(result.rows()).isFalse();
    }
  }
}
