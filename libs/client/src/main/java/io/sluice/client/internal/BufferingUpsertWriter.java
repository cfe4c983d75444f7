package io.sluice.client.internal;

import io.sluice.client.AppendResult;
import io.sluice.client.Key;
import io.sluice.client.RowAppender;
import io.sluice.client.UpsertWriter;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.row.Row;
import io.sluice.format.schema.TableSchema;
import java.util.concurrent.CompletableFuture;

/**
 * The upsert writer: rows go to the bucket of their key with what is to be done to it. A bucket's
 * rows stay in the order of the calls, which keeps the order of each key.
 */
final class BufferingUpsertWriter implements UpsertWriter, RowSink {
  private static final long NO_SEQUENCE = Long.MIN_VALUE;

  private final WriterCore core;
  private final UpsertShape shape;
  private final TableSchema schema;
  private final TableKeys keys;
  private final DeletionRows deletions;
  private final SourcePositions positions;
  private final boolean variableWidth;
  private final RowRouting routing;
  private final BatchRowAppender appender;

  /**
   * @param shape what the writer writes
   */
  BufferingUpsertWriter(WriterCore core, UpsertShape shape) {
    this.core = core;
    this.shape = shape;
    this.schema = shape.written();
    this.keys = new TableKeys(core.table());
    this.deletions = new DeletionRows(schema);
    this.positions = new SourcePositions(core.parts());
    this.variableWidth = BatchRowAppender.hasVariableWidth(schema);
    this.routing = core.parts().routing();
    this.appender = new BatchRowAppender(this, core.parts().pool().single());
  }

  @Override
  public Accumulator accumulator() {
    return core.accumulator();
  }

  @Override
  public RowRouting routing() {
    return routing;
  }

  @Override
  public CompletableFuture<AppendResult> upsert(Row row) {
    positions.requireUnnamed();
    return write(NO_SEQUENCE, checked(row), ChangeType.UPDATE_AFTER);
  }

  @Override
  public CompletableFuture<AppendResult> upsert(long sequence, Row row) {
    positions.requireNamed();
    return write(sequence, checked(row), ChangeType.UPDATE_AFTER);
  }

  private Row checked(Row row) {
    if (row.columnCount() != schema.size()) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE,
          "The row has "
              + row.columnCount()
              + " values; this writer of "
              + core.table().path()
              + " writes "
              + schema.size()
              + " columns"
              + shape.leftOutNote());
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
    batch.addChange(ChangeType.UPDATE_AFTER);
    return core.accumulator().rowAdded(batch, largeValue);
  }

  @Override
  public void wake() {
    core.wake();
  }

  @Override
  public CompletableFuture<AppendResult> delete(Key key) {
    return delete(key.row());
  }

  @Override
  public CompletableFuture<AppendResult> delete(Row key) {
    positions.requireUnnamed();
    return write(NO_SEQUENCE, deletion(key), ChangeType.DELETE);
  }

  @Override
  public CompletableFuture<AppendResult> delete(long sequence, Key key) {
    positions.requireNamed();
    return write(sequence, deletion(key.row()), ChangeType.DELETE);
  }

  private Row deletion(Row key) {
    shape.requireDeletes();
    keys.encode(key);
    return deletions.deleting(key);
  }

  private CompletableFuture<AppendResult> write(long sequence, Row row, ChangeType change) {
    Accumulator accumulator = core.accumulator();
    boolean positioned = sequence != NO_SEQUENCE;
    CompletableFuture<AppendResult> future;
    boolean wake;
    accumulator.enter();
    try {
      WriterBucket bucket = routing.of(row);
      if (positioned) {
        positions.requireAfterLast(sequence);
        CompletableFuture<AppendResult> stored = positions.skip(sequence, bucket);
        if (stored != null) {
          return stored;
        }
      }
      RowBatch batch = accumulator.batch(bucket);
      batch.rows().writers().write(row);
      batch.addChange(change);
      future = batch.addFuture();
      if (positioned) {
        positions.added(batch, sequence);
      }
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
  public long committedSequence() {
    return positions.committed();
  }

  @Override
  public void flush() {
    core.flush();
  }

  @Override
  public void close() {
    // A row that the caller has started would keep those before it from being sent.
    appender.discard();
    core.close(this, appender::close);
  }
}
