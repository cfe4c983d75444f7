package io.sluice.format.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.TablePath;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyPrefixTest {
  private static final TablePath PATH = new TablePath("demo", "t");
  private static final TableSchema SCHEMA =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "a", new DataType.StringType(), false),
              Column.of(2, "b", new DataType.IntegerType(32), false),
              Column.of(3, "p", new DataType.StringType(), false),
              Column.of(4, "c", new DataType.IntegerType(64), false),
              Column.of(5, "v", new DataType.IntegerType(64), true)),
          List.of("a", "p", "b", "c"));

  @Test
  void encodesTheBeginningOfTheRowKeys() {
    KeyPrefix prefix = KeyPrefix.of(PATH, SCHEMA, List.of("p"), List.of("a"));
    assertThat(prefix.shown()).isEqualTo("(p STRING, a STRING)");
    assertThat(prefix.encoded()).containsExactly("a", "p");
    byte[] encoded = prefix.encoder().encode(Row.of("day", "x"));
    byte[] whole = KeyEncoder.of(SCHEMA).encode(Row.of("x", 7, "day", 8L, 9L));
    assertThat(whole).startsWith(encoded);
    assertThat(prefix.encodedSchema().primaryKey()).containsExactly("a", "p");
  }

  @Test
  void stopsBeforeAKeyColumnThatIsNotGiven() {
    KeyPrefix prefix =
        KeyPrefix.of(
            PATH,
            new TableSchema(1, SCHEMA.columns(), List.of("a", "b", "c", "p")),
            List.of("p"),
            List.of("a", "b"));
    assertThat(prefix.encoded()).containsExactly("a", "b");
    assertThat(prefix.schema().columns()).extracting(Column::name).containsExactly("p", "a", "b");
  }

  @Test
  void refusesTablesWithoutPrefixes() {
    for (List<String> bucketKey :
        Arrays.asList(List.<String>of(), List.of("b"), List.of("b", "a"), List.of("a", "b", "c"))) {
      assertThatThrownBy(() -> KeyPrefix.of(PATH, SCHEMA, List.of("p"), bucketKey))
          .hasMessageContaining("demo.t has no prefix lookups")
          .hasMessageContaining("primary key (a, b, c)")
          .hasMessageContaining("'bucket.key' = 'a'");
    }
    TableSchema log = new TableSchema(1, SCHEMA.columns(), List.of());
    assertThatThrownBy(() -> KeyPrefix.of(PATH, log, List.of(), List.of("a")))
        .hasMessageContaining("log table");
    TableSchema single = new TableSchema(1, SCHEMA.columns(), List.of("p", "a"));
    assertThatThrownBy(() -> KeyPrefix.of(PATH, single, List.of("p"), List.of("a")))
        .hasMessageContaining("one column, a, beside those of the partition");
  }
}
