package io.sluice.lake.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.TableSpec;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.lake.duck.DuckSettings;
import io.sluice.lake.duck.ResultColumn;
import io.sluice.lake.sqlfakes.FakeCluster;
import io.sluice.lake.sqlfakes.FakeLake;
import io.sluice.lake.sqlfakes.FakeTable;
import io.sluice.lake.union.Lake;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements against tables in memory and a lake of real files. */
final class SqlGatewayTest {
  @TempDir Path directory;
  private FakeCluster cluster;
  private FakeLake lake;
  private SqlGateway gateway;
  private final List<String> observed = new ArrayList<>();

  @BeforeEach
  void open() {
    cluster = new FakeCluster();
    lake = new FakeLake(directory, cluster.calls());
    gateway = gateway(new SqlLimits(2, Duration.ofSeconds(60), 100));
  }

  private SqlGateway gateway(SqlLimits limits) {
    return SqlGateway.open(
        limits,
        new DuckSettings(64 << 20, 1, directory.resolve("spill"), 16 << 20),
        cluster,
        lake,
        (kind, outcome, duration, rows) -> observed.add(kind + " " + outcome + " " + rows));
  }

  @AfterEach
  void close() {
    gateway.close();
    assertThat(cluster.allocatedBytes()).as("bytes of batches left over").isZero();
    cluster.close();
  }

  private SqlResult run(String sql) {
    return gateway.execute(new SqlRequest(sql, "demo", null, false));
  }

  private List<List<Object>> rows(String sql) {
    return run(sql).values();
  }

  private static List<Object> row(Object... values) {
    return Arrays.asList(values);
  }

  private SluiceException failure(String sql) {
    try {
      SqlResult result = run(sql);
      throw new AssertionError("Not refused: " + sql + " gave " + result);
    } catch (SluiceException e) {
      return e;
    }
  }

  private FakeTable flights() {
    FakeTable table =
        cluster.create(
            TableSpec.of("demo.flights")
                .column("id", "BIGINT")
                .column("origin", "STRING")
                .column("delay", "SMALLINT")
                .option("table.datalake.enabled", "true")
                .buckets(2)
                .build());
    for (int i = 0; i < 20; i++) {
      table.append(i % 2, (long) i, i % 3 == 0 ? "LIS" : "OPO", i % 5 == 0 ? null : (short) i);
    }
    return table;
  }

  @Test
  void lakeAndTailAreOneTable() {
    FakeTable flights = flights();
    lake.tier(flights, Map.of(0, 4L, 1, 7L));
    lake.tier(flights, Map.of(0, 6L));
    assertThat(rows("SELECT id FROM flights ORDER BY id"))
        .extracting(row -> row.get(0))
        .containsExactlyElementsOf(java.util.stream.LongStream.range(0, 20).boxed().toList());
    assertThat(rows("SELECT COUNT(*), COUNT(delay), SUM(id) FROM demo.flights"))
        .containsExactly(row(20L, 16L, "190"));
    assertThat(rows("SELECT COUNT(*) FROM `flights$lake`")).containsExactly(row(13L));
    assertThat(rows("SELECT COUNT(*) FROM demo.flights$lake")).containsExactly(row(13L));
    assertThat(rows("SELECT COUNT(*) FROM \"demo\".\"flights$lake\" AS f"))
        .containsExactly(row(13L));
    assertThat(
            rows(
                "SELECT origin, COUNT(*) FROM flights WHERE delay > 2 GROUP BY origin"
                    + " HAVING COUNT(*) > 1 ORDER BY origin"))
        .containsExactly(row("LIS", 5L), row("OPO", 9L));
  }

  @Test
  void onlyNamedColumnsAreScanned() {
    flights();
    run("SELECT MAX(delay) FROM flights WHERE id > 3");
    assertThat(cluster.lastScan.columns()).containsExactly("id", "delay");
    run("SELECT COUNT(*) FROM flights");
    assertThat(cluster.lastScan.columns()).isEmpty();
    run("SELECT * FROM flights LIMIT 1");
    assertThat(cluster.lastScan.columns()).containsExactly("id", "origin", "delay");
  }

  @Test
  void systemColumnsAreThereWhenNamedAndHiddenFromStar() {
    FakeTable flights = flights();
    lake.tier(flights, Map.of(0, 3L));
    assertThat(
            rows(
                "SELECT id, __bucket, __offset, __timestamp FROM flights"
                    + " WHERE __offset IN (2, 3) ORDER BY __bucket, __offset"))
        .containsExactly(
            row(4L, 0, 2L, "1970-01-01T00:16:40.002Z"),
            row(6L, 0, 3L, "1970-01-01T00:16:40.003Z"),
            row(5L, 1, 2L, "1970-01-01T00:16:40.002Z"),
            row(7L, 1, 3L, "1970-01-01T00:16:40.003Z"));
    assertThat(rows("SELECT __bucket, COUNT(*) FROM flights GROUP BY __bucket ORDER BY 1"))
        .containsExactly(row(0, 10L), row(1, 10L));
    assertThat(rows("SELECT MAX(__offset) FROM `flights$lake`")).containsExactly(row(2L));
    assertThat(run("SELECT * FROM flights").columns())
        .extracting(ResultColumn::name)
        .containsExactly("id", "origin", "delay");
    assertThat(failure("SELECT *, __offset FROM flights"))
        .hasMessageContaining("cannot use * as well");
  }

