package io.sluice.lake.sql;

import static io.sluice.lake.sql.StartedGateway.row;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The script of {@code ./sluice demo uv}, over a cluster in memory that merges as it says. */
final class UvSqlTest extends GatewayTest {
  private static final Path SCRIPT = Path.of("../docs/examples/sql/uv.sql");

  /** The statements, with the view where it is read, as the command line puts it. */
  private static List<String> statements() throws IOException {
    String view = "";
    List<String> statements = new ArrayList<>();
    for (String statement : Files.readString(SCRIPT).replaceAll("--[^\n]*", "").split(";")) {
      String text = statement.strip();
      if (text.startsWith("CREATE TEMPORARY VIEW page_views AS")) {
        view = text.substring(text.indexOf(" AS") + 3);
      } else if (!text.isEmpty()) {
        int select = text.indexOf("SELECT");
        boolean reads = text.startsWith("INSERT");
        statements.add(
            reads
                ? text.substring(0, select)
                    + "WITH page_views AS ("
                    + view
                    + ") "
                    + text.substring(select)
                : text);
      }
    }
    return statements;
  }

  @Test
  void walkthroughGivesTheTablesItPromises() throws IOException {
    List<SqlResult> results = new ArrayList<>();
    for (String statement : statements()) {
      results.add(gateway.run(statement));
    }
    assertThat(results.subList(0, 3))
        .extracting(SqlResult::message)
        .containsExactly(
            "Nothing was changed: RB_BUILD is built in",
            "Nothing was changed: RB_CARDINALITY is built in",
            "Nothing was changed: RB_OR_AGG is built in");
    List<SqlResult> tables = results.stream().filter(SqlResult::rows).toList();
    assertThat(tables).hasSize(5);
    assertThat(tables.get(0).values())
        .containsExactly(
            row("app", "Beijing", "20260301", "10", 1L, 1L),
            row("app", "Beijing", "20260301", "14", 1L, 1L),
            row("app", "Beijing", "20260302", "09", 1L, 1L),
            row("app", "Shanghai", "20260301", "10", 2L, 3L),
            row("app", "Shanghai", "20260301", "14", 1L, 1L),
            row("app", "Shanghai", "20260302", "09", 1L, 1L),
            row("mini_program", "Beijing", "20260302", "11", 1L, 1L),
            row("mini_program", "Shanghai", "20260302", "11", 1L, 1L),
            row("web", "Beijing", "20260301", "10", 1L, 1L),
            row("web", "Shanghai", "20260301", "14", 1L, 1L));
    assertThat(tables.get(1).values())
        .containsExactlyInAnyOrder(
            row("app", 4L, "8"), row("mini_program", 2L, "2"), row("web", 2L, "2"));
    assertThat(tables.get(2).values())
        .containsExactlyInAnyOrder(row("20260301", 4L, "8"), row("20260302", 4L, "4"));
    assertThat(tables.get(3).values())
        .containsExactlyInAnyOrder(
            row("app", "20260301", 3L, "6"),
            row("app", "20260302", 2L, "2"),
            row("mini_program", "20260302", 2L, "2"),
            row("web", "20260301", 2L, "2"));
    assertThat(tables.get(4).values()).containsExactly(row(5L, "12"));
    assertThat(gateway.cluster.lastSinkColumns).isEmpty();
  }

  @Test
  void createStatementsComeBackAsTheyWere() throws IOException {
    for (String statement : statements().subList(3, 5)) {
      gateway.run(statement);
    }
    for (String table : List.of("uid_dictionary", "uv_agg")) {
      String text = (String) gateway.rows("SHOW CREATE TABLE " + table).get(0).get(0);
      var before = gateway.cluster.table("demo." + table).description();
      gateway.run("DROP TABLE " + table);
      gateway.run(text);
      var after = gateway.cluster.table("demo." + table).description();
      assertThat(after.schema()).isEqualTo(before.schema());
      assertThat(after.options()).isEqualTo(before.options());
    }
  }
}
