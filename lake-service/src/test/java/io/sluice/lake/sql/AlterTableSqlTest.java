package io.sluice.lake.sql;

import static io.sluice.lake.sql.StartedGateway.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.sqlfakes.FakeTable;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** ALTER TABLE, and reading and writing of tables whose columns have changed. */
final class AlterTableSqlTest extends GatewayTest {
  /** Field case B04. */
  @Test
  void anAddedColumnIsNullInOlderRowsOnEveryRoute() {
    gateway.run("CREATE TABLE t (id INT, name STRING)");
    gateway.run("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e')");
    assertThat(gateway.run("ALTER TABLE t ADD COLUMN age BIGINT").message())
        .isEqualTo("Table demo.t altered; its schema has the id 2");
    gateway.run("INSERT INTO t VALUES (6, 'f', 60)");
    assertThat(gateway.rows("SELECT age, id FROM t ORDER BY id"))
        .containsExactly(
            row(null, 1), row(null, 2), row(null, 3), row(null, 4), row(null, 5), row(60L, 6));
    assertThat(gateway.rows("SELECT COUNT(*), COUNT(age) FROM t")).containsExactly(row(6L, 1L));
    assertThat(gateway.rows("SELECT COUNT(*) FROM t WHERE age IS NULL")).containsExactly(row(5L));
    assertThat(gateway.rows("SELECT id, name, age FROM t WHERE age = 60"))
        .containsExactly(row(6, "f", 60L));
    assertThat(gateway.rows("SELECT * FROM t LIMIT 4")).hasSize(4);
  }

  @Test
  void columnsAreAddedWithDefaultsAtAnyPlace() {
    gateway.run("CREATE TABLE t (id INT NOT NULL, name STRING)");
    gateway.run("INSERT INTO t VALUES (1, 'a')");
    gateway.run(
        "ALTER TABLE t ADD (flag BOOLEAN NOT NULL DEFAULT TRUE FIRST,"
            + " price DECIMAL(10, 2) DEFAULT -1.5 COMMENT 'in ''euro''' AFTER id,"
            + " `day` DATE DEFAULT DATE '2024-02-29', word STRING DEFAULT 'it''s, (DEFAULT 5)',"
            + " bin BYTES DEFAULT X'0AFF', at_time TIMESTAMP(3) DEFAULT '2024-01-31 12:00:00.120',"
            + " tags ARRAY<INT>, nothing INT DEFAULT NULL, odd DOUBLE DEFAULT 'NaN')");
    assertThat(gateway.columns("t"))
        .containsExactly(
            "flag BOOLEAN NOT NULL",
            "id INT NOT NULL",
            "price DECIMAL(10,2)",
            "name STRING",
            "day DATE",
            "word STRING",
            "bin BYTES",
            "at_time TIMESTAMP(3)",
            "tags ARRAY<INT>",
            "nothing INT",
            "odd DOUBLE");
    gateway.run("INSERT INTO t (id, name) VALUES (2, 'b')");
    List<Object> defaults =
        row(
            true,
            "-1.50",
            "2024-02-29",
            "it's, (DEFAULT 5)",
            "Cv8=",
            "2024-01-31T12:00:00.12",
            null);
    assertThat(
            gateway.rows(
                "SELECT flag, price, `day`, word, bin, at_time, nothing FROM t ORDER BY id"))
        .containsExactly(defaults, defaults);
    assertThat(gateway.rows("DESCRIBE t").subList(0, 5))
        .containsExactly(
            row("flag", "BOOLEAN", false, null, "TRUE", null),
            row("id", "INT", false, null, null, null),
            row("price", "DECIMAL(10,2)", true, null, "-1.50", "in 'euro'"),
            row("name", "STRING", true, null, null, null),
            row("day", "DATE", true, null, "DATE '2024-02-29'", null));
    String text = (String) gateway.rows("SHOW CREATE TABLE t").get(0).get(0);
    List<List<Object>> described = gateway.rows("DESCRIBE t");
    gateway.run("DROP TABLE t");
    gateway.run(text);
    assertThat(gateway.rows("DESCRIBE t")).isEqualTo(described);
  }

