package io.sluice.protocol.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.metadata.v1.ColumnDef;
import java.util.List;
import org.junit.jupiter.api.Test;

class SchemasTest {
  @Test
  void schemasMakeTheRoundTrip() {
    TableSchema schema =
        new TableSchema(
            7,
            List.of(
                new Column(3, "id", new DataType.IntegerType(64), false, "the key"),
                Column.of(9, "price", new DataType.DecimalType(10, 2), true),
                Column.of(
                    12, "tags", new DataType.ArrayType(new DataType.StringType(), true), true)),
            List.of("id"));
    assertThat(Schemas.toSchema(Schemas.toProto(schema))).isEqualTo(schema);
  }

  @Test
  void newColumnsAreNumberedInOrder() {
    TableSchema schema =
        Schemas.newSchema(
            List.of(
                ColumnDef.newBuilder().setName("a").setType("INT").setNotNull(true).build(),
                ColumnDef.newBuilder().setName("b").setType("timestamp_ltz(3)").build()),
            List.of("a"));
    assertThat(schema.schemaId()).isEqualTo(1);
    assertThat(schema.columns()).extracting(Column::id).containsExactly(1, 2);
    assertThat(schema.column("b").nullable()).isTrue();
  }

  @Test
  void aTypeThatCannotBeReadNamesItsColumn() {
    ColumnDef column = ColumnDef.newBuilder().setId(1).setName("x").setType("STRNG").build();
    assertThatThrownBy(() -> Schemas.toColumn(column))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SCHEMA))
        .hasMessageContaining("'x'");
  }
}
