package io.sluice.format.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchStatistics;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.StructVector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FilterTest {
  private static final TableSchema SCHEMA =
      schema(
          "id INT",
          "name STRING",
          "ok BOOLEAN",
          "price DECIMAL(10,2)",
          "day DATE",
          "at TIMESTAMP(3)",
          "seen TIMESTAMP_LTZ(6)",
          "noon TIME(0)",
          "ratio FLOAT",
          "raw BYTES",
          "place ROW<city STRING, spot ROW<x INT, y INT>>",
          "tags ARRAY<STRING>",
          "order BIGINT",
          "a.b INT");

  private static TableSchema schema(String... definitions) {
    List<Column> columns = new ArrayList<>();
    for (String each : definitions) {
      int blank = each.indexOf(' ');
      columns.add(
          Column.of(
              columns.size() + 1,
              each.substring(0, blank),
              DataTypeParser.parse(each.substring(blank + 1)),
              true));
    }
    return new TableSchema(1, columns, List.of());
  }

  private static BoundFilter bind(String text) {
    return Filter.parse(text).bind(SCHEMA);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "id >|5|the text ends where a literal is expected",
        "id > > 1|6|there is '>' where a literal is expected",
        "id|1|column 'id' is INT; only a BOOLEAN column is a condition by itself",
        "nope = 1|1|column 'nope' does not exist; the columns are id, name, ok",
        "id = 'x'|6|column 'id' is INT and cannot be compared with text 'x'; it takes a number",
        "name = 5|8|column 'name' is STRING and cannot be compared with number 5",
        "ok = 1|6|it takes TRUE or FALSE",
        "id = 1 and|11|the text ends where a column is expected",
        "id = 1 id = 2|8|there is 'id' where AND, OR or the end is expected",
        "(id = 1|8|the text ends where ')' is expected",
        "id = NULL|6|write IS NULL or IS NOT NULL",
        "id IN ()|8|there is ')' where a literal is expected",
        "id IN (1 2)|10|there is '2' where ',' or ')' is expected",
        "id BETWEEN 1 OR 2|14|there is 'OR' where AND is expected",
        "id LIKE 'x'|1|LIKE is for STRING and CHAR",
        "name LIKE 5|11|LIKE takes a pattern in single quotes",
        "name = 'x|8|the closing quote ' is missing",
        "id ; 1|4|';' means nothing here",
        "day = DATE '2024-02-30'|12|'2024-02-30' is no DATE; it looks like 2024-01-31",
        "raw = X'abc'|8|X takes pairs of hexadecimal digits",
        "raw = 'abc'|7|it takes bytes such as X'00ff'",
        "tags = 'x'|1|column 'tags' is ARRAY<STRING>, which has no order; only IS NULL",
        "place = 'x'|1|or one of its fields city, spot",
        "place.zip = 'x'|1|there is no field 'zip'; the fields are city, spot",
        "tags.element = 'x'|1|what is inside an ARRAY or MAP cannot be filtered",
        "id.x = 1|1|it has no fields",
        "5|1|a literal by itself is no condition",
        "id = 1abc|6|a number must not run into a word",
        "id = 1e999|6|at most 400 digits",
        "at = TIMESTAMP '2024-01-01 00:00:00Z'|6|without a zone",
        "select = 1|1|column 'select' does not exist",
        "and = 1|1|stands in double quotes",
        "id NOT = 1|8|there is '=' where IN, BETWEEN or LIKE is expected",
        "id IS 5|7|NULL or NOT NULL is expected",
        "''|3|the text ends"
      })
  void errorsNameThePlaceAndWhatIsAllowed(String text, int position, String what) {
    assertThatThrownBy(() -> bind(text.equals("''") ? "  " : text))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_FILTER))
        .hasMessageContaining("at position " + position + ": ")
        .hasMessageContaining(what);
  }

  @Test
  void deepAndLongTextsAreRefusedAndDoNotOverflow() {
    assertThatThrownBy(() -> bind("(".repeat(5000) + "ok" + ")".repeat(5000)))
        .hasMessageContaining("nested at most");
    assertThatThrownBy(() -> bind("NOT ".repeat(5000) + "ok")).hasMessageContaining("nested");
    assertThatThrownBy(() -> bind("ok OR ".repeat(50_000) + "ok"))
        .hasMessageContaining("the limit is 100000");
    assertThat(bind("id = 1 OR ".repeat(5000) + "ok").columnIds()).containsExactly(1, 3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "id = 3000000000",
        "id = 1.5",
        "id > 2147483648",
        "id IN (1.5, 99999999999)",
        "price = 0.001",
        "price > 1e30",
        "FALSE",
        "NOT TRUE",
        "id = 1 AND id = 0.5",
        "noon = '12:00:00.5'",
        "day = TIMESTAMP '2024-01-01 12:00:00'",
        "id > 5 AND FALSE"
      })
  void literalsOutOfTheColumnsRangeFoldToNeverTrue(String text) {
    // A bound of a whole column type is not known to the filter, only that of 64 or 128 bits.
    BoundFilter filter = bind(text);
    if (!text.contains("3000000000") && !text.contains("214748") && !text.contains("1e30")) {
      boolean mayBeTrue = filter.mayMatchPartition(List.of(), List.of());
      assertThat(mayBeTrue && !text.contains("99999999999")).isFalse();
    }
    assertThat(rowsOf(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "id < 3000000000|0 1 3",
        "id <> 1.5|0 1 3",
        "NOT (id = 1.5)|0 1 3",
        "id >= -1e300|0 1 3",
        "id > 1.5|1 3",
        "id >= 1.5|1 3",
        "5 > id|0 1",
        "id IS NULL|2",
        "id = 1 OR id <> 1|0 1 3",
        "NOT (id = 1)|1 3",
        "id NOT IN (1)|1 3",
        "name LIKE 'ab%'|0 1",
        "name LIKE 'abc'|1",
        "name NOT LIKE 'ab%'|3",
        "name LIKE '%b'|0",
        "name LIKE '_b_'|1",
        "name LIKE '%'|0 1 3",
        "name LIKE '_'|3",
        "name NOT LIKE '%b%'|3",
        "place.city = 'Oslo'|0",
        "place.spot.x = 7|1",
        "place.spot.x IS NULL|0 2 3",
        "place IS NULL|2",
        "`place`.\"city\" >= 'O'|0 1",
        "TRUE|0 1 2 3",
        "id = 1 AND name LIKE 'a%' OR id IS NULL|0 2"
      })
  void choosesRows(String text, String rows) {
    assertThat(rowsOf(text))
        .isEqualTo(List.of(rows.split(" ")).stream().map(Integer::valueOf).toList());
  }

  /** Rows: (1, ab, Oslo, -), (2, abc, Paris, 7), all NULL, (9, 'ü', NULL, -). */
  private static List<Integer> rowsOf(String text) {
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(SCHEMA), allocator)) {
      root.allocateNew();
      IntVector ids = (IntVector) root.getVector("id");
      VarCharVector names = (VarCharVector) root.getVector("name");
      StructVector places = (StructVector) root.getVector("place");
      VarCharVector cities = (VarCharVector) places.getChild("city");
      StructVector spots = (StructVector) places.getChild("spot");
      IntVector x = (IntVector) spots.getChild("x");
      String[] nameTexts = {"ab", "abc", null, "ü"};
      String[] cityTexts = {"Oslo", "Paris", "Oslo", null};
      int[] numbers = {1, 2, 0, 9};
      for (int row = 0; row < 4; row++) {
        if (row != 2) {
          ids.setSafe(row, numbers[row]);
          names.setSafe(row, nameTexts[row].getBytes(StandardCharsets.UTF_8));
          places.setIndexDefined(row);
        }
        if (cityTexts[row] != null) {
          cities.setSafe(row, cityTexts[row].getBytes(StandardCharsets.UTF_8));
        }
        x.setSafe(row, 7);
      }
      spots.setIndexDefined(1);
      root.setRowCount(4);
      return FilterRandomTest.chosen(bind(text), root, SCHEMA);
    }
  }

  @Test
  void aBareNameWithDotsIsFirstLookedForAsAColumn() {
    assertThat(bind("a.b = 1").columnIds()).containsExactly(14);
    assertThat(bind("\"a.b\" = 1 AND \"order\" = 2 AND order = 3").columnIds())
        .containsExactly(14, 13);
  }

  @Test
  void partitionsAreRuledOutByTheirValues() {
    List<String> keys = List.of("day", "name");
    List<String> values = List.of("2024-01-31", "EU");
    assertThat(bind("day = '2024-01-31' AND name = 'EU'").mayMatchPartition(keys, values)).isTrue();
    assertThat(bind("day > DATE '2024-01-31'").mayMatchPartition(keys, values)).isFalse();
    assertThat(bind("name IN ('US', 'AP')").mayMatchPartition(keys, values)).isFalse();
    assertThat(bind("name LIKE '_U'").mayMatchPartition(keys, values)).isTrue();
    assertThat(bind("name LIKE '_U%x'").mayMatchPartition(keys, values)).isFalse();
    assertThat(bind("name = 'US' OR id = 4").mayMatchPartition(keys, values)).isTrue();
    assertThat(bind("name IS NULL").mayMatchPartition(keys, values)).isFalse();
    assertThat(bind("NOT (name = 'EU')").mayMatchPartition(keys, values)).isFalse();
  }

  @Test
  void withoutStatisticsNothingIsSkipped() {
    BatchStatistics none = new BatchStatistics().read(ByteBuffer.allocate(0));
    assertThat(bind("id = 1").mayMatch(none, 10, SCHEMA)).isTrue();
    assertThat(bind("place.city = 'x'").mayMatch(none, 10, SCHEMA)).isTrue();
    assertThat(bind("FALSE").mayMatch(none, 10, SCHEMA)).isFalse();
  }

  @Test
  void aColumnThatTheBatchLacksHasItsInitialDefault() {
    TableSchema stored = schema("id INT");
    TableSchema now =
        new TableSchema(
            2,
            List.of(
                stored.columns().get(0),
                new Column(2, "kind", DataTypeParser.parse("STRING"), false, "", "old", null),
                Column.of(3, "age", DataTypeParser.parse("BIGINT"), true),
                Column.of(4, "place", DataTypeParser.parse("ROW<city STRING>"), true)),
            List.of());
    assertThat(mayMatch("kind = 'old'", now, stored)).isTrue();
    assertThat(mayMatch("kind <> 'old'", now, stored)).isFalse();
    assertThat(mayMatch("age IS NULL", now, stored)).isTrue();
    assertThat(mayMatch("age = 60", now, stored)).isFalse();
    assertThat(mayMatch("place.city IS NULL", now, stored)).isTrue();
    assertThat(mayMatch("place.city = 'x'", now, stored)).isFalse();
  }

  private static boolean mayMatch(String text, TableSchema now, TableSchema stored) {
    return Filter.parse(text)
        .bind(now)
        .mayMatch(new BatchStatistics().read(ByteBuffer.allocate(0)), 5, stored);
  }
}
