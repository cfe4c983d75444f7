package io.sluice.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.sluice.cli.sql.SqlResult;
import io.sluice.cli.terminal.CapturedTerminal;
import io.sluice.testkit.MovedClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class UvRunTest {
  private static final Path SCRIPT = Path.of("..").resolve(UvRun.SCRIPT);

  private final CapturedTerminal captured = CapturedTerminal.plain();
  private final List<String> statements = new ArrayList<>();
  private int table;
  private List<List<String>> ids =
      List.of(
          List.of("user_2", "1"),
          List.of("user_1", "2"),
          List.of("user_4", "3"),
          List.of("user_3", "130"),
          List.of("user_5", "131"));
  private String changed = "";

  private SqlResult answer(String statement) {
    statements.add(statement);
    if (statement.startsWith("SELECT user_id, uid")) {
      return result(List.of("user_id", "uid"), ids);
    }
    if (!statement.startsWith("SELECT")) {
      return new SqlResult(false, "done", List.of(), List.of(), 0, false, List.of(), 1);
    }
    UvTable expected = UvTable.ALL.get(table++);
    List<List<String>> rows = new ArrayList<>(expected.rows());
    if (expected.title().equals(changed)) {
      rows.set(0, Collections.nCopies(expected.columns().size(), "9"));
    }
    if (!expected.ordered()) {
      Collections.reverse(rows);
    }
    return result(expected.columns(), rows);
  }

  private static SqlResult result(List<String> names, List<List<String>> rows) {
    List<SqlResult.Column> columns =
        names.stream().map(name -> new SqlResult.Column(name, "STRING")).toList();
    List<List<JsonNode>> values =
        rows.stream()
            .map(
                row ->
                    row.stream()
                        .map(
                            cell ->
                                cell.length() == 1
                                    ? (JsonNode) new IntNode(Integer.parseInt(cell))
                                    : new TextNode(cell))
                        .toList())
            .toList();
    return new SqlResult(true, "", columns, values, rows.size(), false, List.of(), 1);
  }

  private boolean run() throws IOException {
    DemoOutput output = new DemoOutput(captured.terminal(), new MovedClock(0));
    return new UvRun(output, this::answer).run(Files.readString(SCRIPT));
  }

  @Test
  void everyTableIsShownAndCompared() throws IOException {
    assertThat(run()).isTrue();
    assertThat(captured.output())
        .contains("mini_program  Shanghai  20260302  11   1   1", "user_3   130", "right")
        .doesNotContain("WRONG");
    assertThat(statements)
        .anyMatch(each -> each.startsWith("COMMENT ON TABLE uid_dictionary IS"))
        .anyMatch(each -> each.startsWith("COMMENT ON TABLE uv_agg IS"))
        .anyMatch(each -> each.contains("'table.merge-engine'    = 'aggregation'"))
        .filteredOn(each -> each.startsWith("INSERT"))
        .hasSize(3)
        .allMatch(each -> each.contains("WITH `page_views` AS ("));
  }

  @Test
  void aTableThatDiffersFailsTheDemoAndIsShownBeside() throws IOException {
    changed = "by channel";
    assertThat(run()).isFalse();
    assertThat(captured.output())
        .containsOnlyOnce("WRONG")
        .contains("It must be:", "app            4");
  }

  @Test
  void anIdThatIsThereTwiceFailsTheDemo() throws IOException {
    ids = List.of(ids.get(0), ids.get(0), ids.get(2), ids.get(3), ids.get(4));
    assertThat(run()).isFalse();
  }
}
