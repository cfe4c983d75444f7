package io.sluice.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.AppendResult;
import io.sluice.client.AppendWriter;
import io.sluice.client.TableDescription;
import io.sluice.client.WriterOptions;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.PutFaults.Fault;
import io.sluice.client.fake.PutFaults.Kind;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.common.TimeSource;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every row gets an outcome, however its writer ends. */
@Timeout(30)
class WriterEndTest {
  private static final TableSchema SCHEMA =
      new TableSchema(
          1, List.of(Column.of(1, "id", new DataType.IntegerType(64), false)), List.of());

  @Test
  void rowsThatNobodySendsAnyMoreFail() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1);
        RootAllocator allocator = new RootAllocator()) {
      RowBufferPool pool = new RowBufferPool(allocator, SCHEMA, 1024);
      MemoryBudget budget = new MemoryBudget(1 << 20, "The buffer", TimeSource.SYSTEM);
      Accumulator accumulator =
          new Accumulator(
              cluster.config(),
              pool,
              budget,
              new Outstanding(),
              RowLimit.none(),
              TimeSource.SYSTEM);
      WriterPartition table =
          new WriterPartition(TablePath.parse("demo.t"), "", TableBucket.of(1, 0), 2, Map.of(), 0);
      CompletableFuture<AppendResult> sealed = append(accumulator, table.bucket(0));
      accumulator.sealAll();
      CompletableFuture<AppendResult> open = append(accumulator, table.bucket(1));
      accumulator.close();
      for (CompletableFuture<AppendResult> row : List.of(sealed, open)) {
        assertThatThrownBy(() -> row.get(1, TimeUnit.SECONDS))
            .hasCauseInstanceOf(SluiceException.class)
            .hasMessageContaining("closed");
      }
    }
  }

  private static CompletableFuture<AppendResult> append(
      Accumulator accumulator, WriterBucket bucket) {
    accumulator.enter();
    try {
      RowBatch batch = accumulator.batch(bucket);
      batch.rows().writers().write(Row.of(1L));
      CompletableFuture<AppendResult> row = batch.addFuture();
      accumulator.rowAdded(batch, false);
      return row;
    } finally {
      accumulator.exit();
    }
  }

  @Test
  void flushSaysWhyTheWriterBrokeWithoutWaiting() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 2, 1, "id")) {
      // The first rows are on their way at once; none is to be stored before the writer breaks.
      cluster.setFaults((tablet, number, put) -> Fault.of(Kind.IGNORE));
      ClientCore core =
          new ClientCore(
              cluster.config().withLinger(Duration.ofMinutes(1)).withBatchBytes(1024),
              TimeSource.SYSTEM);
      TableDescription table = core.tables().load(TablePath.parse("demo.t"));
      AppendWriter writer = WriterOpening.open(core, table, WriterOptions.defaults());
      // One row each of many keys: both buckets have an open batch.
      List<CompletableFuture<AppendResult>> open = new ArrayList<>();
      for (long id = 1; id < 16; id++) {
        open.add(writer.append(Row.of(id)));
      }
      core.channels().close();
      assertThatThrownBy(
              () -> {
                while (true) {
                  writer.append(Row.of(0L));
                }
              })
          .hasMessageContaining("broke");
      assertThatThrownBy(writer::flush).isInstanceOf(SluiceException.class);
      assertThat(open).allMatch(CompletableFuture::isCompletedExceptionally);
      writer.close();
      core.close();
    }
  }
}
