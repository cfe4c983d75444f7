package io.sluice.lake.sql;

import static io.sluice.lake.sql.StartedGateway.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Partitioned tables in SQL. */
final class PartitionSqlTest extends GatewayTest {
  @BeforeEach
  void open() {
    gateway.run(
        "CREATE TABLE sales (id BIGINT, dt STRING, region STRING, price INT)"
            + " PARTITIONED BY (dt, region) WITH ('bucket.num' = '2')");
  }

  @Test
  void partitionsAreAddedShownAndDropped() {
    assertThat(
            gateway
                .run("ALTER TABLE sales ADD PARTITION (region = 'EU', dt = '2024-01-01')")
                .message())
        .isEqualTo("Table demo.sales has the partition dt=2024-01-01/region=EU");
    gateway.run(
        "ALTER TABLE sales ADD IF NOT EXISTS PARTITION (dt = '2024-01-01', region = 'EU')"
            + " PARTITION (dt = '2024-01-02', region = 'US')");
    assertThat(gateway.rows("SHOW PARTITIONS sales"))
        .containsExactly(row("dt=2024-01-01/region=EU"), row("dt=2024-01-02/region=US"));
    assertThat(gateway.rows("SHOW PARTITIONS demo.sales PARTITION (region = 'US')"))
        .containsExactly(row("dt=2024-01-02/region=US"));
    assertThat(
            gateway
                .run("ALTER TABLE sales DROP PARTITION (dt = '2024-01-01', region = 'EU')")
                .message())
        .isEqualTo("1 partition of table demo.sales dropped with all rows");
    assertThat(
            gateway
                .run(
                    "ALTER TABLE sales DROP IF EXISTS PARTITION (dt = '2024-01-01', region = 'EU')")
                .message())
        .isEqualTo("Table demo.sales had no such partition to drop");
    assertThat(gateway.rows("SHOW PARTITIONS sales"))
        .containsExactly(row("dt=2024-01-02/region=US"));
  }

  @Test
  void rowsGoToTheirPartitionsAndComeBackAsOneTable() {
    gateway.run(
        "INSERT INTO sales VALUES (1, '2024-01-01', 'EU', 10), (2, '2024-01-01', 'US', 20),"
            + " (3, '2024-01-02', 'EU', 30)");
    gateway.run("INSERT INTO sales (region, dt, id) VALUES ('EU', '2024-01-02', 4)");
    assertThat(gateway.rows("SHOW PARTITIONS sales")).hasSize(3);
    assertThat(gateway.rows("SELECT * FROM sales ORDER BY id"))
        .containsExactly(
            row(1L, "2024-01-01", "EU", 10),
            row(2L, "2024-01-01", "US", 20),
            row(3L, "2024-01-02", "EU", 30),
            row(4L, "2024-01-02", "EU", null));
    assertThat(gateway.rows("SELECT COUNT(*) FROM sales")).containsExactly(row(4L));
    assertThat(gateway.rows("SELECT dt, SUM(price) FROM sales GROUP BY dt ORDER BY dt"))
        .containsExactly(row("2024-01-01", "30"), row("2024-01-02", "30"));
    gateway.run("ALTER TABLE sales DROP PARTITION (dt = '2024-01-02', region = 'EU')");
    assertThat(gateway.rows("SELECT COUNT(*) FROM sales")).containsExactly(row(2L));
    assertThat(gateway.rows("EXPLAIN SELECT id FROM sales WHERE dt = '2024-01-01'"))
        .extracting(line -> (String) line.get(0))
        .contains(
            "  tail: 2 offsets, bucket=[start, end): dt=2024-01-01/region=EU 0=[0, 1),"
                + " dt=2024-01-01/region=US 0=[0, 1)")
        .contains(
            "  left out of the tail: batches and partitions without rows of \"dt\" ="
                + " '2024-01-01'");
  }

  @Test
  void aTableWithoutPartitionsYetIsEmpty() {
    assertThat(gateway.rows("SELECT * FROM sales")).isEmpty();
    assertThat(gateway.rows("SELECT COUNT(*) FROM sales")).containsExactly(row(0L));
    assertThat(gateway.rows("SHOW PARTITIONS sales")).isEmpty();
  }

  @Test
  void keyedTablesHavePartitionsToo() {
    gateway.run(
        "CREATE TABLE k (id INT, dt DATE, v STRING, PRIMARY KEY (id, dt) NOT ENFORCED)"
            + " PARTITIONED BY (dt)");
    gateway.run(
        "INSERT INTO k VALUES (1, DATE '2024-01-01', 'a'), (1, DATE '2024-01-02', 'b'),"
            + " (1, DATE '2024-01-01', 'c')");
    assertThat(gateway.rows("SELECT * FROM k ORDER BY v"))
        .containsExactly(row(1, "2024-01-02", "b"), row(1, "2024-01-01", "c"));
    gateway.run("ALTER TABLE k ADD PARTITION (dt = DATE '2024-01-03')");
    assertThat(gateway.rows("SHOW PARTITIONS k"))
        .containsExactly(row("dt=2024-01-01"), row("dt=2024-01-02"), row("dt=2024-01-03"));
  }