  @Test
  void columnsAreDroppedRenamedAndWidened() {
    gateway.run("CREATE TABLE t (id INT NOT NULL, a INT, b FLOAT, c STRING)");
    gateway.run("INSERT INTO t VALUES (1, 2, 0.5, 'x')");
    gateway.run("ALTER TABLE demo.t RENAME COLUMN a TO b2");
    gateway.run(
        "ALTER TABLE t MODIFY (b2 BIGINT COMMENT 'wide', b DOUBLE FIRST, id BIGINT NOT NULL)");
    gateway.run("ALTER TABLE t DROP c");
    assertThat(gateway.columns("t")).containsExactly("b DOUBLE", "id BIGINT NOT NULL", "b2 BIGINT");
    gateway.run("INSERT INTO t VALUES (1e300, 5000000000, 6000000000)");
    assertThat(gateway.rows("SELECT * FROM t ORDER BY id"))
        .containsExactly(row(0.5, 1L, 2L), row(1e300, 5000000000L, 6000000000L));
    assertThat(gateway.rows("DESCRIBE t").get(2))
        .isEqualTo(row("b2", "BIGINT", true, null, null, "wide"));
    assertThat(gateway.run("ALTER TABLE t MODIFY b2 BIGINT").message())
        .contains("nothing was changed");
    gateway.run("ALTER TABLE t MODIFY id BIGINT");
    assertThat(gateway.columns("t")).contains("id BIGINT");
    gateway.run("ALTER TABLE t ADD c INT");
    assertThat(gateway.rows("SELECT c FROM t"))
        .containsExactly(row((Object) null), row((Object) null));
    assertThat(gateway.failure("SELECT a FROM t")).hasMessageContaining("did you mean");
  }

  @Test
  void defaultsAndCommentsChange() {
    gateway.run("CREATE TABLE t (id INT DEFAULT 7 COMMENT 'x', `DEFAULT` INT, c STRING)");
    gateway.run("INSERT INTO t (c) VALUES ('a')");
    gateway.run("ALTER TABLE t MODIFY id INT DEFAULT +8");
    gateway.run("INSERT INTO t (c) VALUES ('b')");
    gateway.run("ALTER TABLE t MODIFY COLUMN id INT DEFAULT NULL");
    gateway.run("INSERT INTO t (c) VALUES ('c')");
    assertThat(gateway.rows("SELECT c, id FROM t ORDER BY c"))
        .containsExactly(row("a", 7), row("b", 8), row("c", null));
    gateway.run("COMMENT ON COLUMN demo.t.c IS 'it''s'");
    gateway.run("COMMENT ON TABLE t IS 'all of it'");
    assertThat(gateway.rows("DESCRIBE t"))
        .containsExactly(
            row("id", "INT", true, null, null, "x"),
            row("DEFAULT", "INT", true, null, null, null),
            row("c", "STRING", true, null, null, "it's"));
    assertThat(gateway.cluster.table("demo.t").description().comment()).isEqualTo("all of it");
    gateway.run("COMMENT ON TABLE t IS NULL");
    assertThat(gateway.cluster.table("demo.t").description().comment()).isEmpty();
    assertThat(gateway.failure("COMMENT ON t IS 'x'"))
        .hasMessageContaining("COMMENT ON TABLE db.t IS");
    assertThat(gateway.failure("COMMENT ON COLUMN c IS 'x'").code())
        .isEqualTo(ErrorCode.INVALID_SQL);
  }

  @Test
  void fieldsOfRowsChangeByTheirPath() {
    gateway.run(
        "CREATE TABLE t (id INT, r ROW<x INT, y STRING>, l ARRAY<ROW<a INT>>, m MAP<STRING, INT>)");
    gateway.run("ALTER TABLE t ADD r.z BIGINT AFTER x");
    gateway.run("ALTER TABLE t RENAME r.y TO name");
    gateway.run("ALTER TABLE t ADD l.element.b STRING");
    gateway.run("ALTER TABLE t MODIFY m.value BIGINT");
    assertThat(gateway.columns("t"))
        .containsExactly(
            "id INT",
            "r ROW<`x` INT, `z` BIGINT, `name` STRING>",
            "l ARRAY<ROW<`a` INT, `b` STRING>>",
            "m MAP<STRING,BIGINT>");
    gateway.run("ALTER TABLE t MODIFY r ROW<x BIGINT, z BIGINT, more ARRAY<INT>, name STRING>");
    gateway.run("ALTER TABLE t DROP (r.z, l)");
    assertThat(gateway.columns("t"))
        .containsExactly(
            "id INT",
            "r ROW<`x` BIGINT, `more` ARRAY<INT>, `name` STRING>",
            "m MAP<STRING,BIGINT>");
    assertThat(gateway.failure("ALTER TABLE t MODIFY r ROW<x BIGINT, name STRING>"))
        .hasMessageContaining("DROP r.more");
  }

  @Test
  void optionsAreSetAndReset() {
    gateway.run("CREATE TABLE t (id INT) WITH ('table.datalake.freshness' = '1min')");
    assertThat(
            gateway
                .run("ALTER TABLE t SET ('table.datalake.freshness' = '10s', 'my.own' = 'x')")
                .message())
        .isEqualTo("Set table.datalake.freshness, my.own of table demo.t");
    assertThat(gateway.cluster.table("demo.t").description().options())
        .containsEntry("table.datalake.freshness", "10s")
        .containsEntry("my.own", "x");
    gateway.run("ALTER TABLE t RESET ('my.own')");
    assertThat(gateway.cluster.table("demo.t").description().options())
        .containsOnlyKeys("table.datalake.freshness");
  }

