package io.sluice.format.projection;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.batch.RandomBatches;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TimeStampMilliTZVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compare.VectorEqualsVisitor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The invariant prune-equals: a pruned read is the full read, projected afterwards. */
class ProjectionRandomTest {
  @ParameterizedTest
  @EnumSource(BatchCodec.class)
  void prunedReadEqualsFullReadProjected(BatchCodec codec) {
    try (BufferAllocator allocator = new RootAllocator();
        LogBatchEncoder encoder = new LogBatchEncoder(allocator, CompressionSettings.of(codec));
        LogBatchDecoder decoder = new LogBatchDecoder(allocator)) {
      Seeds.run(
          80,
          (seed, random) -> {
            TableSchema stored = RandomBatches.schema(random, 10);
            TableSchema wanted = withNewColumns(stored, random);
            int rows = 1 + random.nextInt(random.nextBoolean() ? 30 : 3000);
            MetadataColumns metadata =
                new MetadataColumns(
                    random.nextBoolean(), random.nextBoolean(), random.nextBoolean());
            List<Integer> ids = someColumns(wanted, random);
            ProjectionPlan plan = ProjectionPlan.of(stored, wanted, ids, metadata);
            try (VectorSchemaRoot root = RandomBatches.rows(allocator, stored, random, rows);
                EncodedBatch batch = encoder.encode(root, stored, BatchWriter.NONE)) {
              batch.header().stamp(5000 + seed, 4, 1_700_000_000_000L + seed);
              ProjectedBatch projected =
                  plan.project(
                      batch.header(), batch.changeTypes(), batch.metadata(), batch.checksums());
              try (ArrowBuf body = Bodies.fill(allocator, projected, batch.bodyBytes());
                  VectorSchemaRoot found =
                      decoder.decode(plan.arrowSchema(), projected.metadata(), body)) {
                assertThat(found.getRowCount()).isEqualTo(rows);
                assertColumns(found, root, stored, ids);
                assertMetadata(found, ids.size(), metadata, seed);
              }
            }
          });
    }
  }

  /** The stored columns in another order and, now and then, columns that came later. */
  private static TableSchema withNewColumns(TableSchema stored, SplittableRandom random) {
    List<Column> columns = new ArrayList<>(stored.columns());
    TableSchema added = RandomBatches.schema(random, 3);
    for (Column column : added.columns()) {
      int id = 1000 + column.id();
      columns.add(random.nextInt(columns.size()), Column.of(id, "n" + id, column.type(), true));
    }
    return new TableSchema(stored.schemaId() % 65535 + 1, columns, List.of());
  }

  private static List<Integer> someColumns(TableSchema schema, SplittableRandom random) {
    List<Integer> ids = new ArrayList<>();
    for (Column column : schema.columns()) {
      if (random.nextInt(3) == 0) {
        ids.add(random.nextInt(ids.size() + 1), column.id());
      }
    }
    return ids;
  }

  private static void assertColumns(
      VectorSchemaRoot found, VectorSchemaRoot full, TableSchema stored, List<Integer> ids) {
    for (int i = 0; i < ids.size(); i++) {
      FieldVector vector = found.getVector(i);
      int position = position(stored, ids.get(i));
      if (position < 0) {
        assertThat(vector.getNullCount()).isEqualTo(found.getRowCount());
      } else {
        assertThat(VectorEqualsVisitor.vectorEquals(vector, full.getVector(position)))
            .as("column %s", vector.getField())
            .isTrue();
      }
    }
  }

  private static int position(TableSchema schema, int columnId) {
    for (int i = 0; i < schema.size(); i++) {
      if (schema.columns().get(i).id() == columnId) {
        return i;
      }
    }
    return -1;
  }

  private static void assertMetadata(
      VectorSchemaRoot found, int at, MetadataColumns metadata, long seed) {
    int last = found.getRowCount() - 1;
    int next = at;
    if (metadata.offset()) {
      BigIntVector offsets = (BigIntVector) found.getVector(next++);
      assertThat(offsets.getName()).isEqualTo("_offset");
      assertThat(offsets.get(0)).isEqualTo(5000 + seed);
      assertThat(offsets.get(last)).isEqualTo(5000 + seed + last);
    }
    if (metadata.timestamp()) {
      TimeStampMilliTZVector times = (TimeStampMilliTZVector) found.getVector(next++);
      assertThat(times.getName()).isEqualTo("_timestamp");
      assertThat(times.get(last)).isEqualTo(1_700_000_000_000L + seed);
    }
    if (metadata.changeType()) {
      VarCharVector changes = (VarCharVector) found.getVector(next++);
      assertThat(changes.getName()).isEqualTo("_change_type");
      assertThat(changes.getObject(last)).hasToString("+A");
    }
    assertThat(found.getFieldVectors()).hasSize(next);
  }
}
