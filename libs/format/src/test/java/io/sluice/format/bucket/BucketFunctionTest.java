package io.sluice.format.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;
import io.sluice.format.row.TestValues;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;

class BucketFunctionTest {
  private static final String VECTORS = "../../docs/formats/vectors/bucketing.json";

  @Test
  void givesTheHashesOfTheIcebergSpecification() {
    Map<String, String> values =
        Map.of(
            "INT", "34",
            "BIGINT", "34",
            "DECIMAL(9,2)", "14.20",
            "DATE", "2017-11-16",
            "TIME(6)", "22:31:08",
            "TIMESTAMP(6)", "2017-11-16T22:31:08",
            "STRING", "iceberg",
            "BINARY(4)", "00010203",
            "BYTES", "00010203");
    Map<String, Integer> hashes =
        Map.of(
            "INT", 2017239379,
            "BIGINT", 2017239379,
            "DECIMAL(9,2)", -500754589,
            "DATE", -653330422,
            "TIME(6)", -662762989,
            "TIMESTAMP(6)", -2047944441,
            "STRING", 1210000089,
            "BINARY(4)", -188683207,
            "BYTES", -188683207);
    values.forEach(
        (text, value) -> {
          DataType type = DataTypeParser.parse(text);
          IcebergHash hash = new IcebergHash(Column.of(1, "c", type, false));
          assertThat(hash.hash(Row.of(TestValues.parse(type, value)), 0))
              .as(text)
              .isEqualTo(hashes.get(text));
        });
  }

  @Test
  void givesTheBucketsOfTheTestVectorsByRowAndByVector() {
    List<JsonNode> vectors = TestValues.vectors(VECTORS);
    assertThat(vectors).hasSizeGreaterThan(40);
    for (JsonNode entry : vectors) {
      TableSchema schema = TestValues.schemaOf(entry, false);
      GenericRow row = TestValues.rowOf(entry);
      entry
          .get("buckets")
          .fields()
          .forEachRemaining(
              each -> {
                int count = Integer.parseInt(each.getKey());
                BucketFunction function =
                    BucketFunction.of(schema, TestValues.names(schema), count);
                assertThat(function.bucket(row))
                    .as("%s", entry)
                    .isEqualTo(each.getValue().asInt())
                    .isEqualTo(byVector(function, schema, List.of(row))[0]);
                if (!entry.get("function").asText().equals("null")) {
                  assertThat(function.isIceberg())
                      .isEqualTo(entry.get("function").asText().equals("iceberg"));
                }
              });
    }
  }

  private static int[] byVector(
      BucketFunction function, TableSchema schema, List<GenericRow> rows) {
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator)) {
      ColumnWriters writers = ColumnWriters.of(schema, root, rows.size());
      rows.forEach(writers::write);
      int[] buckets = new int[rows.size()];
      function.buckets(writers.finish(), buckets);
      return buckets;
    }
  }

  @Test
  void vectorsAndRowsAgreeForEveryType() {
    Seeds.run(
        20,
        (seed, random) -> {
          for (String type : TestValues.SCALARS) {
            TableSchema schema = TestValues.schema(random.nextBoolean(), type);
            BucketFunction function = BucketFunction.of(schema, List.of("c0"), 1000);
            List<GenericRow> rows = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
              rows.add(TestValues.randomRow(schema, random));
            }
            int[] buckets = byVector(function, schema, rows);
            for (int i = 0; i < rows.size(); i++) {
              assertThat(buckets[i]).as("%s", rows.get(i)).isEqualTo(function.bucket(rows.get(i)));
            }
          }
        });
  }

  @Test
  void usesIcebergForOneNotNullColumnOfABucketableTypeOnly() {
    assertThat(function(false, "BIGINT").isIceberg()).isTrue();
    assertThat(function(true, "BIGINT").isIceberg()).isFalse();
    assertThat(function(false, "BIGINT", "INT").isIceberg()).isFalse();
    assertThat(function(false, "DOUBLE").isIceberg()).isFalse();
    assertThat(function(false, "BOOLEAN").isIceberg()).isFalse();
  }

  private static BucketFunction function(boolean nullable, String... types) {
    TableSchema schema = TestValues.schema(nullable, types);
    return BucketFunction.of(schema, TestValues.names(schema), 8);
  }

  @Test
  void refusesImpossibleDefinitions() {
    TableSchema schema = TestValues.schema(false, "INT", "ARRAY<INT>");
    assertThatThrownBy(() -> BucketFunction.of(schema, List.of("c0"), 0))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("bucket.num is 0");
    assertThatThrownBy(() -> BucketFunction.of(schema, List.of(), 4))
        .hasMessageContaining("bucket.key");
    assertThatThrownBy(() -> BucketFunction.of(schema, List.of("nope"), 4))
        .hasMessageContaining("'nope'");
    assertThatThrownBy(() -> BucketFunction.of(schema, List.of("c1"), 4))
        .hasMessageContaining("nested");
  }
}
