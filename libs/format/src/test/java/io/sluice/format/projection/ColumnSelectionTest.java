package io.sluice.format.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.FieldIds;
import io.sluice.format.schema.TableSchema;
import java.util.List;
import org.junit.jupiter.api.Test;

class ColumnSelectionTest {
  private static final TableSchema SCHEMA =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "id", DataTypeParser.parse("INT"), false),
              column(
                  2, "address", "ROW<city STRING, zip INT, geo ROW<lat DOUBLE, lon DOUBLE>>", 10),
              column(3, "items", "ARRAY<ROW<name STRING, price INT>>", 20),
              column(4, "prices", "MAP<STRING, ROW<amount INT, unit STRING>>", 30),
              Column.of(5, "a.b", DataTypeParser.parse("INT"), true)),
          List.of());

  private static Column column(int id, String name, String type, int firstFieldId) {
    int[] next = {firstFieldId};
    return Column.of(id, name, FieldIds.assign(DataTypeParser.parse(type), () -> next[0]++), true);
  }

  private static List<String> select(String... paths) {
    return ColumnSelection.of(SCHEMA, List.of(paths)).columns().stream()
        .map(column -> column.id() + " " + column.name() + " " + column.type())
        .toList();
  }

  @Test
  void pathsGiveTheOuterColumnWithTheFieldsAskedFor() {
    assertThat(select("address.zip")).containsExactly("2 address ROW<`zip` INT>");
    assertThat(select("address.geo.lon", "id", "address.city"))
        .containsExactly("2 address ROW<`city` STRING, `geo` ROW<`lon` DOUBLE>>", "1 id INT");
    assertThat(select("items.element.price")).containsExactly("3 items ARRAY<ROW<`price` INT>>");
    assertThat(select("prices.value.unit"))
        .containsExactly("4 prices MAP<STRING,ROW<`unit` STRING>>");
    assertThat(select("a.b")).containsExactly("5 a.b INT");
    assertThat(select()).isEmpty();
  }

  @Test
  void wholeNestedThingsByPathAreWhole() {
    assertThat(select("address.geo"))
        .containsExactly("2 address ROW<`geo` ROW<`lat` DOUBLE, `lon` DOUBLE>>");
    assertThat(select("items.element"))
        .containsExactly("3 items ARRAY<ROW<`name` STRING, `price` INT>>");
    List<Column> columns = ColumnSelection.of(SCHEMA, List.of("address.geo.lat")).columns();
    assertThat(FieldIds.of(columns.get(0).type())).containsExactly(12, 13);
  }

  @Test
  void unknownPathsAreNotFound() {
    for (String path :
        List.of(
            "x",
            "id.x",
            "address.street",
            "address.",
            "items.price",
            "items.element.price.x",
            "prices.key",
            "prices.value.amount.x",
            "a.b.c")) {
      assertThatThrownBy(() -> select(path))
          .as(path)
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.COLUMN_NOT_FOUND))
          .hasMessageContaining(path);
    }
  }

  @Test
  void nothingIsAskedForTwice() {
    for (List<String> paths :
        List.of(
            List.of("id", "id"),
            List.of("address", "address.zip"),
            List.of("address.geo", "address.geo.lat"),
            List.of("address.geo.lat", "address.geo"),
            List.of("address.zip", "address.zip"))) {
      assertThatThrownBy(() -> ColumnSelection.of(SCHEMA, paths))
          .hasMessageContaining("asked for twice");
    }
  }
}
