package io.sluice.format.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Seeds;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compare.Range;
import org.apache.arrow.vector.compare.RangeEqualsVisitor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LogBatchRandomTest {
  @ParameterizedTest
  @EnumSource(BatchCodec.class)
  void decodesWhatWasEncoded(BatchCodec codec) {
    try (BufferAllocator allocator = new RootAllocator();
        LogBatchEncoder encoder = new LogBatchEncoder(allocator, CompressionSettings.of(codec));
        LogBatchDecoder decoder = new LogBatchDecoder(allocator)) {
      BatchValidator validator = new BatchValidator();
      Seeds.run(
          60,
          (seed, random) -> {
            TableSchema schema = RandomBatches.schema(random, 8);
            int rows = 1 + random.nextInt(random.nextBoolean() ? 20 : 2000);
            BatchWriter writer = new BatchWriter(seed, 3, 100, rows);
            try (VectorSchemaRoot root = RandomBatches.rows(allocator, schema, random, rows);
                EncodedBatch batch = encoder.encode(root, schema, writer)) {
              Batches.validate(validator, schema, batch);
              try (VectorSchemaRoot decoded =
                  decoder.decode(ArrowSchemas.toArrow(schema), batch.metadata(), batch.body())) {
                assertThat(decoded.equals(root)).isTrue();
              }
            }
          });
    }
  }

  @Test
  void decodesIntoAnExistingRoot() {
    try (BufferAllocator allocator = new RootAllocator();
        LogBatchEncoder encoder = new LogBatchEncoder(allocator, CompressionSettings.defaults());
        LogBatchDecoder decoder = new LogBatchDecoder(allocator)) {
      TableSchema schema = RandomBatches.allScalars();
      try (VectorSchemaRoot reused =
          VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator)) {
        Seeds.run(
            20,
            (seed, random) -> {
              int rows = 1 + random.nextInt(500);
              try (VectorSchemaRoot root = RandomBatches.rows(allocator, schema, random, rows);
                  EncodedBatch batch = encoder.encode(root, schema, BatchWriter.NONE)) {
                decoder.decode(reused, batch.metadata(), batch.body());
                assertThat(reused.equals(root)).isTrue();
              }
            });
      }
    }
  }

  @ParameterizedTest
  @EnumSource(BatchCodec.class)
  void slicerKeepsTheLastRows(BatchCodec codec) {
    try (BufferAllocator allocator = new RootAllocator();
        LogBatchEncoder encoder = new LogBatchEncoder(allocator, CompressionSettings.of(codec));
        LogBatchDecoder decoder = new LogBatchDecoder(allocator);
        LogBatchSlicer slicer = new LogBatchSlicer(allocator)) {
      BatchValidator validator = new BatchValidator();
      Seeds.run(
          30,
          (seed, random) -> {
            TableSchema schema = RandomBatches.schema(random, 6);
            int rows = 2 + random.nextInt(300);
            int drop = 1 + random.nextInt(rows - 1);
            BatchWriter writer = new BatchWriter(7, 2, 1000, rows);
            try (VectorSchemaRoot root = RandomBatches.rows(allocator, schema, random, rows);
                EncodedBatch batch = encoder.encode(root, schema, writer);
                EncodedBatch sliced =
                    slicer.dropFirst(
                        drop,
                        schema,
                        batch.header(),
                        batch.changeTypes(),
                        batch.metadata(),
                        batch.body());
                VectorSchemaRoot expected = root.slice(drop, rows - drop);
                VectorSchemaRoot decoded =
                    decoder.decode(
                        ArrowSchemas.toArrow(schema), sliced.metadata(), sliced.body())) {
              Batches.validate(validator, schema, sliced);
              for (int i = 0; i < schema.size(); i++) {
                // Arrow's slice forgets that a field is NOT NULL, so types are left out.
                Range all = new Range(0, 0, rows - drop);
                assertThat(
                        new RangeEqualsVisitor(
                                decoded.getVector(i), expected.getVector(i), (a, b) -> true)
                            .rangeEquals(all))
                    .as("column %s", expected.getVector(i).getField())
                    .isTrue();
              }
              assertThat(sliced.header().codecId()).isEqualTo(codec.id());
              assertThat(sliced.header().baseSequence()).isEqualTo(1000 + drop);
              assertThat(sliced.header().lastSequence()).isEqualTo(1000 + rows - 1);
              assertThat(sliced.header().writerEpoch()).isEqualTo(2);
            }
          });
    }
  }
}
