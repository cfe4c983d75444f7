package io.sluice.format.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.SchemaChange.Position;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SchemaEvolutionTest {
  private static final Position LAST = new Position.Last();

  /** {@code (k INT, f FLOAT, r ROW<a INT, l ARRAY<ROW<x INT>>, m MAP<STRING, INT>>)}, key k. */
  private static final TableSchema FIRST =
      new TableSchema(
          3,
          List.of(
              Column.of(1, "k", type("INT"), false),
              Column.of(2, "f", type("FLOAT"), true),
              Column.of(
                  3,
                  "r",
                  FieldIds.with(
                      type("ROW<a INT, l ARRAY<ROW<x INT>>, m MAP<STRING, INT>>"),
                      List.of(4, 5, 6, 7)),
                  true)),
          List.of("k"));

  private static DataType type(String text) {
    return DataTypeParser.parse(text);
  }

  private static List<String> path(String dotted) {
    return Arrays.asList(dotted.split("\\."));
  }

  private static SchemaChange add(String name, String type) {
    return add("", name, type, true, null, LAST);
  }

  private static SchemaChange add(
      String parent,
      String name,
      String type,
      boolean nullable,
      @Nullable String text,
      Position position) {
    List<String> outer = parent.isEmpty() ? List.of() : path(parent);
    return new SchemaChange.Add(outer, name, type(type), nullable, "", text, position);
  }

  private static SchemaChange widen(String path, String type) {
    return new SchemaChange.ChangeType(path(path), type(type));
  }

  private static TableSchema apply(SchemaChange... changes) {
    return SchemaEvolution.apply(List.of(FIRST), List.of(changes), Set.of("k"));
  }

  private static void refused(String message, SchemaChange... changes) {
    assertThatThrownBy(() -> apply(changes))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ALTER))
        .hasMessageContaining(message);
  }

  @Test
  void addsColumnsAndFieldsAnywhereWithNewIds() {
    TableSchema next =
        apply(
            add("", "first", "BIGINT", false, "007", new Position.First()),
            add("", "after", "ROW<p INT, q INT>", true, null, new Position.After("f")),
            add("r", "b", "DATE", true, null, new Position.First()),
            add("r.l.element", "y", "STRING", true, null, LAST));
    assertThat(next.schemaId()).isEqualTo(4);
    assertThat(next.columns().stream().map(Column::name))
        .containsExactly("first", "k", "f", "after", "r");
    Column first = next.column("first");
    assertThat(first.id()).isEqualTo(8);
    assertThat(first.initialDefault()).isEqualTo("7");
    assertThat(first.writeDefault()).isEqualTo("7");
    assertThat(next.column("after").id()).isEqualTo(9);
    assertThat(FieldIds.of(next.column("after").type())).containsExactly(10, 11);
    assertThat(next.column("r").type())
        .hasToString(
            "ROW<`b` DATE, `a` INT, `l` ARRAY<ROW<`x` INT, `y` STRING>>, `m` MAP<STRING,INT>>");
    assertThat(FieldIds.of(next.column("r").type())).containsExactly(12, 4, 5, 6, 13, 7);
    assertThat(next.primaryKey()).containsExactly("k");
  }

  @Test
  void idsOfDroppedColumnsAreNotUsedAgain() {
    List<TableSchema> history = new ArrayList<>(List.of(FIRST));
    history.add(
        SchemaEvolution.apply(
            history, List.of(add("x", "INT"), new SchemaChange.Drop(path("x"))), Set.of("k")));
    history.add(SchemaEvolution.apply(history, List.of(add("x", "INT")), Set.of("k")));
    history.add(
        SchemaEvolution.apply(history, List.of(new SchemaChange.Drop(path("x"))), Set.of("k")));
    TableSchema last = SchemaEvolution.apply(history, List.of(add("x", "INT")), Set.of("k"));
    assertThat(history.get(2).column("x").id()).isEqualTo(8);
    assertThat(last.column("x").id()).isEqualTo(9);
    assertThat(last.schemaId()).isEqualTo(7);
  }

  @Test
  void renamesMovesAndDropsKeepTheIdsOfTheRest() {
    TableSchema next =
        apply(
            new SchemaChange.Rename(path("r.a"), "alpha"),
            new SchemaChange.Move(path("r.m"), new Position.First()),
            new SchemaChange.Drop(path("r.l")),
            new SchemaChange.Rename(path("f"), "g"),
            new SchemaChange.Move(path("g"), new Position.First()),
            new SchemaChange.Move(path("r"), new Position.After("g")));
    assertThat(next.columns().stream().map(Column::id)).containsExactly(2, 3, 1);
    assertThat(next.column("r").type()).hasToString("ROW<`m` MAP<STRING,INT>, `alpha` INT>");
    assertThat(FieldIds.of(next.column("r").type())).containsExactly(7, 4);
  }

  @Test
  void widensScalarsWithTheirDefaults() {
    TableSchema next =
        apply(
            widen("r.l.element.x", "BIGINT"),
            widen("r.m.value", "BIGINT"),
            add("", "g", "FLOAT", true, "0.1", LAST),
            widen("g", "DOUBLE"),
            add("", "t", "TIMESTAMP(0)", true, "2024-01-31 12:00:00", LAST),
            widen("t", "TIMESTAMP(6)"));
    assertThat(next.column("r").type())
        .hasToString("ROW<`a` INT, `l` ARRAY<ROW<`x` BIGINT>>, `m` MAP<STRING,BIGINT>>");
    // The FLOAT nearest to 0.1, not the DOUBLE.
    assertThat(next.column("g").initialDefault()).isEqualTo("0.10000000149011612");
    assertThat(next.column("t").initialDefault()).isEqualTo("2024-01-31 12:00:00");
  }

  @Test
  void everyPairOfTypesIsWidenedOrRefused() {
    List<String> allowed =
        List.of(
            "TINYINT>SMALLINT",
            "TINYINT>INT",
            "TINYINT>BIGINT",
            "SMALLINT>INT",
            "SMALLINT>BIGINT",
            "INT>BIGINT",
            "FLOAT>DOUBLE",
            "DECIMAL(4,2)>DECIMAL(6,2)",
            "DATE>DATE",
            "TIME(0)>TIME(9)",
            "TIMESTAMP(0)>TIMESTAMP(3)",
            "TIMESTAMP_LTZ(3)>TIMESTAMP_LTZ(6)",
            "TIMESTAMP(7)>TIMESTAMP(9)",
            "CHAR(2)>CHAR(3)",
            "CHAR(2)>STRING",
            "BINARY(2)>BYTES");
    List<String> refused =
        List.of(
            "BIGINT>INT",
            "INT>DOUBLE",
            "INT>DECIMAL(10,0)",
            "DOUBLE>FLOAT",
            "FLOAT>STRING",
            "DECIMAL(4,2)>DECIMAL(3,2)",
            "DECIMAL(4,2)>DECIMAL(6,3)",
            "TIMESTAMP(3)>TIMESTAMP(0)",
            "TIMESTAMP(6)>TIMESTAMP(7)",
            "TIMESTAMP_LTZ(6)>TIMESTAMP_LTZ(9)",
            "STRING>CHAR(5)",
            "TIMESTAMP(3)>TIMESTAMP_LTZ(3)",
            "DATE>TIMESTAMP(3)",
            "BYTES>BINARY(2)",
            "CHAR(3)>CHAR(2)",
            "BINARY(2)>BINARY(3)",
            "BOOLEAN>TINYINT",
            "STRING>BYTES",
            "ARRAY<INT>>ARRAY<BIGINT>",
            "INT>ARRAY<INT>");
    for (String pair : allowed) {
      String[] types = pair.split("(?<!<|<INT)>(?!$)", 2);
      apply(add("c", types[0]), widen("c", types[1]));
    }
    for (String pair : refused) {
      int at = pair.startsWith("ARRAY") ? pair.indexOf(">>") + 1 : pair.indexOf('>');
      refused("cannot become", add("c", pair.substring(0, at)), widen("c", pair.substring(at + 1)));
    }
  }

  @Test
  void keysKeepNameAndType() {
    refused("cannot be dropped", new SchemaChange.Drop(path("k")));
    refused("cannot be renamed", new SchemaChange.Rename(path("k"), "q"));
    refused("given another type", widen("k", "BIGINT"));
    refused("stays NOT NULL", new SchemaChange.MakeNullable(path("k")));
    apply(new SchemaChange.Move(path("k"), LAST), new SchemaChange.SetComment(path("k"), "key"));
  }

  @Test
  void forbiddenChangesSayWhy() {
    refused("give it a default", add("", "x", "INT", false, null, LAST));
    refused("'f' exists", add("f", "INT"));
    refused("'f' exists", new SchemaChange.Rename(path("r"), "f"));
    refused("reserved", add("_offset", "INT"));
    refused("does not exist", new SchemaChange.Drop(path("x")));
    refused("'r.x' does not exist", new SchemaChange.Drop(path("r.x")));
    refused("'f' is FLOAT", new SchemaChange.Drop(path("f.x")));
    refused("last one of its ROW", new SchemaChange.Drop(path("r.l.element.x")));
    refused("neither named nor alone", new SchemaChange.Drop(path("r.l.element")));
    refused("neither named nor alone", new SchemaChange.Rename(path("r.m.value"), "v"));
    refused("keys of a MAP", widen("r.m.key", "STRING"));
    refused("nested fields are nullable", add("r", "x", "INT", false, "1", LAST));
    refused("default of column 'x'", add("", "x", "INT", true, "1.5", LAST));
    refused("nested types have no default", add("", "x", "ARRAY<INT>", true, "1", LAST));
    refused("behind 'z'", add("", "x", "INT", true, null, new Position.After("z")));
    refused("behind itself", new SchemaChange.Move(path("f"), new Position.After("f")));
    refused("have a comment", new SchemaChange.SetComment(path("r.a"), "text"));
    refused("have a default", new SchemaChange.SetDefault(path("r.a"), "1"));
    refused("There is no change");
    TableSchema single =
        new TableSchema(1, List.of(Column.of(1, "a", type("INT"), true)), List.of());
    assertThatThrownBy(
            () ->
                SchemaEvolution.apply(
                    List.of(single), List.of(new SchemaChange.Drop(path("a"))), Set.of()))
        .hasMessageContaining("last one of the table");
    TableSchema last = new TableSchema(65_535, single.columns(), List.of());
    assertThatThrownBy(
            () -> SchemaEvolution.apply(List.of(last), List.of(add("x", "INT")), Set.of()))
        .hasMessageContaining("65535 schemas");
  }

  @Test
  void defaultsOfLaterRowsChangeAndThoseOfEarlierOnesDoNot() {
    TableSchema next =
        apply(
            add("", "x", "INT", true, "1", LAST),
            new SchemaChange.SetDefault(path("x"), "2"),
            add("", "y", "INT", true, "1", LAST),
            new SchemaChange.SetDefault(path("y"), null));
    assertThat(next.column("x").initialDefault()).isEqualTo("1");
    assertThat(next.column("x").writeDefault()).isEqualTo("2");
    assertThat(next.column("y").initialDefault()).isEqualTo("1");
    assertThat(next.column("y").writeDefault()).isNull();
  }

  @Test
  void atMost4096Columns() {
    List<SchemaChange> changes = new ArrayList<>();
    for (int i = FIRST.size(); i < TableSchema.MAX_COLUMNS; i++) {
      changes.add(add("c" + i, "INT"));
    }
    assertThat(apply(changes.toArray(new SchemaChange[0])).size()).isEqualTo(4096);
    changes.add(add("more", "INT"));
    refused("4097 columns", changes.toArray(new SchemaChange[0]));
  }
}