  @Test
  void typesComeThroughLakeAndTailAlike() {
    FakeTable table =
        cluster.create(
            TableSpec.of("demo.types")
                .column("b", "BOOLEAN")
                .column("i", "TINYINT")
                .column("n", "BIGINT")
                .column("f", "DOUBLE")
                .column("d", "DECIMAL(12,2)")
                .column("day", "DATE")
                .column("ts", "TIMESTAMP(3)")
                .column("at", "TIMESTAMP_LTZ(3)")
                .column("raw", "BYTES")
                .column("s", "STRING")
                .option("table.datalake.enabled", "true")
                .build());
    for (int i = 0; i < 2; i++) {
      table.append(
          0,
          true,
          (byte) -7,
          9_007_199_254_740_993L,
          0.5,
          new BigDecimal("1234567890.10"),
          LocalDate.of(2024, 2, 29),
          LocalDateTime.of(2021, 3, 14, 2, 30, 0, 120_000_000),
          Instant.parse("1969-12-31T23:59:59.999Z"),
          new byte[] {0, 1, -1},
          "ä\"\n𝄞");
      table.append(0, null, null, null, null, null, null, null, null, null, null);
    }
    lake.tier(table, Map.of(0, 2L));
    SqlResult result = run("SELECT * FROM types");
    assertThat(result.columns())
        .extracting(ResultColumn::type)
        .containsExactly(
            "BOOLEAN",
            "TINYINT",
            "BIGINT",
            "DOUBLE",
            "DECIMAL(12,2)",
            "DATE",
            "TIMESTAMP(6)",
            "TIMESTAMP_LTZ(6)",
            "BYTES",
            "STRING");
    List<Object> full =
        row(
            true,
            (byte) -7,
            9_007_199_254_740_993L,
            0.5,
            "1234567890.10",
            "2024-02-29",
            "2021-03-14T02:30:00.12",
            "1969-12-31T23:59:59.999Z",
            "AAH/",
            "ä\"\n𝄞");
    List<Object> empty = Arrays.asList(new Object[10]);
    assertThat(result.values()).containsExactlyInAnyOrder(full, empty, full, empty);
    assertThat(rows("SELECT i, COUNT(*) FROM types GROUP BY i ORDER BY i"))
        .containsExactly(row(null, 2L), row((byte) -7, 2L));
  }

  @Test
  void everyPlainTypeComesFromTheLog() {
    FakeTable table =
        cluster.create(
            TableSpec.of("demo.more")
                .column("bin", "BINARY(3)")
                .column("ch", "CHAR(4)")
                .column("f", "FLOAT")
                .column("t0", "TIME(0)")
                .column("t3", "TIME(3)")
                .column("t6", "TIME(6)")
                .column("s0", "TIMESTAMP(0)")
                .column("s6", "TIMESTAMP(6)")
                .column("s9", "TIMESTAMP(9)")
                .column("l0", "TIMESTAMP_LTZ(0)")
                .column("l6", "TIMESTAMP_LTZ(6)")
                .column("l9", "TIMESTAMP_LTZ(9)")
                .column("big", "DECIMAL(38,10)")
                .build());
    table.append(
        0,
        new byte[] {1, 2, 3},
        "abc",
        1.5f,
        java.time.LocalTime.of(23, 59, 58),
        java.time.LocalTime.of(1, 2, 3, 4_000_000),
        java.time.LocalTime.of(1, 2, 3, 4_000),
        LocalDateTime.of(1960, 1, 1, 1, 1, 1),
        LocalDateTime.of(2024, 1, 1, 1, 1, 1, 1_000),
        LocalDateTime.of(2024, 1, 1, 1, 1, 1, 123_456_789),
        Instant.parse("2024-01-01T00:00:00Z"),
        Instant.parse("2024-01-01T00:00:00.000001Z"),
        Instant.parse("2024-01-01T00:00:00.000000001Z"),
        new BigDecimal("1234567890123456789012345678.0123456789"));
    assertThat(rows("SELECT bin, ch, f, t0, t3, t6, s0, s6, s9, l0, l6, big FROM more"))
        .containsExactly(
            row(
                "AQID",
                "abc",
                1.5f,
                "23:59:58",
                "01:02:03.004",
                "01:02:03.000004",
                "1960-01-01T01:01:01",
                "2024-01-01T01:01:01.000001",
                "2024-01-01T01:01:01.123456789",
                "2024-01-01T00:00:00Z",
                "2024-01-01T00:00:00.000001Z",
                "1234567890123456789012345678.0123456789"));
    assertThat(failure("SELECT l9 FROM more"))
        .hasMessageContaining("Column l9 of demo.more")
        .hasMessageContaining("cannot be read by SQL in this build");
  }

  @Test
  void namesOfDatabasesMayNeedQuotes() {
    cluster.createDatabase("my-db", false);
    cluster.create(TableSpec.of("my-db.t-1").column("a", "INT").build()).append(0, 4);
    for (String sql : List.of("SELECT a FROM `t-1`", "SELECT `t-1`.a FROM `my-db`.`t-1`")) {
      assertThat(gateway.execute(new SqlRequest(sql, "my-db", null, false)).values())
          .containsExactly(row(4));
    }
    assertThat(gateway.execute(new SqlRequest("SELECT 1", "a', x\"", null, false)).values())
        .containsExactly(row(1));
  }

