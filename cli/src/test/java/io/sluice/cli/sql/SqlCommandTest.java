package io.sluice.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.CliException;
import io.sluice.cli.CommandContext;
import io.sluice.cli.Settings;
import io.sluice.cli.options.UsageException;
import io.sluice.cli.rest.FakeService;
import io.sluice.cli.terminal.CapturedTerminal;
import io.sluice.testkit.MovedClock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqlCommandTest {
  private static final String PATH = "/api/v1/sql";

  private static final String FLIGHTS =
      """
      {"kind":"rows","message":"","columns":[{"name":"origin","type":"STRING"},
       {"name":"flights","type":"BIGINT"},{"name":"mean","type":"DECIMAL(20, 10)"}],
       "rows":[["ORD",11075,12.5000000000],["AT\\nL",7,null],["",-1,0.1]],
       "rowCount":3,"truncated":false,"notices":[],"elapsedMs":41}
      """;

  @TempDir Path directory;
  private final FakeService service = new FakeService();
  private CapturedTerminal captured = CapturedTerminal.plain();
  private String stdin = "";

  @AfterEach
  void close() {
    service.close();
  }

  private int run(String... words) throws IOException {
    Properties properties = new Properties();
    properties.setProperty("sluice.sql", service.url());
    SqlCommand command =
        new SqlCommand(new ByteArrayInputStream(stdin.getBytes(StandardCharsets.UTF_8)));
    return command.run(
        command.commandLine().parse(List.of(words)),
        new CommandContext(captured.terminal(), Settings.of(properties), new MovedClock(0)));
  }

  @Test
  void rowsAreATableWithFiguresToTheRight() throws IOException {
    service.answers(PATH, 200, FLIGHTS);
    assertThat(run("SELECT 1")).isZero();
    assertThat(captured.output().lines())
        .containsExactly(
            "origin  flights           mean",
            "ORD       11075  12.5000000000",
            "AT\\nL         7           NULL",
            "             -1            0.1",
            "3 rows in 41.0 ms");
    assertThat(service.requests()).containsExactly("POST " + PATH + " {\"sql\":\"SELECT 1\"}");
  }

  @Test
  void csvTellsNullFromTheEmptyText() throws IOException {
    service.answers(PATH, 200, FLIGHTS);
    run("SELECT 1", "--format", "csv");
    assertThat(captured.output())
        .isEqualToNormalizingNewlines(
            """
            origin,flights,mean
            ORD,11075,12.5000000000
            "AT
            L",7,
            "",-1,0.1
            """);
  }

  @Test
  void jsonIsOneObjectARowWithDistinctNames() throws IOException {
    service.answers(
        PATH,
        200,
        """
        {"kind":"rows","columns":[{"name":"x","type":"INT"},{"name":"x","type":"STRING"}],
         "rows":[[1,"a\\"b"],[null,null]]}
        """);
    run("SELECT 1", "--format=json");
    assertThat(captured.output().lines())
        .containsExactly("{\"x\":1,\"x_2\":\"a\\\"b\"}", "{\"x\":null,\"x_2\":null}");
  }

  @Test
  void wideColumnsAreCutToTheTerminal() throws IOException {
    captured = CapturedTerminal.ofColumns(30);
    service.answers(
        PATH,
        200,
        """
        {"kind":"rows","columns":[{"name":"iata","type":"STRING"},{"name":"name","type":"STRING"}],
         "rows":[["ATL","William B Hartsfield-Atlanta International"]]}
        """);
    run("SELECT 1");
    assertThat(captured.output().lines().map(String::length).limit(2)).allMatch(n -> n <= 30);
    assertThat(captured.output()).contains("ATL   William B Hartsfield-At…");
  }

  @Test
  void aTextAloneKeepsItsLines() throws IOException {
    service.answers(
        PATH,
        200,
        """
        {"kind":"rows","columns":[{"name":"result","type":"STRING"}],
         "rows":[["CREATE TABLE t (\\n  a INT\\n)"]],"elapsedMs":1}
        """);
    run("SHOW CREATE TABLE t");
    assertThat(captured.output().lines())
        .containsExactly("result", "CREATE TABLE t (", "  a INT", ")", "1 row in 1.00 ms");
  }

  @Test
  void anErrorPointsAtItsPlace() throws IOException {
    service.answers(
        PATH,
        400,
        """
        {"status":400,"code":"INVALID_SQL","detail":"There is no column dely (line 2, column 8)","line":2,"column":8}
        """);
    assertThat(run("SELECT origin,\n\t dely, distance\nFROM demo.flights; SELECT 2")).isEqualTo(1);
    assertThat(captured.problems().lines())
        .containsExactly(
            "sluice sql: INVALID_SQL: There is no column dely",
            "  2 |   dely, distance",
            "             ^");
    assertThat(service.requests()).hasSize(1);
  }

  @Test
  void aPlaceInALongLineIsShownWithWhatIsAroundIt() throws IOException {
    service.answers(
        PATH, 400, "{\"code\":\"INVALID_SQL\",\"detail\":\"bad\",\"line\":1,\"column\":301}");
    run("x".repeat(300) + "!" + "y".repeat(300));
    List<String> lines = captured.problems().lines().toList();
    assertThat(lines.get(1)).hasSize(112);
    assertThat(lines.get(1).charAt(lines.get(2).indexOf('^'))).isEqualTo('!');
  }

  @Test
  void statementsRunInOrderWithTheOptions() throws IOException {
    service.answers(
        PATH, 200, "{\"kind\":\"done\",\"message\":\"Created demo.t\",\"notices\":[\"n\"]}");
    Path file =
        Files.writeString(directory.resolve("script.sql"), "CREATE TABLE t (a INT);\nSELECT 2;");
    run("-f", file.toString(), "--database", "demo", "--max-rows", "5", "--allow-partial");
    assertThat(captured.output().lines()).containsExactly("Created demo.t", "Created demo.t");
    assertThat(captured.problems()).contains("Notice: n");
    assertThat(service.requests())
        .hasSize(2)
        .first()
        .asString()
        .contains("\"database\":\"demo\"", "\"maxRows\":5", "\"allow_partial\":true");
  }

  @Test
  void withoutAStatementStdinIsRead() throws IOException {
    stdin = "SELECT 7";
    service.answers(PATH, 200, FLIGHTS);
    run();
    assertThat(service.requests().get(0)).contains("SELECT 7");
  }

  @Test
  void moreRowsThanShownAreMentioned() throws IOException {
    service.answers(
        PATH,
        200,
        "{\"kind\":\"rows\",\"columns\":[{\"name\":\"x\",\"type\":\"INT\"}],\"rows\":[[1]],\"truncated\":true}");
    run("SELECT 1");
    assertThat(captured.problems()).contains("more rows than the 1 shown");
  }

  @Test
  void wrongUsageIsRefusedBeforeAnythingRuns() {
    assertThatThrownBy(() -> run(" -- nothing"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("no statement");
    assertThatThrownBy(() -> run("SELECT 1", "--format", "xml"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("table, csv, json");
    assertThatThrownBy(() -> run("SELECT 1", "-f", "script.sql"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("do not go together");
    assertThatThrownBy(() -> run("-f", directory.resolve("none.sql").toString()))
        .isInstanceOf(CliException.class)
        .hasMessageContaining("none.sql");
    assertThat(service.requests()).isEmpty();
  }

  @Test
  void aServiceThatIsDownGivesAMessageWithAWayOut() {
    service.close();
    assertThatThrownBy(() -> run("SELECT 1"))
        .isInstanceOfSatisfying(
            CliException.class,
            failure -> {
              assertThat(failure)
                  .hasMessageContaining("No answer from lake-sql-1 at " + service.url());
              assertThat(failure.hint()).contains("./sluice status");
            });
  }
}
