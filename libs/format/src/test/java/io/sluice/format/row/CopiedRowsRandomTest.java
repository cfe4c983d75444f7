package io.sluice.format.row;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;

/** Rows that go from a buffer of one row into a batch. */
class CopiedRowsRandomTest {
  @Test
  void areTheRowsThatWereWritten() {
    TableSchema schema = TestValues.allScalars(true);
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot one = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator);
        VectorSchemaRoot many = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator)) {
      ColumnWriters single = ColumnWriters.of(schema, one, 1);
      ColumnWriters batch = ColumnWriters.of(schema, many, 4);
      assertThat(single.isFlat()).isTrue();
      Seeds.run(
          20,
          (seed, random) -> {
            List<GenericRow> rows = new ArrayList<>();
            int count = 1 + random.nextInt(200);
            for (int i = 0; i < count; i++) {
              GenericRow row = TestValues.randomRow(schema, random);
              rows.add(row);
              single.write(row);
              batch.writeLast(single);
              single.clear();
            }
            assertThat(batch.rowCount()).isEqualTo(count);
            VectorRow cursor = new VectorRow(batch.finish());
            for (int i = 0; i < count; i++) {
              assertThat(cursor.at(i).copy()).isEqualTo(rows.get(i));
            }
            batch.reset();
          });
    }
  }
}
