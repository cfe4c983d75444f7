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

class ColumnWritersRandomTest {

  @Test
  void rowsWrittenAreRowsRead() {
    Seeds.run(
        30,
        (seed, random) -> {
          TableSchema schema = TestValues.allScalars(true);
          try (BufferAllocator allocator = new RootAllocator();
              VectorSchemaRoot root =
                  VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator)) {
            ColumnWriters writers = ColumnWriters.of(schema, root, 1);
            for (int batch = 0; batch < 2; batch++) {
              writers.reset();
              List<GenericRow> rows = new ArrayList<>();
              int count = random.nextInt(200);
              for (int i = 0; i < count; i++) {
                GenericRow row = TestValues.randomRow(schema, random);
                rows.add(row);
                if (random.nextInt(4) == 0) {
                  writers.setString(8, "of a row that is given up");
                  writers.abortRow();
                }
                writers.write(row);
              }
              VectorRow cursor = new VectorRow(writers.finish());
              for (int i = 0; i < count; i++) {
                assertThat(cursor.at(i).copy()).isEqualTo(rows.get(i));
              }
            }
          }
        });
  }
}
