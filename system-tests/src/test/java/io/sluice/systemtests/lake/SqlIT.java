package io.sluice.systemtests.lake;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.Connection;
import io.sluice.common.TablePath;
import io.sluice.testkit.Await;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements over REST against the real services: what works, and what is refused and how. */
final class SqlIT {
  private static final SqlClient SQL = LakeCluster.shared().sql();
  private static final TablePath ORDERS = TablePath.parse("shop.orders");

  @BeforeAll
  static void createShop() {
    SQL.run("CREATE DATABASE IF NOT EXISTS shop");
    SQL.run(
        """
        CREATE TABLE shop.orders (
          id BIGINT NOT NULL,
          customer STRING,
          amount DECIMAL(10, 2),
          placed TIMESTAMP(3)
        ) WITH (
          'bucket.num' = '3',
          'table.datalake.enabled' = 'true',
          'table.datalake.freshness' = '1s')
        """);
    SQL.run(
        """
        CREATE TABLE shop.customers (
          name STRING NOT NULL,
          city STRING,
          PRIMARY KEY (name) NOT ENFORCED
        ) WITH ('bucket.num' = '2')
        """);
    SQL.run(
        """
        INSERT INTO shop.orders VALUES
          (1, 'ann', 10.50, TIMESTAMP '2024-02-29 12:00:00.125'),
          (2, 'bob', 20.00, TIMESTAMP '2024-03-01 00:00:00'),
          (3, 'ann', NULL, NULL)
        """);
    SQL.run("INSERT INTO shop.customers VALUES ('ann', 'Porto'), ('bob', 'Lisboa'), ('eve', NULL)");
    SQL.run("INSERT INTO shop.customers VALUES ('bob', 'Faro')");
  }

  @Test
  void rowsAreSeenAtOnceWithTheirValues() {
    SqlClient.Answer answer =
        SQL.run("SELECT id, customer, amount, placed FROM shop.orders ORDER BY id");
    assertThat(answer.body().get("kind").asString()).isEqualTo("rows");
    assertThat(answer.columns()).containsExactly("id", "customer", "amount", "placed");
    assertThat(answer.rows()).hasSize(3);
    assertThat(answer.rows().get(0).subList(0, 3)).containsExactly("1", "ann", "10.50");
    assertThat(answer.rows().get(0).get(3)).contains("2024-02-29").contains("12:00:00.125");
    assertThat(answer.rows().get(2)).containsExactly("3", "ann", null, null);
  }

  @Test
  void logTableJoinsPrimaryKeyTable() {
    assertThat(
            SQL.run(
                    """
                    SELECT c.city, COUNT(*) AS orders, SUM(o.amount) AS total
                    FROM shop.orders AS o JOIN shop.customers AS c ON o.customer = c.name
                    GROUP BY c.city ORDER BY c.city
                    """)
                .rows())
        .containsExactly(List.of("Faro", "1", "20.00"), List.of("Porto", "2", "10.50"));
    assertThat(
            SQL.run(
                    "SELECT c.name FROM shop.customers c LEFT JOIN shop.orders o"
                        + " ON o.customer = c.name WHERE o.id IS NULL")
                .rows())
        .containsExactly(List.of("eve"));
  }

  @Test
  void countsOfColumnsLeaveOutNulls() {
    assertThat(SQL.run("SELECT COUNT(*), COUNT(1), COUNT(amount) FROM shop.orders").rows())
        .containsExactly(List.of("3", "3", "2"));
    assertThat(SQL.run("SELECT COUNT(*), COUNT(city) FROM shop.customers").rows())
        .containsExactly(List.of("3", "2"));
  }

  @Test
  void aTableWithoutRowsHasNoneAndEndsAtOnce() {
    SQL.run(
        "CREATE TABLE shop.blank (a INT) WITH ('bucket.num' = '8',"
            + " 'table.datalake.enabled' = 'true')");
    assertThat(SQL.number("SELECT COUNT(*) FROM shop.blank")).isZero();
    assertThat(SQL.run("SELECT a FROM shop.blank").rows()).isEmpty();
    assertThat(SQL.number("SELECT COUNT(*) FROM shop.blank$lake")).isZero();
  }

  @Test
  void lakeOnlyReadIsThereUnderEveryQuoting() {
    Await.until(
        "the orders are in the lake",
        Duration.ofSeconds(60),
        () -> SQL.number("SELECT COUNT(*) FROM shop.orders$lake") == 3);
    assertThat(SQL.number("SELECT COUNT(*) FROM shop.`orders$lake`")).isEqualTo(3);
    assertThat(SQL.number("SELECT COUNT(*) FROM shop.\"orders$lake\"")).isEqualTo(3);
  }

  @Test
  void tablesAreShownAndDescribed() {
    assertThat(SQL.run("SHOW DATABASES").rows().toString()).contains("shop");
    assertThat(SQL.run("SHOW TABLES FROM shop").rows().toString())
        .contains("orders")
        .contains("customers");
    String described = SQL.run("DESCRIBE shop.orders").rows().toString();
    assertThat(described).contains("id", "BIGINT", "DECIMAL(10, 2)".replace(" ", ""), "placed");
    assertThat(described).doesNotContain("__offset");
    assertThat(SQL.run("SELECT * FROM shop.orders").columns())
        .containsExactly("id", "customer", "amount", "placed");
  }

