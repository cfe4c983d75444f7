package io.sluice.cli.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.options.UsageException;
import io.sluice.client.Key;
import io.sluice.client.TableDescription;
import io.sluice.common.TablePath;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class MergeTextTest {
  private static Column column(int id, String name, String type, boolean nullable) {
    return new Column(id, name, DataTypeParser.parse(type), nullable, "", null, null);
  }

  private static TableDescription table(Map<String, String> options) {
    TableSchema schema =
        new TableSchema(
            1,
            List.of(
                column(1, "k", "STRING", false),
                column(2, "d", "DATE", false),
                column(3, "v", "BIGINT", true),
                column(4, "s", "STRING", true)),
            List.of("k", "d"));
    return new TableDescription(
        7, TablePath.parse("demo.t"), schema, 1, List.of("k"), options, "", 0, 1, List.of());
  }

  private static List<String> columns(Map<String, String> options) {
    return TableText.columns(table(options)).lines().stream()
        .map(line -> line.strip().replaceAll(" +", " "))
        .toList();
  }

  private static List<String> facts(Map<String, String> options) {
    return TableText.facts(table(options)).lines().stream()
        .map(line -> line.strip().replaceAll(" +", " "))
        .toList();
  }

  @Test
  void columnsSayTheirFunction() {
    Map<String, String> options =
        Map.of(
            "table.merge-engine", "aggregation",
            "fields.v.agg", "sum",
            "fields.v.agg.on-overflow", "saturate",
            "fields.s.agg", "listagg");
    assertThat(columns(options))
        .containsExactly(
            "COLUMN TYPE NULL MERGE COMMENT",
            "k STRING no",
            "d DATE no",
            "v BIGINT yes sum, saturates",
            "s STRING yes listagg with ','");
    assertThat(facts(options))
        .contains(
            "rows of one key merged column by column (aggregation)",
            "deletes ignored",
            "changelog rows before and after each change (full)");
    assertThat(columns(Map.of())).first().isEqualTo("COLUMN TYPE NULL COMMENT");
    assertThat(facts(Map.of())).contains("rows of one key the last one stays", "deletes allowed");
  }

  @Test
  void versionsIdsAndTimeAreSaid() {
    assertThat(
            columns(
                Map.of(
                    "table.merge-engine", "versioned",
                    "table.merge-engine.versioned.ver-column", "v")))
        .contains("v BIGINT yes the version");
    Map<String, String> options =
        Map.of(
            "auto-increment.fields", "v",
            "table.kv.ttl", "90min",
            "table.changelog.image", "wal");
    assertThat(columns(options)).contains("v BIGINT yes numbered by the table");
    assertThat(facts(options))
        .contains(
            "ids v, granted up to 100,000 at once",
            "rows live 90 min after their last change",
            "changelog rows after each change (wal)");
  }

  @Test
  void keysAreReadByTheTypesOfTheirColumns() {
    List<Column> key = table(Map.of()).schema().columns().subList(0, 2);
    assertThat(LookupCommand.parse("a b,2024-01-31", key))
        .isEqualTo(Key.of("a b", LocalDate.of(2024, 1, 31)));
    assertThat(LookupCommand.parse("a,b", key.subList(0, 1))).isEqualTo(Key.of("a,b"));
    Assertions.assertThatThrownBy(() -> LookupCommand.parse("a", key))
        .isInstanceOf(UsageException.class)
        .hasMessage("'a' has 1 values; a key has 2: k,d");
  }
}
