package io.sluice.tiering.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.TableSchema;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;

final class LakeTargetTest {
  private static final TableSchema TABLE = LakeTables.schema("INT", "TIMESTAMP(9)");

  private static Schema lake(Types.NestedField... fields) {
    return new Schema(fields);
  }

  private static void refused(ErrorCode code, Schema lake, PartitionSpec spec, String message) {
    assertThatThrownBy(
            () ->
                LakeTarget.of(
                    LakeTables.PATH,
                    TABLE,
                    SchemaParser.toJson(lake),
                    PartitionSpecParser.toJson(spec)))
        .isInstanceOfSatisfying(SluiceException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining("demo.t")
        .hasMessageContaining(message);
  }

  @Test
  void matchesColumnsByIdWhateverTheirNamesAndOrder() {
    Schema lake =
        lake(
            Types.NestedField.optional(2, "renamed", Types.TimestampNanoType.withoutZone()),
            Types.NestedField.required(77, "__offset", Types.LongType.get()),
            Types.NestedField.optional(1, "c1", Types.IntegerType.get()));
    LakeTarget target =
        LakeTarget.of(
            LakeTables.PATH,
            TABLE,
            SchemaParser.toJson(lake),
            PartitionSpecParser.toJson(PartitionSpec.unpartitioned()));
    assertThat(target.sources()).extracting(LakeTarget.Source::vector).containsExactly(1, 2, 0);
    assertThat(target.parquet().getType("renamed").getId().intValue()).isEqualTo(2);
  }

  @Test
  void refusesATypeThatWouldLoseDigits() {
    refused(
        ErrorCode.INVALID_SCHEMA,
        lake(
            Types.NestedField.optional(1, "c1", Types.IntegerType.get()),
            Types.NestedField.optional(2, "c2", Types.TimestampType.withoutZone())),
        PartitionSpec.unpartitioned(),
        "'c2' as timestamp, which does not hold every TIMESTAMP(9)");
  }

  @Test
  void refusesAColumnThatOneSideLacks() {
    refused(
        ErrorCode.INVALID_SCHEMA,
        lake(Types.NestedField.optional(1, "c1", Types.IntegerType.get())),
        PartitionSpec.unpartitioned(),
        "lacks the column 'c2', id 2");
    refused(
        ErrorCode.INVALID_SCHEMA,
        lake(Types.NestedField.optional(9, "c9", Types.IntegerType.get())),
        PartitionSpec.unpartitioned(),
        "has the column 'c9', id 9");
  }

  @Test
  void refusesALakeThatTakesNoNullWhereTheTableDoes() {
    refused(
        ErrorCode.INVALID_SCHEMA,
        lake(Types.NestedField.required(1, "c1", Types.IntegerType.get())),
        PartitionSpec.unpartitioned(),
        "does not take NULL in column 'c1'");
  }

  @Test
  void refusesAnotherPartitioning() {
    Schema lake = LakeTables.lakeSchema(TABLE);
    refused(
        ErrorCode.UNSUPPORTED,
        lake,
        PartitionSpec.builderFor(lake).bucket("c1", 4).build(),
        "identity(__bucket)");
  }
}
