package io.sluice.client.internal;

import io.sluice.client.AppendResult;
import io.sluice.client.AppendWriter;
import io.sluice.client.RowAppender;
import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.format.row.VectorRow;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/** The append writer: puts rows into the accumulator; its delivery loop does the rest. */
final class BufferingAppendWriter implements AppendWriter, RowSink {
  private static final int MAX_PASSED_ROWS = 1 << 20;

  private final WriterCore core;
  private final TableDescription table;
  private final Accumulator accumulator;
  private final SourcePositions positions;
  private final BatchCutter passThrough;
  private final RowRouting routing;
  private final BatchRowAppender appender;
  private final boolean variableWidth;

  /**
   * @param passThrough encodes Arrow batches on the caller's thread; under the accumulator's lock
   */
  BufferingAppendWriter(WriterCore core, BatchCutter passThrough) {
    this.core = core;
    this.table = core.table();
    this.accumulator = core.accumulator();
    this.positions = new SourcePositions(core.parts());
    this.passThrough = passThrough;
    this.routing = core.parts().routing();
    this.appender = new BatchRowAppender(this, core.parts().pool().single());
    this.variableWidth = BatchRowAppender.hasVariableWidth(table.schema());
  }

  @Override
  public Accumulator accumulator() {
    return accumulator;
  }

  @Override
  public RowRouting routing() {
    return routing;
  }

  @Override
  public CompletableFuture<AppendResult> append(Row row) {
    positions.requireUnnamed();
    boolean wake;
    CompletableFuture<AppendResult> future;
    accumulator.enter();
    try {
      RowBatch batch = accumulator.batch(routing.of(checked(row)));
      batch.rows().writers().write(row);
      future = batch.addFuture();
      wake = accumulator.rowAdded(batch, variableWidth);
    } finally {
      accumulator.exit();
    }
    if (wake) {
      core.wake();
    }
    return future;
  }

  @Override
  public CompletableFuture<AppendResult> append(long sequence, Row row) {
    positions.requireNamed();
    boolean wake;
    CompletableFuture<AppendResult> future;
    accumulator.enter();
    try {
      positions.requireAfterLast(sequence);
      WriterBucket bucket = routing.of(sequence, checked(row));
      CompletableFuture<AppendResult> stored = positions.skip(sequence, bucket);
      if (stored != null) {
        return stored;
      }
      RowBatch batch = accumulator.batch(bucket);
      batch.rows().writers().write(row);
      future = batch.addFuture();
      positions.added(batch, sequence);
      wake = accumulator.rowAdded(batch, variableWidth);
    } finally {
      accumulator.exit();
    }
    if (wake) {
      core.wake();
    }
    return future;
  }

  private Row checked(Row row) {
    if (row.columnCount() != table.schema().size()) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE,
          "The row has "
              + row.columnCount()
              + " values; table "
              + table.path()
              + " has "
              + table.schema().size()
              + " columns");
    }
    return row;
  }

  @Override
  public RowAppender row() {
    positions.requireUnnamed();
    return appender.begin();
  }

  @Override
  public boolean rowWritten(RowBatch batch, boolean largeValue) {
    return accumulator.rowAdded(batch, largeValue);
  }

  @Override
  public void wake() {
    core.wake();
  }

  @Override
  public void append(VectorSchemaRoot root) {
    append(root, false);
  }

  @Override
  public void share(VectorSchemaRoot root) {
    append(root, true);
  }

  private void append(VectorSchemaRoot root, boolean share) {
    positions.requireUnnamed();
    int rows = root.getRowCount();
    if (rows == 0) {
      return;
    }
    if (root.getFieldVectors().size() != table.schema().size()) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "The Arrow batch has "
              + root.getFieldVectors().size()
              + " columns; table "
              + table.path()
              + " has "
              + table.schema().size());
    }
    WriterPartition partition = routing.hasBucketKey() ? null : onlyPartition(root, rows);
    if (routing.isFree() || partition != null) {
      pass(root, rows, partition, share);
    } else {
      appendByValues(root, rows);
      core.wake();
    }
  }

  /** The partition of all rows of the batch, null when there is none or there are several. */
  private @Nullable WriterPartition onlyPartition(VectorSchemaRoot root, int rows) {
    if (!routing.isPartitioned()) {
      return null;
    }
    accumulator.enter();
    try {
      WriterPartition first = routing.partition(root, 0);
      for (int row = 1; row < rows; row++) {
        if (routing.partition(root, row) != first) {
          return null;
        }
      }
      return first;
    } finally {
      accumulator.exit();
    }
  }

  /**
   * Encodes on the caller's thread, in parts of about the batch size.
   *
   * @param partition the partition of all rows, null when the table is not partitioned
   * @param share whether the vectors' memory may be sent as it lies there
   */
  private void pass(
      VectorSchemaRoot root, int rows, @Nullable WriterPartition partition, boolean share) {
    long bytes = 0;
    for (FieldVector vector : root.getFieldVectors()) {
      bytes += vector.getBufferSize();
    }
    long perRow = Math.max(bytes / rows, 1);
    int step = (int) Math.min(Math.max(core.config().batchBytes() / perRow, 1), MAX_PASSED_ROWS);
    for (int from = 0; from < rows; from += step) {
      int count = Math.min(step, rows - from);
      boolean wake;
      accumulator.enter();
      try {
        List<BatchCutter.Cut> cuts =
            share ? passThrough.cutShared(root, from, count) : passThrough.cut(root, from, count);
        long wireBytes = cuts.stream().mapToLong(BatchCutter.Cut::wireBytes).sum();
        wake =
            accumulator.addEncoded(
                new SealedBatch(
                    partition == null ? routing.next() : routing.next(partition),
                    count,
                    null,
                    cuts,
                    null,
                    null,
                    null,
                    wireBytes,
                    accumulator.deadline(),
                    new CompletableFuture<>()));
      } finally {
        accumulator.exit();
      }
      if (wake) {
        core.wake();
      }
    }
  }

  private void appendByValues(VectorSchemaRoot root, int rows) {
    VectorRow cursor = new VectorRow(root);
    for (int i = 0; i < rows; i++) {
      Row row = cursor.at(i);
      boolean wake;
      accumulator.enter();
      try {
        RowBatch batch = accumulator.batch(routing.of(root, i, row));
        batch.rows().writers().write(row);
        wake = accumulator.rowAdded(batch, variableWidth);
      } finally {
        accumulator.exit();
      }
      if (wake) {
        core.wake();
      }
    }
  }

  @Override
  public void flush() {
    core.flush();
  }

  @Override
  public long committedSequence() {
    return positions.committed();
  }

  @Override
  public void close() {
    // A row that the caller has started would keep those before it from being sent.
    appender.discard();
    core.close(
        this,
        () -> {
          passThrough.close();
          appender.close();
        });
  }
}