  @Test
  void resultsComeAsCsvToo() {
    HttpResponse<String> csv = SQL.csv("SELECT id, customer FROM shop.orders ORDER BY id");
    assertThat(csv.statusCode()).isEqualTo(200);
    assertThat(csv.headers().firstValue("Content-Type").orElse("")).startsWith("text/csv");
    assertThat(csv.body().lines()).containsExactly("id,customer", "1,ann", "2,bob", "3,ann");
  }

  @Test
  void aSyntaxErrorSaysWhere() {
    SqlClient.Answer answer = SQL.ask("SELECT id\nFROM shop.orders WHERE WHERE");
    assertThat(answer.status()).as("%s", answer).isEqualTo(400);
    assertThat(answer.code()).isEqualTo("INVALID_SQL");
    assertThat(answer.detail()).containsIgnoringCase("where");
    assertThat(answer.body().get("line").asInt()).isEqualTo(2);
  }

  @Test
  void aSyntaxErrorInDdlSaysWhere() {
    SqlClient.Answer answer = SQL.ask("CREATE TABLE shop.bad (\n  a INT,\n  b NUMBR NOT\n)");
    assertThat(answer.status()).as("%s", answer).isEqualTo(400);
    assertThat(answer.code()).isEqualTo("INVALID_SQL");
    assertThat(answer.body().get("line").asInt()).isIn(3, 4);
  }

  @Test
  void unknownColumnsAndTablesAreNamed() {
    SqlClient.Answer column = SQL.ask("SELECT amuont FROM shop.orders");
    assertThat(column.status()).as("%s", column).isEqualTo(404);
    assertThat(column.code()).isEqualTo("COLUMN_NOT_FOUND");
    assertThat(column.detail()).contains("amuont");

    SqlClient.Answer table = SQL.ask("SELECT * FROM shop.ordres");
    assertThat(table.code()).as("%s", table).isEqualTo("TABLE_NOT_FOUND");
    assertThat(table.detail()).contains("ordres");

    assertThat(SQL.ask("SELECT * FROM nowhere.orders").status()).isEqualTo(404);
    assertThat(SQL.ask("INSERT INTO shop.orders (id, amuont) VALUES (1, 2)").detail())
        .contains("amuont");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "COPY shop.orders TO '/tmp/sluice-sql-test.csv'",
        "COPY (SELECT 1) TO '/tmp/sluice-sql-test.csv'",
        "ATTACH '/tmp/sluice-sql-test.db' AS other",
        "INSTALL httpfs",
        "LOAD httpfs",
        "PRAGMA database_list",
        "SET memory_limit = '100GB'",
        "EXPORT DATABASE '/tmp/sluice-sql-test'",
        "CALL pragma_version()",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_csv_auto('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_blob('/etc/passwd')",
        "SELECT * FROM read_parquet('/tmp/*.parquet')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM \"/etc/passwd\"",
        "SELECT * FROM glob('/etc/*')",
        "SELECT id FROM shop.orders WHERE id IN (SELECT 1 FROM read_csv('/etc/passwd'))",
        "WITH x AS (SELECT * FROM read_text('/etc/passwd')) SELECT * FROM x",
        "SELECT getenv('HOME')",
        "SELECT * FROM duckdb_settings()",
        "CREATE TABLE shop.stolen AS SELECT * FROM read_text('/etc/passwd')",
        "SELECT 1; SELECT 2",
        "DROP DATABASE shop; SELECT 1"
      })
  void whatReachesOutsideIsRefused(String statement) {
    SqlClient.Answer answer = SQL.ask(statement);
    assertThat(answer.status()).as("%s -> %s", statement, answer).isBetween(400, 501);
    assertThat(answer.status()).as("%s -> %s", statement, answer).isNotEqualTo(500);
    assertThat(answer.body().toString()).doesNotContain("root:");
    assertThat(answer.detail()).as(statement).isNotBlank();
    assertThat(java.nio.file.Path.of("/tmp/sluice-sql-test.csv")).doesNotExist();
    assertThat(java.nio.file.Path.of("/tmp/sluice-sql-test.db")).doesNotExist();
    assertThat(SQL.number("SELECT COUNT(*) FROM shop.customers")).isEqualTo(3);
  }

  @Test
  void tablesMadeBySqlAreThoseOfEverybody() {
    try (Connection connection = LakeCluster.shared().connect()) {
      assertThat(connection.admin().describe(ORDERS).bucketCount()).isEqualTo(3);
      assertThat(connection.admin().describe(ORDERS).options())
          .containsEntry("table.datalake.freshness", "1s");
    }
    SQL.run("CREATE TABLE shop.passing (a INT)");
    SQL.run("DROP TABLE shop.passing");
    SQL.run("DROP TABLE IF EXISTS shop.passing");
    assertThat(SQL.ask("DROP TABLE shop.passing").code()).isEqualTo("TABLE_NOT_FOUND");
  }
}
