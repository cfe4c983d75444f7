package io.sluice.lake.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LakeSchemasTest {
  private static Schema schema(String... types) {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < types.length; i++) {
      columns.add(Column.of(i + 1, "c" + i, DataTypeParser.parse(types[i]), true));
    }
    return LakeSchemas.schema(new TableSchema(1, columns, List.of()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "BOOLEAN|boolean",
        "TINYINT|int",
        "SMALLINT|int",
        "INT|int",
        "BIGINT|long",
        "FLOAT|float",
        "DOUBLE|double",
        "CHAR(3)|string",
        "STRING|string",
        "DECIMAL(10,2)|decimal(10, 2)",
        "DATE|date",
        "TIME(0)|time",
        "TIME(6)|time",
        "TIMESTAMP(0)|timestamp",
        "TIMESTAMP(6)|timestamp",
        "TIMESTAMP_LTZ(3)|timestamptz",
        "BINARY(4)|fixed[4]",
        "BYTES|binary"
      })
  void mapsEveryScalarTypeToOneOfTheSameValues(String type, String iceberg) {
    assertThat(schema(type).findType("c0").toString()).isEqualTo(iceberg);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"TIMESTAMP(7)", "TIMESTAMP_LTZ(9)", "TIME(9)", "ARRAY<INT>", "ROW<a INT>"})
  void refusesWhatItWouldHaveToNarrow(String type) {
    assertThatThrownBy(() -> schema(type))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED);
              assertThat(e).hasMessageContaining("Column 'c0' of type");
            });
  }

  @Test
  void putsTheSystemColumnsLastUnderTheirOwnIds() {
    Schema schema =
        LakeSchemas.schema(
            new TableSchema(
                1,
                List.of(
                    new Column(4, "b", DataTypeParser.parse("INT"), false, "a comment"),
                    Column.of(2, "a", DataTypeParser.parse("STRING"), true)),
                List.of()));
    assertThat(schema.columns().stream().map(field -> field.fieldId() + " " + field.name()))
        .containsExactly(
            "4 b", "2 a", "1000000001 __bucket", "1000000002 __offset", "1000000003 __timestamp");
    assertThat(schema.findField("b").isRequired()).isTrue();
    assertThat(schema.findField("b").doc()).isEqualTo("a comment");
    assertThat(schema.findField("a").isOptional()).isTrue();
    assertThat(schema.findField("__timestamp").type().toString()).isEqualTo("timestamptz");
    PartitionSpec spec = LakeSchemas.spec(schema);
    assertThat(spec.fields()).hasSize(1);
    assertThat(spec.fields().get(0).transform().isIdentity()).isTrue();
    assertThat(spec.fields().get(0).sourceId()).isEqualTo(1_000_000_001);
  }

  @Test
  void refusesAColumnWithTheNameOfASystemColumn() {
    assertThatThrownBy(
            () ->
                LakeSchemas.schema(
                    new TableSchema(
                        1,
                        List.of(Column.of(1, "__Offset", DataTypeParser.parse("INT"), true)),
                        List.of())))
        .isInstanceOf(SluiceException.class);
  }
}