  @Test
  void dialectFollowsFlink() {
    assertThat(rows("SELECT 7 / 2, -7 / 2, 7.0 / 2")).containsExactly(row(3, -3, 3.5));
    assertThat(rows("SELECT x FROM (VALUES (2), (NULL), (1)) AS t(x) ORDER BY x"))
        .containsExactly(row((Object) null), row(1), row(2));
    assertThat(rows("SELECT x FROM (VALUES (2), (NULL), (1)) AS t(x) ORDER BY x DESC"))
        .containsExactly(row(2), row(1), row((Object) null));
    assertThat(rows("SELECT `a b` FROM (SELECT 1 AS `a b`) AS `t`")).containsExactly(row(1));
    assertThat(run("SELECT SUM(CAST(1 AS BIGINT)) AS s").columns())
        .containsExactly(new ResultColumn("s", "DECIMAL(38,0)"));
    assertThat(run("SELECT /*+ OPTIONS('a'='b') */ 1").notices()).hasSize(1);
    assertThat(rows("SELECT TIMESTAMP '2024-01-01 10:00:00', DATE '2024-01-02'"))
        .containsExactly(row("2024-01-01T10:00:00", "2024-01-02"));
    assertThat(rows("SELECT [1, NULL], {'a': 1, 'b': NULL}, MAP {'k': 2}, CAST('NaN' AS DOUBLE)"))
        .containsExactly(
            row(Arrays.asList(1, null), mapOf("a", 1, "b", null), Map.of("k", 2), "NaN"));
  }

  private static Map<String, Object> mapOf(String a, Object one, String b, Object two) {
    Map<String, Object> map = new java.util.LinkedHashMap<>();
    map.put(a, one);
    map.put(b, two);
    return map;
  }

  @Test
  void keyedTablesGiveCurrentRowsAndTheirChangelog() {
    FakeTable airports = airports();
    airports.change("+I", "OPO", "Porto", 69);
    airports.change("+I", "LIS", "Lisboa", 114);
    airports.change("-U", "OPO", "Porto", 69);
    airports.change("+U", "OPO", "Porto", 70);
    airports.change("-D", "LIS", "Lisboa", 114);
    assertThat(rows("SELECT * FROM airports")).containsExactly(row("OPO", "Porto", 70));
    assertThat(cluster.lastScan.current()).isTrue();
    assertThat(rows("SELECT COUNT(*), COUNT(name) FROM airports")).containsExactly(row(1L, 1L));
    assertThat(
            rows(
                "SELECT _change_type, _log_offset, iata, m FROM `airports$changelog`"
                    + " ORDER BY _log_offset"))
        .containsExactly(
            row("+I", 0L, "OPO", 69),
            row("+I", 1L, "LIS", 114),
            row("-U", 2L, "OPO", 69),
            row("+U", 3L, "OPO", 70),
            row("-D", 4L, "LIS", 114));
    assertThat(run("SELECT * FROM airports$changelog").columns())
        .extracting(ResultColumn::name)
        .containsExactly("_change_type", "_log_offset", "_commit_timestamp", "iata", "name", "m");
  }

  private FakeTable airports() {
    return cluster.create(
        TableSpec.of("demo.airports")
            .requiredColumn("iata", "STRING")
            .column("name", "STRING")
            .column("m", "INT")
            .primaryKey("iata")
            .build());
  }

  @Test
  void tablesJoinAcrossKinds() {
    FakeTable flights = flights();
    lake.tier(flights, Map.of(0, 5L, 1, 5L));
    airports().change("+I", "LIS", "Lisboa", 114);
    assertThat(
            rows(
                "WITH late AS (SELECT origin, AVG(delay) AS d FROM demo.flights GROUP BY origin)"
                    + " SELECT a.name, late.origin, ROUND(late.d, 2) FROM late"
                    + " LEFT JOIN demo.airports a ON a.iata = late.origin"
                    + " ORDER BY late.origin"))
        .containsExactly(row("Lisboa", "LIS", 9.6), row(null, "OPO", 10.18));
  }

