package io.sluice.format.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.StatisticsColumns;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class BatchEncodersTest {
  private static final BatchFormat DEFAULT = BatchFormat.ofTable(Map.of());
  private static final TableSchema SCHEMA =
      new TableSchema(
          1, List.of(Column.of(1, "text", DataTypeParser.parse("STRING"), true)), List.of());
  private static final ByteBuffer NO_CHANGES = ByteBuffer.allocate(0);
  private static final int SMALL = 100_000;

  private final BufferAllocator allocator = new RootAllocator();
  private final BufferAllocator rows = new RootAllocator();
  private final BatchEncoders encoders = new BatchEncoders(allocator, 2);

  @AfterEach
  void close() {
    encoders.close();
    allocator.close();
    rows.close();
  }

  /** What a batch of a text of so many letters leaves behind in memory. */
  private long kept(BatchFormat format, int letters) {
    try (VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(SCHEMA), rows)) {
      ColumnWriters writers = ColumnWriters.of(SCHEMA, root, 1);
      writers.setString(0, "x".repeat(letters));
      writers.endRow();
      try (EncodedBatch batch =
          encoders.encode(format, writers.finish(), SCHEMA, NO_CHANGES, BatchWriter.NONE)) {
        assertThat(batch.header().recordCount()).isEqualTo(1);
      }
    }
    assertThat(encoders.idleBytes()).isEqualTo(allocator.getAllocatedMemory());
    return allocator.getAllocatedMemory();
  }

  @Test
  void allOwnersShareTheSameMemory() {
    long one = kept(DEFAULT, SMALL);
    assertThat(one).isPositive();
    for (int owner = 0; owner < 100; owner++) {
      assertThat(kept(DEFAULT, SMALL)).isEqualTo(one);
    }
  }

  @Test
  void onlySomeFormatsAreKept() {
    long one = kept(DEFAULT, SMALL);
    for (int level = 1; level < 10; level++) {
      CompressionSettings settings = new CompressionSettings(BatchCodec.ZSTD, level);
      assertThat(kept(new BatchFormat(settings, StatisticsColumns.UNSET), SMALL))
          .isLessThanOrEqualTo(2 * one);
    }
  }

  @Test
  void memoryOfALargeBatchIsGivenBack() {
    assertThat(kept(DEFAULT, 5_000_000)).isZero();
    assertThat(kept(DEFAULT, SMALL)).isPositive();
  }

  @Test
  void roomForTheLargestBatchOfSeveralRowsIsKept() {
    assertThat(kept(DEFAULT, BatchLimits.MAX_BATCH_BYTES - 1_000)).isPositive();
  }
}
