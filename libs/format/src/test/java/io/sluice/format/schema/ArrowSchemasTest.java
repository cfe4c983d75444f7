package io.sluice.format.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.List;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArrowSchemasTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "BOOLEAN; Bool",
        "TINYINT; Int(8, true)",
        "BIGINT; Int(64, true)",
        "FLOAT; FloatingPoint(SINGLE)",
        "DOUBLE; FloatingPoint(DOUBLE)",
        "CHAR(3); Utf8",
        "STRING; Utf8",
        "DECIMAL(10,2); Decimal(10, 2, 128)",
        "DATE; Date(DAY)",
        "TIME(0); Time(SECOND, 32)",
        "TIME(1); Time(MILLISECOND, 32)",
        "TIME(3); Time(MILLISECOND, 32)",
        "TIME(4); Time(MICROSECOND, 64)",
        "TIME(6); Time(MICROSECOND, 64)",
        "TIME(7); Time(NANOSECOND, 64)",
        "TIME(9); Time(NANOSECOND, 64)",
        "TIMESTAMP(0); Timestamp(SECOND, null)",
        "TIMESTAMP(3); Timestamp(MILLISECOND, null)",
        "TIMESTAMP(6); Timestamp(MICROSECOND, null)",
        "TIMESTAMP(7); Timestamp(NANOSECOND, null)",
        "TIMESTAMP_LTZ(1); Timestamp(MILLISECOND, UTC)",
        "TIMESTAMP_LTZ(4); Timestamp(MICROSECOND, UTC)",
        "BINARY(16); FixedSizeBinary(16)",
        "BYTES; Binary",
        "ARRAY<INT>; List",
        "MAP<INT,INT>; Map(false)",
        "ROW<a INT>; Struct"
      })
  void storesEachTypeAsDocumented(String type, String arrow) {
    assertThat(ArrowSchemas.arrowType(DataTypeParser.parse(type))).hasToString(arrow);
  }

  private static TableSchema schema() {
    return new TableSchema(
        7,
        List.of(
            new Column(3, "id", DataTypeParser.parse("BIGINT"), false, "the key"),
            Column.of(1, "name", DataTypeParser.parse("CHAR(20)"), true),
            Column.of(9, "at", DataTypeParser.parse("TIMESTAMP_LTZ(4)"), false),
            Column.of(4, "tags", DataTypeParser.parse("MAP<STRING,ARRAY<CHAR(3) NOT NULL>>"), true),
            Column.of(5, "place", DataTypeParser.parse("ROW<x DOUBLE NOT NULL, y TIME(1)>"), true)),
        List.of("at", "id"));
  }

  @Test
  void aTableSchemaSurvivesTheWayThroughArrow() {
    Schema arrow = ArrowSchemas.toArrow(schema());
    assertThat(ArrowSchemas.fromArrow(arrow)).isEqualTo(schema());
    byte[] bytes = arrow.serializeAsMessage();
    Schema again = Schema.deserializeMessage(java.nio.ByteBuffer.wrap(bytes));
    assertThat(ArrowSchemas.fromArrow(again)).isEqualTo(schema());
  }

  @Test
  void fieldsCarryIdAndType() {
    Field field = ArrowSchemas.toField(schema().column("name"));
    assertThat(field.getMetadata())
        .containsEntry("sluice.id", "1")
        .containsEntry("sluice.type", "CHAR(20)");
    assertThat(field.isNullable()).isTrue();
    Field entries = ArrowSchemas.toField(schema().column("tags")).getChildren().get(0);
    assertThat(entries.isNullable()).isFalse();
    assertThat(entries.getChildren().get(0).isNullable()).isFalse();
    assertThat(entries.getChildren().get(1).getChildren().get(0).getMetadata())
        .containsEntry("sluice.type", "CHAR(3)");
  }

  @Test
  void projectsByColumnIdInTheOrderAskedFor() {
    Schema projected = ArrowSchemas.toArrow(schema(), List.of(9, 1));
    assertThat(projected.getFields()).extracting(Field::getName).containsExactly("at", "name");
    assertThat(projected.getCustomMetadata()).doesNotContainKey(ArrowSchemas.PRIMARY_KEY);
    assertThat(ArrowSchemas.toArrow(schema(), List.of(9, 3)).getCustomMetadata())
        .containsEntry(ArrowSchemas.PRIMARY_KEY, "at\nid");
    assertThatThrownBy(() -> ArrowSchemas.toArrow(schema(), List.of(2)))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.COLUMN_NOT_FOUND))
        .hasMessageContaining("id 2");
  }

  private static DataType inferred(ArrowType type, Field... children) {
    return ArrowTypes.dataType(new Field("f", FieldType.nullable(type), List.of(children)));
  }

  @Test
  void choosesTypesForForeignFields() {
    assertThat(inferred(new ArrowType.Int(8, false))).hasToString("SMALLINT");
    assertThat(inferred(new ArrowType.Int(32, false))).hasToString("BIGINT");
    assertThat(inferred(new ArrowType.Int(64, false))).hasToString("DECIMAL(20,0)");
    assertThat(inferred(new ArrowType.FloatingPoint(FloatingPointPrecision.HALF)))
        .hasToString("FLOAT");
    assertThat(inferred(ArrowType.LargeUtf8.INSTANCE)).hasToString("STRING");
    assertThat(inferred(ArrowType.BinaryView.INSTANCE)).hasToString("BYTES");
    assertThat(inferred(new ArrowType.Date(DateUnit.MILLISECOND))).hasToString("DATE");
    assertThat(inferred(new ArrowType.Time(TimeUnit.MICROSECOND, 64))).hasToString("TIME(6)");
    assertThat(inferred(new ArrowType.Timestamp(TimeUnit.NANOSECOND, "Europe/Berlin")))
        .hasToString("TIMESTAMP_LTZ(9)");
    assertThat(inferred(new ArrowType.Decimal(9, 2, 256))).hasToString("DECIMAL(9,2)");
    Field element = new Field("item", FieldType.notNullable(ArrowType.Utf8View.INSTANCE), null);
    assertThat(inferred(ArrowType.LargeList.INSTANCE, element))
        .hasToString("ARRAY<STRING NOT NULL>");
  }

  @Test
  void aForeignSchemaGetsIdsInOrder() {
    Field field = new Field("x", FieldType.nullable(ArrowType.Utf8.INSTANCE), null);
    TableSchema schema = ArrowSchemas.fromArrow(new Schema(List.of(field)));
    assertThat(schema.schemaId()).isOne();
    assertThat(schema.columns())
        .containsExactly(Column.of(1, "x", new DataType.StringType(), true));
  }

  @Test
  void refusesTypesThatNoColumnHolds() {
    assertThatThrownBy(() -> inferred(new ArrowType.Interval(IntervalUnit.YEAR_MONTH)))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("'f'")
        .hasMessageContaining("int64");
    assertThatThrownBy(() -> inferred(new ArrowType.Decimal(76, 2, 256)))
        .hasMessageContaining("decimal128");
    assertThatThrownBy(() -> inferred(ArrowType.List.INSTANCE)).hasMessageContaining("0 children");
  }

  @Test
  void aDeclaredTypeThatContradictsTheFieldIsIgnored() {
    FieldType type =
        new FieldType(true, ArrowType.Utf8.INSTANCE, null, java.util.Map.of("sluice.type", "INT"));
    assertThat(ArrowTypes.dataType(new Field("f", type, null))).hasToString("STRING");
  }
}
