package io.sluice.format.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;

/** Rows of any types, nested ones to any depth, through vectors and through row values. */
class NestedRowsRandomTest {

  @Test
  void rowsWrittenIntoVectorsAreRowsRead() {
    Seeds.run(
        60,
        (seed, random) -> {
          TableSchema schema = TestValues.randomSchema(random, 5, 4);
          try (BufferAllocator allocator = new RootAllocator();
              VectorSchemaRoot root =
                  VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator)) {
            ColumnWriters writers = ColumnWriters.of(schema, root, 1 + random.nextInt(20));
            for (int batch = 0; batch < 3; batch++) {
              writers.reset();
              List<GenericRow> rows = new ArrayList<>();
              for (int i = random.nextInt(60); i > 0; i--) {
                rows.add(TestValues.randomRow(schema, random));
                if (random.nextInt(4) == 0) {
                  writers.setObject(0, TestValues.random(schema.columns().get(0).type(), random));
                  writers.abortRow();
                }
                writers.write(rows.get(rows.size() - 1));
              }
              assertThat(writers.bytes()).isNotNegative();
              VectorRow cursor = new VectorRow(writers.finish());
              for (int i = 0; i < rows.size(); i++) {
                assertThat(cursor.at(i).copy()).isEqualTo(rows.get(i));
              }
            }
          }
        });
  }

  @Test
  void rowsEncodedAsValuesAreRowsDecoded() {
    Seeds.run(
        100,
        (seed, random) -> {
          TableSchema schema = TestValues.randomSchema(random, 5, 4);
          RowCodec codec = RowCodec.of(schema);
          GenericRow row = TestValues.randomRow(schema, random);
          byte[] value = codec.encode(row, seed);
          assertThat(copy(codec.decode(value), schema)).isEqualTo(row);
          assertThat(codec.encode(copy(codec.decode(value), schema), seed)).isEqualTo(value);
        });
  }

  /** Any byte of a value may be anything: it is refused or is another value, nothing else. */
  @Test
  void damagedValuesAreRefusedOrOtherValues() {
    Seeds.run(
        60,
        (seed, random) -> {
          TableSchema schema = TestValues.randomSchema(random, 3, 3);
          RowCodec codec = RowCodec.of(schema);
          byte[] value = codec.encode(TestValues.randomRow(schema, random), seed);
          for (int i = 0; i < 100; i++) {
            byte[] changed = Arrays.copyOf(value, value.length - random.nextInt(2));
            changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
            try {
              copy(codec.decode(changed), schema);
            } catch (SluiceException e) {
              assertThat(e.code())
                  .isIn(
                      ErrorCode.CORRUPT_STORAGE,
                      ErrorCode.SCHEMA_NOT_FOUND,
                      ErrorCode.INVALID_VALUE);
            }
          }
        });
  }

  @Test
  void aRefusedNestedValueNamesItsPath() {
    TableSchema schema =
        TestValues.schema(true, "ARRAY<ROW<a INT NOT NULL, b CHAR(2)>>", "MAP<STRING, INT>");
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator)) {
      ColumnWriters writers = ColumnWriters.of(schema, root, 4);
      List<GenericRow> nulls = List.of(GenericRow.of(null, "x"));
      assertThatThrownBy(() -> writers.write(Row.of(nulls, null)))
          .hasMessageContaining("c0.element.a")
          .hasMessageContaining("NOT NULL");
      List<GenericRow> tooLong = List.of(GenericRow.of(1, "x"), GenericRow.of(2, "xyz"));
      assertThatThrownBy(() -> writers.write(Row.of(tooLong, null)))
          .hasMessageContaining("c0.element.b");
      assertThatThrownBy(() -> RowCodec.of(schema).encode(Row.of(tooLong, null), 0))
          .hasMessageContaining("c0.element.b");
      assertThatThrownBy(() -> writers.write(Row.of(List.of(Row.of(1)), null)))
          .hasMessageContaining("2 fields");
      assertThatThrownBy(() -> writers.write(Row.of(7, null))).hasMessageContaining("List");
      writers.write(Row.of(new Object[] {Row.of(5, "ok")}, null));
      VectorRow row = new VectorRow(writers.finish()).at(0);
      assertThat(row.getArray(0)).isEqualTo(List.of(Row.of(5, "ok")));
      assertThat(row.isNull(1)).isTrue();
      assertThatThrownBy(() -> row.getMap(0)).hasMessageContaining("getMap");
    }
  }

  private static GenericRow copy(Row row, TableSchema schema) {
    Object[] values = new Object[schema.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = RowObjects.value(row, i, schema.columns().get(i).type());
    }
    return GenericRow.of(values);
  }
}
