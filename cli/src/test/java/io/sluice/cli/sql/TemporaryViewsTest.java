package io.sluice.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TemporaryViewsTest {
  private final TemporaryViews views = new TemporaryViews();

  private static String oneLine(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }

  @Test
  void onlyCreateTemporaryViewMakesOne() {
    assertThat(views.define("CREATE VIEW v AS SELECT 1")).isEmpty();
    assertThat(views.define("SELECT 1")).isEmpty();
    assertThat(views.define("CREATE TEMPORARY VIEW v SELECT 1 x")).isEmpty();
    assertThat(views.define("-- a\ncreate temporary view if not exists V as select 1"))
        .hasValue("V");
    assertThat(views.resolve("SELECT 1 FROM other")).isEqualTo("SELECT 1 FROM other");
    assertThat(views.resolve("DROP TABLE v")).isEqualTo("DROP TABLE v");
  }

  @Test
  void statementsGetTheViewsThatTheyRead() {
    views.define("CREATE TEMPORARY VIEW v (a, b) COMMENT 'x' AS SELECT 1, 'v AS' -- end");
    views.define("CREATE TEMPORARY VIEW `w` AS SELECT * FROM v");
    assertThat(oneLine(views.resolve("SELECT a FROM v WHERE a IN (SELECT 1)")))
        .isEqualTo(
            "WITH `v` (a, b) AS (SELECT 1, 'v AS' -- end ) SELECT a FROM v WHERE a IN (SELECT 1)");
    assertThat(oneLine(views.resolve("INSERT INTO t (x, y) -- all\nSELECT * FROM W")))
        .isEqualTo(
            "INSERT INTO t (x, y) -- all WITH `v` (a, b) AS (SELECT 1, 'v AS' -- end ),"
                + " `w` AS (SELECT * FROM v ) SELECT * FROM W");
    assertThat(oneLine(views.resolve("WITH x AS (SELECT 1) SELECT * FROM x, v")))
        .startsWith("WITH `v` (a, b) AS (SELECT 1, 'v AS' -- end ), x AS (SELECT 1) SELECT");
    assertThat(oneLine(views.resolve("EXPLAIN WITH RECURSIVE x AS (SELECT 1) SELECT 'v' FROM v")))
        .startsWith("EXPLAIN WITH RECURSIVE `v` (a, b) AS (");
    assertThat(views.resolve("SELECT 'v' FROM t")).isEqualTo("SELECT 'v' FROM t");
  }
}
