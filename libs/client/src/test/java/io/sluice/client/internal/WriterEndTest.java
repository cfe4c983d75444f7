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
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.OutOfMemoryException;
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
  void rowsThatCannotBeEncodedFailWithTheLoopThatTookThem() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1);
        RootAllocator allocator = new RootAllocator();
        RootAllocator exhausted = new RootAllocator(1)) {
      ClientCore core = new ClientCore(cluster.config(), TimeSource.SYSTEM);
      RowBufferPool pool = new RowBufferPool(allocator, SCHEMA, 1024);
      MemoryBudget budget = new MemoryBudget(1 << 20, "The buffer", TimeSource.SYSTEM);
      Outstanding outstanding = new Outstanding();
      Accumulator accumulator =
          new Accumulator(
              cluster.config(), pool, budget, outstanding, RowLimit.none(), TimeSource.SYSTEM);
      BatchCutter cutter =
          new BatchCutter(
              new LogBatchEncoder(exhausted, CompressionSettings.of(BatchCodec.NONE)),
              allocator,
              SCHEMA);
      TableDescription description = core.tables().load(TablePath.parse("demo.t"));
      try (BatchPreparation preparation =
          new BatchPreparation(
              description,
              cutter,
              pool,
              budget,
              outstanding,
              new CommittedPosition(-1),
              accumulator)) {
        WriterBucket bucket =
            new WriterPartition(TablePath.parse("demo.t"), "", TableBucket.of(1, 0), 1, Map.of(), 0)
                .bucket(0);
        CompletableFuture<AppendResult> row = append(accumulator, bucket);
        accumulator.sealAll();
        SealedBatch sealed = accumulator.takeSealed();
        assertThatThrownBy(
                () -> preparation.enqueue(sealed, bucket.queue(), new WriterIdentity(1, 0, false)))
            .isInstanceOf(OutOfMemoryException.class);
        assertThat(row).isCompletedExceptionally();
        assertThat(outstanding.allDone()).isDone();
        assertThat(budget.used()).isZero();
      }
      accumulator.close();
      core.close();
    }
  }

  @Test
  void anInterruptedThreadThatClosesAWriterLeavesNothingBehind() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1)) {
      ClientCore core =
          new ClientCore(cluster.config().withLinger(Duration.ofMinutes(1)), TimeSource.SYSTEM);
      TableDescription table = core.tables().load(TablePath.parse("demo.t"));
      AppendWriter writer = WriterOpening.open(core, table, WriterOptions.defaults());
      cluster.setFaults((tablet, number, put) -> Fault.of(Kind.IGNORE));
      List<CompletableFuture<AppendResult>> rows = new ArrayList<>();
      for (long id = 1; id < 16; id++) {
        rows.add(writer.append(Row.of(id)));
      }
      Thread.currentThread().interrupt();
      assertThatThrownBy(writer::close).hasMessageContaining("interrupted");
      assertThat(Thread.interrupted()).isTrue();
      assertThat(rows).allMatch(CompletableFuture::isCompletedExceptionally);
      // What was sent lies in the connection until that is closed.
      core.channels().close();
      Await.until(
          "memory is free",
          Duration.ofSeconds(10),
          () -> core.allocator().getAllocatedMemory() == 0);
      core.close();
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
      // Whoever waits for rows and flushes nothing hears of it too.
      assertThatThrownBy(
              () -> {
                while (true) {
                  writer.append(Row.of(0L));
                }
              })
          .hasMessageContaining("broke");
      for (CompletableFuture<AppendResult> row : open) {
        assertThatThrownBy(() -> row.get(10, TimeUnit.SECONDS))
            .hasCauseInstanceOf(SluiceException.class);
      }
      assertThatThrownBy(writer::flush).isInstanceOf(SluiceException.class);
      writer.close();
      core.close();
    }
  }
}