  @Test
  void definitionsSayThePartitionColumns() {
    assertThat(gateway.rows("DESCRIBE sales").get(1))
        .isEqualTo(row("dt", "STRING", true, "PARTITION(dt, region)", null, null));
    String text = (String) gateway.rows("SHOW CREATE TABLE sales").get(0).get(0);
    assertThat(text).contains("PARTITIONED BY (`dt`, `region`)");
    gateway.run("DROP TABLE sales");
    gateway.run(text);
    assertThat(gateway.cluster.table("demo.sales").description().partitionKeys())
        .containsExactly("dt", "region");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "ALTER TABLE sales ADD PARTITION (dt = 'x')|INVALID_PARTITION|'region' is missing",
        "ALTER TABLE sales ADD PARTITION (dt = 'x', regio = 'y')|INVALID_PARTITION|did you mean region",
        "ALTER TABLE sales ADD PARTITION (dt = 'x', dt = 'y')|INVALID_PARTITION|named twice",
        "ALTER TABLE sales ADD PARTITION (dt = NULL, region = 'y')|INVALID_PARTITION|not NULL",
        "ALTER TABLE sales ADD PARTITION (dt = '', region = 'y')|INVALID_PARTITION|dt",
        "ALTER TABLE sales ADD PARTITION (dt = 'x', region = 'y') WITH ('a' = 'b')|UNSUPPORTED|no options",
        "ALTER TABLE sales DROP PARTITION (dt = 'x', region = 'y')|PARTITION_NOT_FOUND|does not exist",
        "ALTER TABLE plain ADD PARTITION (dt = 'x')|INVALID_PARTITION|is not partitioned",
        "SHOW PARTITIONS plain|INVALID_PARTITION|is not partitioned",
        "SHOW PARTITIONS nope|TABLE_NOT_FOUND|does not exist",
        "INSERT INTO sales PARTITION (dt = 'x') SELECT 1|UNSUPPORTED|rows go to the partition",
        "INSERT INTO sales VALUES (1, NULL, 'EU', 3)|INVALID_VALUE|dt"
      })
  void whatIsWrongIsSaid(String text, ErrorCode code, String message) {
    gateway.run("CREATE TABLE plain (dt STRING)");
    SluiceException failure = gateway.failure(text);
    assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
    assertThat(failure).hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "id > 5 AND price + 1 = 2|(\"id\" > 5)",
        "5 < s.id|\"id\" > 5",
        "dt = '2024-01-01' AND region IN ('EU', 'it''s')|(\"dt\" = '2024-01-01') AND (\"region\" IN ('EU', 'it''s'))",
        "price BETWEEN 1 AND -3|\"price\" >= 1 AND \"price\" <= -3",
        "id = 1 OR price IS NOT NULL|(\"id\" = 1) OR (\"price\" IS NOT NULL)",
        "id = 1 OR price + 1 = 2|~~",
        "NOT (id = 1)|\"id\" <> 1",
        "NOT (id = 1 AND price = 2)|~~",
        "id = 1.5|~~",
        "dt = 5|~~",
        "id = '5'|~~",
        "id > (SELECT 3)|~~"
      })
  void conditionsAreGivenToTheServersWhereTheyMeanTheSame(String where, String skip) {
    gateway.run("INSERT INTO sales VALUES (7, '2024-01-01', 'EU', 10)");
    gateway.run("SELECT COUNT(id) FROM sales s WHERE " + where.replace("dt = 5", "dt = '5' || ''"));
    assertThat(gateway.cluster.lastScan.skip()).isEqualTo(skip);
  }

  @Test
  void conditionsOfOtherFormsStayInTheEngine() {
    gateway.run("INSERT INTO sales VALUES (7, '2024-01-01', 'EU', 10)");
    for (String query :
        new String[] {
          "SELECT COUNT(*) FROM sales a, sales b WHERE a.id = 9",
          "SELECT (SELECT MAX(id) FROM sales) FROM sales WHERE id = 9",
          "WITH x AS (SELECT * FROM sales) SELECT * FROM x WHERE id = 9",
          "SELECT a FROM sales AS s(region, a, b, c) WHERE region = 7",
          "SELECT id FROM sales TABLESAMPLE 10% WHERE id = 9"
        }) {
      gateway.run(query);
      assertThat(gateway.cluster.lastScan.skip()).as(query).isEmpty();
    }
  }
}
