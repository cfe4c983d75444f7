package io.sluice.cli.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.UsageException;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.SchemaChange;
import io.sluice.format.schema.SchemaChange.Position;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AlterActionTest {
  private static List<SchemaChange> changes(String... words) {
    Arguments arguments = new AlterCommand().commandLine().parse(List.of(words));
    AlterAction action = AlterAction.of(arguments.required("ACTION"));
    return action.changes(arguments.rest(), ColumnPlace.of(arguments, action));
  }

  @Test
  void columnsAreAddedAtTheirPlaceWithDefaultAndComment() {
    assertThat(
            changes(
                "demo.t",
                "add-column",
                "unit STRING NOT NULL DEFAULT 'C'",
                "--after",
                "celsius",
                "--comment",
                "of the value"))
        .containsExactly(
            new SchemaChange.Add(
                List.of(),
                "unit",
                DataTypeParser.parse("STRING"),
                false,
                "of the value",
                "C",
                new Position.After("celsius")));
    assertThat(changes("demo.t", "add-column", "a INT", "home.street STRING"))
        .containsExactly(
            new SchemaChange.Add(
                List.of(), "a", DataTypeParser.parse("INT"), true, "", null, new Position.Last()),
            new SchemaChange.Add(
                List.of("home"),
                "street",
                DataTypeParser.parse("STRING"),
                true,
                "",
                null,
                new Position.Last()));
  }

  @Test
  void otherActionsNameColumnsByTheirPaths() {
    assertThat(changes("demo.t", "drop-column", "a", "home.street"))
        .containsExactly(
            new SchemaChange.Drop(List.of("a")), new SchemaChange.Drop(List.of("home", "street")));
    assertThat(changes("demo.t", "rename-column", "home.street", "road"))
        .containsExactly(new SchemaChange.Rename(List.of("home", "street"), "road"));
    assertThat(changes("demo.t", "widen", "price", "DECIMAL(20,", "2)"))
        .containsExactly(
            new SchemaChange.ChangeType(List.of("price"), DataTypeParser.parse("DECIMAL(20, 2)")));
    assertThat(changes("demo.t", "set-default", "n=-5"))
        .containsExactly(new SchemaChange.SetDefault(List.of("n"), "-5"));
    assertThat(changes("demo.t", "set-default", "unit='it''s'"))
        .containsExactly(new SchemaChange.SetDefault(List.of("unit"), "it's"));
    assertThat(changes("demo.t", "set-default", "unit=null"))
        .containsExactly(new SchemaChange.SetDefault(List.of("unit"), null));
    assertThat(changes("demo.t", "rename-column", "home.street", "home.road"))
        .containsExactly(new SchemaChange.Rename(List.of("home", "street"), "road"));
    assertThat(changes("demo.t", "drop-default", "n"))
        .containsExactly(new SchemaChange.SetDefault(List.of("n"), null));
    assertThat(changes("demo.t", "make-nullable", "n"))
        .containsExactly(new SchemaChange.MakeNullable(List.of("n")));
    assertThat(changes("demo.t", "move", "n", "--first"))
        .containsExactly(new SchemaChange.Move(List.of("n"), new Position.First()));
    assertThat(changes("demo.t", "comment-column", "n", "how", "many"))
        .containsExactly(new SchemaChange.SetComment(List.of("n"), "how many"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "demo.t add-colum x|did you mean add-column?",
        "demo.t add-column x|must have the form",
        "demo.t rename-column a|rename-column takes NAME NEW_NAME",
        "demo.t rename-column home.street work.street|lies in another ROW",
        "demo.t widen a|widen takes NAME TYPE",
        "demo.t widen a BIGGINT|column 'a'",
        "demo.t move a|needs --first or --after",
        "demo.t drop-column a --first|belong to add-column and move",
        "demo.t drop-column a..b|is no name of a column",
        "demo.t move a --first --after b|do not go together",
        "demo.t set-default a|takes KEY=VALUE"
      })
  void whatIsWrongIsSaid(String words, String message) {
    assertThatThrownBy(() -> changes(words.split(" ")))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining(message);
  }

  @Test
  void optionsMayHaveCommasInTheirValues() {
    assertThat(KeyValue.options("--set", "table.log.ttl=3d,a.b=x,y,x, c=,d=1"))
        .containsExactly(
            entry("table.log.ttl", "3d"), entry("a.b", "x,y,x"), entry("c", ""), entry("d", "1"));
    assertThat(KeyValue.options("--set", "fields.x.agg.delimiter=,"))
        .containsExactly(entry("fields.x.agg.delimiter", ","));
    assertThat(KeyValue.options("--set", "a=1,fields.größe.agg=sum"))
        .containsExactly(entry("a", "1"), entry("fields.größe.agg", "sum"));
    assertThat(KeyValue.options("--set", "fields.x.agg.delimiter=,,b=2,fields.y.agg.delimiter= "))
        .containsExactly(
            entry("fields.x.agg.delimiter", ","),
            entry("b", "2"),
            entry("fields.y.agg.delimiter", " "));
    assertThatThrownBy(() -> KeyValue.options("--set", "x"))
        .hasMessage("--set takes KEY=VALUE, not 'x'");
    assertThatThrownBy(() -> KeyValue.options("--set", "a=1,b=2,a=3"))
        .hasMessage("option a is given twice");
  }
}
