package io.sluice.format.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.SluiceException;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;

/** Row values made of vectors, and vectors made of row values, without an object in between. */
class EncodedVectorsRandomTest {
  private static final TableSchema SCHEMA =
      TestValues.schema(
          true,
          Stream.concat(TestValues.SCALARS.stream(), Stream.of("ARRAY<INT>"))
              .toArray(String[]::new));
  private static final Schema ARROW = ArrowSchemas.toArrow(SCHEMA);
  private static final RowCodec CODEC = RowCodec.of(SCHEMA);

  @Test
  void valuesAndVectorsAreThoseOfTheRowsThatWereWritten() {
    try (BufferAllocator allocator = new RootAllocator()) {
      Seeds.run(30, (seed, random) -> run(allocator, random));
    }
  }

  private static GenericRow row(SplittableRandom random) {
    Object[] values = new Object[SCHEMA.size()];
    for (int i = 0; i < values.length; i++) {
      boolean nested = SCHEMA.columns().get(i).type().isNested();
      if (random.nextInt(5) > 0) {
        values[i] =
            nested
                ? Arrays.asList(random.nextInt(), null, 7)
                : TestValues.random(SCHEMA.columns().get(i).type(), random);
      }
    }
    return GenericRow.of(values);
  }

  private static void run(BufferAllocator allocator, SplittableRandom random) {
    List<GenericRow> rows = new ArrayList<>();
    int count = 1 + random.nextInt(100);
    boolean[] absent = new boolean[SCHEMA.size()];
    int[] positions = new int[SCHEMA.size()];
    for (int i = 0; i < positions.length; i++) {
      absent[i] = random.nextInt(3) == 0;
      positions[i] = absent[i] ? VectorRowEncoder.ABSENT : i;
    }
    try (VectorSchemaRoot root = VectorSchemaRoot.create(ARROW, allocator);
        VectorSchemaRoot back = VectorSchemaRoot.create(ARROW, allocator)) {
      ColumnWriters writers = ColumnWriters.of(SCHEMA, root, 1);
      for (int i = 0; i < count; i++) {
        rows.add(row(random));
        writers.write(rows.get(i));
      }
      writers.finish();
      VectorRowEncoder encoder = VectorRowEncoder.of(CODEC, SCHEMA.columns(), root, positions);
      EncodedRowWriter writer = new EncodedRowWriter(CODEC, back, 1);
      ByteAccumulator out = new ByteAccumulator(1);
      List<GenericRow> expected = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        GenericRow before = row(random);
        Object[] merged = new Object[SCHEMA.size()];
        for (int c = 0; c < merged.length; c++) {
          merged[c] = absent[c] ? before.value(c) : rows.get(i).value(c);
        }
        expected.add(GenericRow.of(merged));
        byte[] value = CODEC.encode(expected.get(i), 0);
        out.clear();
        encoder.encode(i, CODEC.encode(before, 5), new VectorRow(root).at(i), out);
        assertThat(out.toByteArray()).isEqualTo(value);
        out.clear();
        encoder.encode(i, null, expected.get(i), out);
        assertThat(out.toByteArray()).isEqualTo(value);
        writer.write(value);
      }
      assertThat(writer.rowCount()).isEqualTo(count);
      long bytes = writer.bytes();
      writer.finish();
      assertThat(bytes).isEqualTo(writer.bytes()).isPositive();
      VectorRow cursor = new VectorRow(back);
      for (int i = 0; i < count; i++) {
        assertThat(cursor.at(i).copy()).isEqualTo(expected.get(i));
      }
    }
  }

  @Test
  void nullInAColumnThatIsNotNullIsRefused() {
    TableSchema strict = TestValues.schema(false, "BIGINT");
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(strict), allocator)) {
      BigIntVector vector = (BigIntVector) root.getVector(0);
      vector.allocateNew(1);
      vector.setNull(0);
      root.setRowCount(1);
      VectorRowEncoder encoder =
          VectorRowEncoder.of(RowCodec.of(strict), strict.columns(), root, new int[] {0});
      assertThatThrownBy(
              () -> encoder.encode(0, null, new VectorRow(root).at(0), new ByteAccumulator(16)))
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining("Column 'c0'");
    }
  }
}