  @Test
  void currentRowsOfKeyedTablesFollowTheirSchema() {
    gateway.run("CREATE TABLE k (id INT, a INT, PRIMARY KEY (id) NOT ENFORCED)");
    FakeTable table = gateway.cluster.table("demo.k");
    table.change("+I", 1, 10);
    gateway.run("ALTER TABLE k ADD b STRING DEFAULT 'new'");
    table.change("+I", 2, 20, "set");
    assertThat(gateway.rows("SELECT * FROM k ORDER BY id"))
        .containsExactly(row(1, 10, "new"), row(2, 20, "set"));
    gateway.run("INSERT INTO k (id, b) VALUES (3, 'x')");
    assertThat(gateway.cluster.lastSinkColumns).containsExactly("id", "b");
    // A key stays NOT NULL without being said again.
    assertThat(gateway.run("ALTER TABLE k MODIFY id INT").message())
        .contains("nothing was changed");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "ALTER TABLE nope ADD a INT|TABLE_NOT_FOUND|Table demo.nope does not exist",
        "ALTER TABLE tt ADD a INT|TABLE_NOT_FOUND|did you mean t",
        "ALTER TABLE t ADD a INT|INVALID_ALTER|'a' exists",
        "ALTER TABLE t ADD z INT NOT NULL|INVALID_ALTER|give it a default",
        "ALTER TABLE t ADD z INT AFTER y|INVALID_ALTER|'y'",
        "ALTER TABLE t ADD z INT DEFAULT 'x'|INVALID_VALUE|is a number, not a text (x)",
        "ALTER TABLE t ADD z DOUBLE DEFAULT '5'|INVALID_VALUE|is a number, not a text (5)",
        "ALTER TABLE t ADD z INT DEFAULT 'NaN'|INVALID_VALUE|is a number, not a text (NaN)",
        "ALTER TABLE t ADD z STRING DEFAULT 5|INVALID_VALUE|is a text, not a number (5)",
        "ALTER TABLE t ADD z TINYINT DEFAULT 300|INVALID_VALUE|does not fit",
        "ALTER TABLE t ADD z DATE DEFAULT '2024-02-30'|INVALID_VALUE|does not fit",
        "ALTER TABLE t ADD z ARRAY<INT> DEFAULT 5|INVALID_VALUE|can only be NULL",
        "ALTER TABLE t ADD z INT DEFAULT now()|INVALID_SQL|takes a literal, not 'now'",
        "ALTER TABLE t ADD z INT DEFAULT|INVALID_SQL|needs a literal",
        "ALTER TABLE t ADD z INT DEFAULT 1 DEFAULT 2|INVALID_SQL|two defaults",
        "ALTER TABLE t ADD z NOTYPE|INVALID_SCHEMA|Column 'z'",
        "ALTER TABLE t ADD z AS a + 1|UNSUPPORTED|computed",
        "ALTER TABLE t ADD PRIMARY KEY (a) NOT ENFORCED|UNSUPPORTED|primary key of a table is fixed",
        "ALTER TABLE t DROP nope|INVALID_ALTER|'nope' does not exist",
        "ALTER TABLE t DROP PRIMARY KEY|UNSUPPORTED|not in this build",
        "ALTER TABLE t MODIFY b INT|INVALID_ALTER|can become",
        "ALTER TABLE t MODIFY a BIGINT NOT NULL|INVALID_ALTER|cannot become NOT NULL",
        "ALTER TABLE t MODIFY aa BIGINT|COLUMN_NOT_FOUND|did you mean a",
        "ALTER TABLE t RENAME a TO b|INVALID_ALTER|'b' exists",
        "ALTER TABLE t RENAME TO u|UNSUPPORTED|cannot be renamed",
        "ALTER TABLE k DROP id|INVALID_ALTER|primary key",
        "ALTER TABLE t ALTER COLUMN a TYPE BIGINT|INVALID_SQL|cannot be parsed",
        "ALTER VIEW v RENAME TO w|UNSUPPORTED|ALTER VIEW",
        "ALTER|INVALID_SQL|ALTER of what? TABLE"
      })
  void whatCannotBeChangedIsSaid(String text, ErrorCode code, String message) {
    gateway.run("CREATE TABLE t (a INT, b BIGINT)");
    gateway.run("CREATE TABLE k (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED)");
    List<String> before = gateway.columns("t");
    SluiceException failure = gateway.failure(text);
    assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
    assertThat(failure).hasMessageContaining(message);
    assertThat(gateway.columns("t")).isEqualTo(before);
  }

  @Test
  void aMissingTableIsFineWithIfExists() {
    assertThat(gateway.run("ALTER TABLE IF EXISTS nope ADD a INT").message())
        .isEqualTo("There is no table demo.nope; nothing was changed");
    assertThat(gateway.run("ALTER TABLE IF EXISTS other.nope DROP PARTITION (a = 'x')").message())
        .contains("nothing was changed");
  }
}
