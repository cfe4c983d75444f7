package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.tablet.flight.FormatBatchSlicer;
import java.nio.file.Path;
import java.util.Random;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Puts whose first rows are stored already, on a server that is short of memory. */
final class OverlappingPutTest {
  private static final int ROWS = 1000;
  private static final int TOO_LITTLE_BYTES = 1024;

  @TempDir private Path temp;

  private final BufferAllocator client = new RootAllocator();

  /** A batch of writer 5 from sequence 0 on, whose values do not compress. */
  private EncodedBatch batch(int rows) {
    HostedTable table = TestTablet.table(7, "t7");
    Random random = new Random(rows);
    try (VectorSchemaRoot root =
            VectorSchemaRoot.create(ArrowSchemas.toArrow(table.schema()), client);
        LogBatchEncoder encoder = new LogBatchEncoder(client, CompressionSettings.defaults())) {
      root.allocateNew();
      BigIntVector values = (BigIntVector) root.getVector("a");
      for (int row = 0; row < rows; row++) {
        values.setSafe(row, random.nextLong());
      }
      root.setRowCount(rows);
      return encoder.encode(root, table.schema(), new BatchWriter(5, 0, 0, rows));
    }
  }

  private static AppendRequest put(EncodedBatch batch) {
    return new AppendRequest(batch.header(), batch.sections(), -1, true);
  }

  @Test
  void bounded_aRestThatFindsNoMemoryIsRefusedForNowAndHoldsNone() {
    try (BufferAllocator memory = new RootAllocator(TOO_LITTLE_BYTES);
        EncodedBatch batch = batch(ROWS)) {
      FormatBatchSlicer slicer = new FormatBatchSlicer(memory);
      HostedTable table = TestTablet.table(7, "t7");
      for (long bytes = TOO_LITTLE_BYTES; bytes <= 64 << 10; bytes += TOO_LITTLE_BYTES) {
        memory.setLimit(bytes);
        try (BatchSlicer.Slice rest = slicer.dropFirst(table, put(batch), 1)) {
          assertThat(rest.header().recordCount()).isEqualTo(ROWS - 1);
          assertThat(bytes).isGreaterThan(8 * ROWS);
        } catch (SluiceException e) {
          assertThat(e.code()).isEqualTo(ErrorCode.BACKPRESSURE);
        }
        assertThat(memory.getAllocatedMemory()).isZero();
      }
      memory.setLimit(TOO_LITTLE_BYTES);
      assertThatThrownBy(() -> slicer.dropFirst(table, put(batch), 1))
          .hasMessageContaining("no memory now")
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BACKPRESSURE));
    }
    client.close();
  }

  @Test
  void theReplicaStaysAndTheSamePutIsStoredWhenThereIsMemoryAgain() throws Exception {
    try (BufferAllocator memory = new RootAllocator(TOO_LITTLE_BYTES);
        TestTablet tablet =
            TestTablet.open(temp, new FormatBatchSlicer(memory)).apply(TestTablet.image(1, 1, 7));
        EncodedBatch first = batch(10);
        EncodedBatch all = batch(ROWS)) {
      Answer stored = new Answer();
      tablet.replica(7).append(put(first), stored);
      assertThat(stored.get().baseOffset()).isZero();
      Answer refused = new Answer();
      tablet.replica(7).append(put(all), refused);
      assertThat(refused.refusal()).isEqualTo(ErrorCode.BACKPRESSURE);
      assertThat(tablet.set.offline()).isEmpty();
      memory.setLimit(Long.MAX_VALUE);
      Answer again = new Answer();
      tablet.replica(7).append(put(all), again);
      assertThat(again.get()).isEqualTo(new Answer.Stored(10, false, 1));
      assertThat(TestTablet.sequences(tablet.replica(7), 5))
          .containsExactly(new long[] {0, 10}, new long[] {10, ROWS - 10});
    }
    client.close();
  }
}