  @Test
  void emptyTablesGiveNoRows() {
    FakeTable table =
        cluster.create(
            TableSpec.of("demo.empty")
                .column("a", "INT")
                .option("table.datalake.enabled", "true")
                .buckets(8)
                .build());
    assertThat(rows("SELECT * FROM empty")).isEmpty();
    assertThat(rows("SELECT COUNT(*), COUNT(a), MAX(a) FROM empty"))
        .containsExactly(row(0L, 0L, null));
    assertThat(rows("SELECT COUNT(*) FROM empty$lake")).containsExactly(row(0L));
    assertThat(rows("SELECT a, __offset FROM empty$lake")).isEmpty();
    for (Integer a : new Integer[] {1, null, 3, null, 5}) {
      table.append(6, a);
    }
    assertThat(rows("SELECT COUNT(*), COUNT(1), COUNT(a) FROM empty"))
        .containsExactly(row(5L, 5L, 3L));
    lake.tier(table, Map.of(6, 5L));
    assertThat(rows("SELECT COUNT(*), COUNT(1), COUNT(a) FROM empty"))
        .containsExactly(row(5L, 5L, 3L));
    assertThat(rows("SELECT COUNT(*) FROM empty")).containsExactly(row(5L));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "SELECT nope FROM flights|COLUMN_NOT_FOUND|'nope' does not exist|1|8",
        "SELECT orign FROM flights|COLUMN_NOT_FOUND|did you mean origin|1|8",
        "SELECT f.delai FROM flights f|COLUMN_NOT_FOUND|did you mean delay|1|8",
        "SELECT 1 FROM fligths|TABLE_NOT_FOUND|did you mean flights|1|15",
        "SELECT 1 FROM dem.flights|DATABASE_NOT_FOUND|did you mean demo|1|15",
        "SELECT 1 FROM Flights|TABLE_NOT_FOUND|did you mean flights|1|15",
        "SELECT 1 FROM '/etc/passwd'|PERMISSION_DENIED|no name of a table|1|15",
        "SELECT 1 FROM 'x.parquet'|PERMISSION_DENIED|no name of a table|1|15",
        "SELECT 1 FROM \"s3://b/x\"|PERMISSION_DENIED|no name of a table|1|15",
        "SELECT 1 FROM `http://x/y.csv`|PERMISSION_DENIED|no name of a table|1|15",
        "SELECT 1 FROM pg_catalog.pg_tables|PERMISSION_DENIED|belongs to the engine|1|15",
        "SELECT 1 FROM information_schema.tables|PERMISSION_DENIED|SHOW TABLES|1|15",
        "SELECT 1 FROM pg_tables|TABLE_NOT_FOUND|does not exist|1|15",
        "SELECT 1 FROM sqlite_master|TABLE_NOT_FOUND|does not exist|1|15",
        "SELECT 1 FROM __sluice.tail_0|DATABASE_NOT_FOUND|does not exist|1|15",
        "SELECT 1 FROM temp.x|UNSUPPORTED|engine has that name|1|15",
        "SELECT 1 FROM memory.demo.flights|INVALID_SQL|leave 'memory' out|1|15",
        "SELECT 1 FROM flights$binlog|UNSUPPORTED|no view of a table|1|15",
        "SELECT noo(1)|INVALID_SQL|Scalar Function with name noo|1|8",
        "SELECT 1 +|INVALID_SQL|syntax error|1|11",
        "SELEC 1|INVALID_SQL|begins no statement|1|1",
        "COPY flights TO 'x'|PERMISSION_DENIED|COPY is not allowed|1|1",
        "attach 'x' as y|PERMISSION_DENIED|ATTACH is not allowed|1|1",
        "INSTALL httpfs|PERMISSION_DENIED|INSTALL is not allowed|1|1",
        "LOAD httpfs|PERMISSION_DENIED|LOAD is not allowed|1|1",
        "PRAGMA version|PERMISSION_DENIED|PRAGMA is not allowed|1|1",
        "SET threads = 1|PERMISSION_DENIED|SET is not allowed|1|1",
        "RESET threads|PERMISSION_DENIED|RESET is not allowed|1|1",
        "EXPORT DATABASE 'x'|PERMISSION_DENIED|EXPORT is not allowed|1|1",
        "CALL pragma_version()|PERMISSION_DENIED|CALL is not allowed|1|1",
        "CREATE VIEW v AS SELECT 1|PERMISSION_DENIED|CREATE VIEW is not allowed|1|8",
        "CREATE MACRO m() AS 1|PERMISSION_DENIED|CREATE MACRO is not allowed|1|8",
        "CREATE FUNCTION f AS 'x'|UNSUPPORTED|Functions of your own|1|17",
        "CREATE SECRET s (TYPE s3)|PERMISSION_DENIED|not allowed|1|8",
        "CREATE OR REPLACE TABLE x AS SELECT 1|PERMISSION_DENIED|not allowed|1|8",
        "DROP VIEW v|PERMISSION_DENIED|not allowed|1|6",
        "UPDATE flights SET id = 1|UNSUPPORTED|UPDATE without WHERE|1|1",
        "DELETE FROM flights|UNSUPPORTED|DELETE without WHERE|1|1",
        "ALTER DATABASE demo SET ('a' = 'b')|UNSUPPORTED|ALTER DATABASE is not in this build|1|7",
        "SUMMARIZE flights|UNSUPPORTED|not in this build|1|1",
        "BEGIN TRANSACTION|PERMISSION_DENIED|every statement runs by itself|1|1",
        "SELECT 1; SELECT 2|INVALID_SQL|more than one statement|1|9",
        "EXPLAIN COPY x TO 'y'|UNSUPPORTED|EXPLAIN COPY|1|9",
        "SELECT CAST('x' AS INT)|INVALID_VALUE|Could not convert|1|8",
        "INSERT OVERWRITE flights SELECT 1|UNSUPPORTED|Only INSERT INTO|1|1",
        "INSERT INTO flights VALUES (1)|INVALID_SQL|takes 3 columns|1|21",
        "SHOW CATALOGS|UNSUPPORTED|not in this build|1|1",
        "CREATE TABLE x (day DATE)|INVALID_SQL|if day is meant as a name, write it in"
            + " backticks|1|17",
        "CREATE TABLE x (a INT,)|INVALID_SQL|cannot be parsed|1|23"
      })
  void whatIsWrongIsSaidWithItsPlace(
      String sql, ErrorCode code, String message, String line, String column) {
    flights();
    SluiceException failure = failure(sql);
    assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
    assertThat(failure).hasMessageContaining(message);
    assertThat(failure.details())
        .as(failure.getMessage())
        .containsEntry("line", line)
        .containsEntry("column", column);
  }

  @Test
  void filesCannotBeReadByAnyWay() throws Exception {
    FakeTable flights = flights();
    lake.tier(flights, Map.of(0, 2L));
    Path secret = directory.resolve("secret.csv");
    java.nio.file.Files.writeString(secret, "a\n1\n");
    String path = secret.toString();
    for (String sql :
        List.of(
            "SELECT * FROM '" + path + "'",
            "SELECT * FROM \"" + path + "\"",
            "SELECT * FROM read_csv('" + path + "')",
            "SELECT * FROM flights WHERE id IN (SELECT a FROM read_csv('" + path + "'))",
            "WITH x AS (SELECT * FROM '" + path + "') SELECT * FROM x",
            "INSERT INTO flights SELECT a, 'x', 1 FROM read_csv('" + path + "')",
            "INSERT INTO flights VALUES ((SELECT a FROM '" + path + "'), 'x', 1)",
            "EXPLAIN SELECT * FROM read_text('" + path + "')")) {
      assertThat(failure(sql).code()).as(sql).isEqualTo(ErrorCode.PERMISSION_DENIED);
    }
    assertThat(flights.bucket(0)).hasSize(10);
  }

  @Test
  void insertWritesValuesOnce() {
    FakeTable flights = flights();
    SqlResult result =
        run("INSERT INTO demo.flights VALUES (100, 'FAO', 5), (101, NULL, -3), (102, 'x''y', 1+1)");
    assertThat(result.rows()).isFalse();
    assertThat(result.message()).isEqualTo("3 rows inserted into demo.flights");
    assertThat(result.notices()).isEmpty();
    assertThat(flights.rows(0).subList(10, 13))
        .containsExactly(
            row(100L, "FAO", (short) 5), row(101L, null, (short) -3), row(102L, "x'y", (short) 2));
    assertThat(rows("SELECT COUNT(*) FROM flights")).containsExactly(row(23L));
    run("INSERT INTO flights (origin, id) VALUES ('OPO', 200)");
    assertThat(flights.rows(0).get(13)).isEqualTo(row(200L, "OPO", null));
    SqlResult selected = run("INSERT INTO flights SELECT id + 1000, origin, delay FROM flights");
    assertThat(selected.message()).isEqualTo("24 rows inserted into demo.flights");
    assertThat(selected.notices()).anyMatch(notice -> notice.contains("ran once"));
    assertThat(run("INSERT INTO flights (SELECT 1, 'a', 2)").message()).startsWith("1 row ");
  }

  @Test
  void insertRefusesWhatWouldLoseSomething() {
    flights();
    assertThat(failure("INSERT INTO flights VALUES (1.5, 'a', 1)").code())
        .isEqualTo(ErrorCode.INVALID_VALUE);
    assertThat(failure("INSERT INTO flights VALUES (1, 'a', 40000)"))
        .hasMessageContaining("Column 'delay' of type SMALLINT cannot take 40000");
    assertThat(failure("INSERT INTO flights VALUES ('1', 'a', 1)").code())
        .isEqualTo(ErrorCode.INVALID_VALUE);
    assertThat(failure("INSERT INTO flights (id, nope) VALUES (1, 2)"))
        .hasMessageContaining("no column 'nope'");
    assertThat(failure("INSERT INTO flights VALUES (1, 'a', 1), (2, 'b', 99999)"))
        .hasMessageContaining("up to 1 row before it may be written");
    assertThat(failure("INSERT INTO nowhere VALUES (1)").code())
        .isEqualTo(ErrorCode.TABLE_NOT_FOUND);
  }

  @Test
  void insertTakesTimesAsText() {
    FakeTable table =
        cluster.create(
            TableSpec.of("demo.times")
                .column("d", "DATE")
                .column("ts", "TIMESTAMP(3)")
                .column("at", "TIMESTAMP_LTZ(3)")
                .column("dec", "DECIMAL(10,2)")
                .column("f", "FLOAT")
                .column("raw", "BYTES")
                .build());
    run(
        "INSERT INTO times VALUES (DATE '2024-01-02', TIMESTAMP '2024-01-02 03:04:05.678901',"
            + " '2024-01-02T03:04:05Z', 12, 1.5, CAST('a' AS BLOB)),"
            + " ('2024-01-03', '2024-01-03 10:00:00', '2024-01-03 10:00:00+01:00', 0.25, 2, NULL)");
    List<List<Object>> stored = table.rows(0);
    assertThat(stored.get(0).subList(0, 5))
        .isEqualTo(
            row(
                LocalDate.of(2024, 1, 2),
                LocalDateTime.of(2024, 1, 2, 3, 4, 5, 678_000_000),
                Instant.parse("2024-01-02T03:04:05Z"),
                new BigDecimal("12.00"),
                1.5f));
    assertThat(stored.get(0).get(5)).isEqualTo(new byte[] {'a'});
    assertThat(stored.get(1))
        .isEqualTo(
            row(
                LocalDate.of(2024, 1, 3),
                LocalDateTime.of(2024, 1, 3, 10, 0),
                Instant.parse("2024-01-03T09:00:00Z"),
                new BigDecimal("0.25"),
                2f,
                null));
    assertThat(run("SELECT d, ts, `at` FROM times").values().get(1))
        .isEqualTo(row("2024-01-03", "2024-01-03T10:00:00", "2024-01-03T09:00:00Z"));
  }

  @Test
  void columnListOnAKeyedTableIsAPartialUpdate() {
    airports();
    run("INSERT INTO airports (m, iata) VALUES (70, 'OPO')");
    assertThat(cluster.lastSinkColumns).containsExactly("m", "iata");
    run("INSERT INTO airports (m, name, iata) VALUES (70, 'Porto', 'OPO')");
    assertThat(cluster.lastSinkColumns).isEmpty();
    assertThat(cluster.table("demo.airports").rows(0).get(1)).isEqualTo(row("OPO", "Porto", 70));
  }

  @Test
  void definitionsOfFlinkMakeTables() {
    SqlResult created =
        run(
            """
            CREATE TABLE IF NOT EXISTS orders (
              id BIGINT NOT NULL COMMENT 'the ördr',
              `who am i` STRING,
              amount DECIMAL(10, 2),
              placed TIMESTAMP(3) WITH LOCAL TIME ZONE,
              tags ARRAY<STRING NOT NULL>,
              m MAP<STRING, INT>,
              r ROW<x INT, y STRING NOT NULL>,
              PRIMARY KEY (id) NOT ENFORCED
            ) COMMENT 'all orders' DISTRIBUTED BY (id) INTO 4 BUCKETS
            WITH ('connector' = 'fluss', 'my.own' = 'x')
            """);
    assertThat(created.message()).isEqualTo("Table demo.orders created");
    var table = cluster.table("demo.orders").description();
    assertThat(table.schema().columns())
        .extracting(column -> column.name() + " " + column.type() + " " + column.nullable())
        .containsExactly(
            "id BIGINT false",
            "who am i STRING true",
            "amount DECIMAL(10,2) true",
            "placed TIMESTAMP_LTZ(3) true",
            "tags ARRAY<STRING NOT NULL> true",
            "m MAP<STRING,INT> true",
            "r ROW<`x` INT, `y` STRING NOT NULL> true");
    assertThat(table.schema().column("id").comment()).isEqualTo("the ördr");
    assertThat(table.schema().primaryKey()).containsExactly("id");
    assertThat(table.comment()).isEqualTo("all orders");
    assertThat(table.options())
        .isEqualTo(Map.of("bucket.num", "4", "bucket.key", "id", "my.own", "x"));
    assertThat(run("CREATE TABLE IF NOT EXISTS orders (a INT)").message())
        .contains("exists already");
    assertThat(failure("CREATE TABLE orders (a INT)").code()).isEqualTo(ErrorCode.TABLE_EXISTS);
    String text = (String) rows("SHOW CREATE TABLE orders").get(0).get(0);
    run("DROP TABLE orders");
    run(text);
    assertThat(cluster.table("demo.orders").description().schema()).isEqualTo(table.schema());
    assertThat(rows("DESCRIBE orders").subList(0, 2))
        .containsExactly(
            row("id", "BIGINT", false, "PRI(id)", null, "the ördr"),
            row("who am i", "STRING", true, null, null, null));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "CREATE TABLE x (a INT, b AS a + 1)|UNSUPPORTED|computed",
        "CREATE TABLE x (a INT, b INT METADATA)|UNSUPPORTED|metadata",
        "CREATE TABLE x (a TIMESTAMP(3), WATERMARK FOR a AS a)|UNSUPPORTED|WATERMARK",
        "CREATE TABLE x (a INT, UNIQUE (a) NOT ENFORCED)|UNSUPPORTED|UNIQUE",
        "CREATE TABLE x (a INT, PRIMARY KEY (a))|INVALID_SQL|NOT ENFORCED",
        "CREATE TABLE x AS SELECT 1|UNSUPPORTED|INSERT INTO",
        "CREATE TABLE x LIKE y|UNSUPPORTED|LIKE",
        "CREATE TABLE x (a INT) WITH ('connector' = 'kafka')|UNSUPPORTED|Connector 'kafka'",
        "CREATE TABLE x (a NOTYPE)|INVALID_SCHEMA|Column 'a'",
        "CREATE TABLE x (a VARCHAR(10))|INVALID_SCHEMA|STRING",
        "CREATE TABLE c.d.x (a INT)|INVALID_SQL|leave 'c' out",
        "CREATE TEMPORARY TABLE x (a INT)|UNSUPPORTED|TEMPORARY",
        "CREATE TABLE x (a INT) DISTRIBUTED BY RANGE (a) INTO 2 BUCKETS|UNSUPPORTED|RANGE"
      })
  void whatThisBuildCannotStoreIsRefused(String sql, ErrorCode code, String message) {
    SluiceException failure = failure(sql);
    assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
    assertThat(failure).hasMessageContaining(message);
  }

  @Test
  void databasesAndLists() {
    run("CREATE DATABASE IF NOT EXISTS shop");
    assertThat(rows("SHOW DATABASES")).containsExactly(row("demo"), row("shop"));
    run("CREATE TABLE shop.a1 (x INT)");
    run("CREATE TABLE shop.b1 (x INT)");
    assertThat(rows("SHOW TABLES FROM shop")).containsExactly(row("a1"), row("b1"));
    assertThat(rows("SHOW TABLES IN shop LIKE 'b%'")).containsExactly(row("b1"));
    assertThat(rows("SHOW TABLES")).isEmpty();
    assertThat(failure("SHOW TABLES FROM shp")).hasMessageContaining("did you mean shop");
    assertThat(run("USE shop").message()).contains("\"database\": \"shop\"");
    assertThat(failure("DROP DATABASE shop").code()).isEqualTo(ErrorCode.DATABASE_NOT_EMPTY);
    run("DROP DATABASE shop CASCADE");
    assertThat(run("DROP DATABASE IF EXISTS shop").message()).contains("There was no database");
    assertThat(failure("DESCRIBE nope").code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
  }

  @Test
  void leftoverLakeTablesStandInTheWayUntilPurged() {
    TablePath path = TablePath.parse("demo.t");
    lake.leftover(path, new Lake.Leftover(true, 7, false));
    String create = "CREATE TABLE t (a INT) WITH ('table.datalake.enabled' = 'true')";
    assertThat(failure(create).code()).isEqualTo(ErrorCode.LAKE_TABLE_EXISTS);
    assertThat(failure(create)).hasMessageContaining("DROP TABLE IF EXISTS demo.t PURGE");
    assertThat(run("DROP TABLE IF EXISTS demo.t PURGE").message())
        .contains("There was no table demo.t")
        .contains("lake table was deleted");
    run(create);
    assertThat(run("DROP TABLE `t`").message()).isEqualTo("Table demo.t dropped");
    assertThat(lake.purged).containsExactly(path);
    run("CREATE TABLE purge (a INT)");
    run("DROP TABLE IF EXISTS purge");
    assertThat(lake.purged).containsExactly(path);
  }

  @Test
  void explainSaysWhatWouldBeReadAndReadsNothing() {
    FakeTable flights = flights();
    lake.tier(flights, Map.of(0, 4L, 1, 10L));
    cluster.lastScan = null;
    List<String> lines =
        rows("EXPLAIN SELECT MAX(delay) AS m FROM flights").stream()
            .map(row -> (String) row.get(0))
            .toList();
    assertThat(lines)
        .contains(
            "Result: m SMALLINT",
            "Table demo.flights:",
            "  tail: 6 offsets, bucket=[start, end): 0=[4, 10)",
            "  columns: delay (1 of 3)");
    assertThat(lines.get(2))
        .contains("lake: snapshot 99 of 2023-11-14")
        .contains("2 files, 14 rows");
    assertThat(lines.get(lines.size() - 1))
        .startsWith("Guarantee: Each bucket is read as a prefix");
    assertThat(cluster.lastScan).isNull();
    assertThat(failure("EXPLAIN SELECT nope FROM flights").details()).containsEntry("column", "16");
    assertThat(rows("EXPLAIN PLAN FOR SELECT COUNT(*) FROM flights").get(4).get(0))
        .isEqualTo("  columns: none, rows are only counted (0 of 3)");
  }

  @Test
  void lakeThatIsDownStopsUnionsOnly() {
    flights();
    airports();
    lake.failure = new SluiceException(ErrorCode.UNAVAILABLE, "connection refused");
    assertThat(failure("SELECT COUNT(*) FROM flights").code()).isEqualTo(ErrorCode.UNAVAILABLE);
    SqlResult partial =
        gateway.execute(new SqlRequest("SELECT COUNT(*) FROM flights", "demo", null, true));
    assertThat(partial.values()).containsExactly(row(20L));
    assertThat(partial.notices()).anyMatch(notice -> notice.startsWith("Partial result"));
    assertThat(rows("SELECT COUNT(*) FROM airports")).containsExactly(row(0L));
  }

  @Test
  void answersAreCutAtTheirLimit() {
    SqlResult result = gateway.execute(new SqlRequest("SELECT * FROM range(1000)", null, 5, false));
    assertThat(result.values()).hasSize(5);
    assertThat(result.truncated()).isTrue();
    SqlResult all = gateway.execute(new SqlRequest("SELECT * FROM range(1000)", null, 5000, false));
    assertThat(all.values()).hasSize(100);
    assertThat(all.notices()).anyMatch(notice -> notice.contains("sluice.sql.max-rows"));
    assertThat(run("SELECT * FROM range(100)").truncated()).isFalse();
  }

  @Test
  void namesWithoutDatabaseNeedOne() {
    try {
      gateway.execute(new SqlRequest("SELECT 1 FROM t", null, null, false));
    } catch (SluiceException e) {
      assertThat(e).hasMessageContaining("send the field \"database\"");
      return;
    }
    throw new AssertionError("Not refused");
  }

  @Test
  void memoryIsLimitedWithAName() {
    SluiceException failure = failure("SELECT len(list(a.range)) FROM range(20000000) a");
    assertThat(failure.code()).isEqualTo(ErrorCode.QUERY_LIMIT_EXCEEDED);
    assertThat(failure).hasMessageContaining("sluice.sql.memory");
    assertThat(rows("SELECT 1")).containsExactly(row(1));
  }

  @Test
  void longQueriesAreStopped() {
    gateway.close();
    gateway = gateway(new SqlLimits(2, Duration.ofMillis(300), 100));
    long start = System.nanoTime();
    SluiceException failure =
        failure("SELECT SUM(a.range * b.range) FROM range(10000000) a, range(10000000) b");
    assertThat(failure.code()).isEqualTo(ErrorCode.TIMEOUT);
    assertThat(failure).hasMessageContaining("sluice.sql.timeout");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
  }

  @Test
  void turnsAreLimitedAndStoppingEndsWhatRuns() throws Exception {
    flights();
    CountDownLatch polling = new CountDownLatch(2);
    CountDownLatch release = new CountDownLatch(1);
    cluster.beforePoll =
        () -> {
          polling.countDown();
          await(release);
        };
    List<CompletableFuture<SqlResult>> running =
        List.of(
            CompletableFuture.supplyAsync(() -> run("SELECT id FROM flights")),
            CompletableFuture.supplyAsync(() -> run("SELECT id FROM flights")));
    assertThat(polling.await(30, TimeUnit.SECONDS)).isTrue();
    SluiceException refused = failure("SELECT 1");
    assertThat(refused.code()).isEqualTo(ErrorCode.BACKPRESSURE);
    assertThat(refused).hasMessageContaining("2 statements are running");
    assertThat(gateway.running()).isEqualTo(2);
    gateway.stop();
    release.countDown();
    for (CompletableFuture<SqlResult> each : running) {
      assertThat(each.handle((result, failure) -> failure.getCause().getMessage()).get())
          .contains("stopping");
    }
    assertThat(failure("SELECT 1").code()).isEqualTo(ErrorCode.UNAVAILABLE);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void failuresOfScansComeThroughAsTheyAre() {
    flights();
    cluster.beforePoll =
        () -> {
          throw new SluiceException(ErrorCode.CORRUPT_STORAGE, "segment 7 is damaged");
        };
    SluiceException failure = failure("SELECT id FROM flights");
    assertThat(failure.code()).isEqualTo(ErrorCode.CORRUPT_STORAGE);
    assertThat(failure).hasMessage("segment 7 is damaged");
    int[] polls = new int[1];
    cluster.beforePoll =
        () -> {
          if (polls[0]++ > 2) {
            throw new SluiceException(ErrorCode.UNAVAILABLE, "leader lost");
          }
        };
    assertThat(failure("SELECT id FROM flights")).hasMessage("leader lost");
  }

  @Test
  void everyStatementIsObserved() {
    run("SELECT * FROM range(3)");
    failure("SELECT nope");
    failure("COPY x TO 'y'");
    run("SHOW DATABASES");
    assertThat(observed)
        .containsExactly(
            "query ok 3",
            "query COLUMN_NOT_FOUND 0",
            "unknown PERMISSION_DENIED 0",
            "definition ok 1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"CREATE TABLE d (a INT, A INT)"})
  void columnsThatDifferByCaseOnlyCannotBeQueried(String create) {
    run(create);
    assertThat(failure("SELECT a FROM d")).hasMessageContaining("differ by case only");
  }

  @Test
  void deepExpressionsEndInAnAnswerNotInTheProcess() {
    FakeTable flights = flights();
    lake.tier(flights, Map.of(0, 4L));
    assertThat(rows("EXPLAIN SELECT " + "id+".repeat(500) + "id FROM flights")).isNotEmpty();
    assertThat(failure("SELECT " + "1+".repeat(50_000) + "1").code())
        .isEqualTo(ErrorCode.INVALID_SQL);
  }

  @Test
  void aTableNamedWithItsDatabaseStandsForItsRow() {
    flights();
    assertThat(rows("SELECT demo.flights FROM demo.flights WHERE id = 1"))
        .isEqualTo(rows("SELECT flights FROM demo.flights WHERE id = 1"));
  }

  @Test
  void valuesWithoutAPlaceInTimeAreToldAndNotStored() {
    cluster.create(
        TableSpec.of("demo.times")
            .column("d", "DATE")
            .column("t", "TIME(3)")
            .column("ts", "TIMESTAMP(6)")
            .column("at", "TIMESTAMP_LTZ(6)")
            .column("f", "FLOAT")
            .build());
    assertThat(
            rows(
                "SELECT DATE 'infinity', DATE '-infinity', TIMESTAMP 'infinity',"
                    + " TIMESTAMP '-infinity', TIMESTAMPTZ 'infinity', TIMESTAMPTZ '-infinity'"))
        .containsExactly(
            row("infinity", "-infinity", "infinity", "-infinity", "infinity", "-infinity"));
    for (String value :
        List.of(
            "(d) VALUES (DATE 'infinity')",
            "(t) VALUES (TIME '24:00:00')",
            "(ts) VALUES (TIMESTAMP 'infinity')",
            "(`at`) VALUES (TIMESTAMPTZ '-infinity')",
            "(f) VALUES (1e300)")) {
      assertThat(failure("INSERT INTO times " + value).code())
          .as(value)
          .isEqualTo(ErrorCode.INVALID_VALUE);
    }
    assertThat(rows("SELECT COUNT(*) FROM times")).containsExactly(row(0L));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT range(3000000000)",
        "SELECT range(1, 3000000000)",
        "SELECT generate_series(0, -3000000000, -1)",
        "SELECT length(repeat('x', 2000000000))",
        "SELECT \"repeat\"(repeat('x', 1000), 1000)",
        "SELECT repeat('x', n) FROM (SELECT 2000000000 AS n)",
        "SELECT lpad('x', 2000000000, 'y')",
        "SELECT list_resize([1], 2000000000)",
        "SELECT replace(repeat('x', 60000), 'x', repeat('x', 60000))"
      })
  void oneCallMakesNoValueOfAnySize(String sql) {
    assertThat(failure(sql)).hasMessageContaining("more than one call may make");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT system.main.range(3000000000)",
        "SELECT main.repeat('x', 2000000000)",
        "SELECT format('{:2000000000}', 'x')",
        "SELECT format('{:{}}', 'x', 2000000000)",
        "SELECT printf('%*d', 2000000000, 1)",
        "SELECT printf(f, 1) FROM (SELECT '%2000000000d' AS f)"
      })
  void guardsOfSizeCannotBePassed(String sql) {
    assertThat(failure(sql).code()).isEqualTo(ErrorCode.PERMISSION_DENIED);
  }

  @Test
  void functionsWithAGuardWorkAsEver() {
    assertThat(
            rows(
                "SELECT repeat('ab', 2), lpad('1', 3, '0'), rpad('1', 3, '0'), range(2),"
                    + " generate_series(1, 2), range(4, 0, -2), replace('aba', 'a', 'xx'),"
                    + " list_resize([1], 2), list_resize([1], 2, 7), format('{:>5}', 'x'),"
                    + " printf('%03d', 7), repeat(NULL, 3)"))
        .containsExactly(
            row(
                "abab",
                "001",
                "100",
                List.of(0L, 1L),
                List.of(1L, 2L),
                List.of(4L, 2L),
                "xxbxx",
                Arrays.asList(1, null),
                List.of(1, 7),
                "    x",
                "007",
                null));
  }
}
