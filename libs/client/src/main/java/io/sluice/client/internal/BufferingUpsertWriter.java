package io.sluice.client.internal;

import io.sluice.client.AppendResult;
import io.sluice.client.Key;
import io.sluice.client.UpsertWriter;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.bucket.BucketFunction;
import io.sluice.format.row.Row;
import io.sluice.format.schema.TableSchema;
import java.util.concurrent.CompletableFuture;

/**
 * The upsert writer: rows go to the bucket of their key with what is to be done to it. A bucket's
 * rows stay in the order of the calls, which keeps the order of each key.
 */
final class BufferingUpsertWriter implements UpsertWriter {
  private final WriterCore core;
  private final TableSchema schema;
  private final TableKeys keys;
  private final DeletionRows deletions;
  private final boolean variableWidth;

  // Guarded by the accumulator's lock.
  private final BucketFunction buckets;

  /**
   * @param schema the columns that the writer writes
   */
  BufferingUpsertWriter(WriterCore core, TableSchema schema) {
    this.core = core;
    this.schema = schema;
    this.keys = new TableKeys(core.table());
    this.deletions = new DeletionRows(schema);
    this.variableWidth = BatchRowAppender.hasVariableWidth(schema);
    this.buckets =
        BucketFunction.of(schema, TableKeys.bucketKey(core.table()), core.table().bucketCount());
  }

  @Override
  public CompletableFuture<AppendResult> upsert(Row row) {
    if (row.columnCount() != schema.size()) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE,
          "The row has "
              + row.columnCount()
              + " values; this writer of "
              + core.table().path()
              + " writes "
              + schema.size()
              + " columns");
    }
    return write(row, ChangeType.UPDATE_AFTER);
  }

  @Override
  public CompletableFuture<AppendResult> delete(Key key) {
    return delete(key.row());
  }

  @Override
  public CompletableFuture<AppendResult> delete(Row key) {
    keys.encode(key);
    return write(deletions.deleting(key), ChangeType.DELETE);
  }

  private CompletableFuture<AppendResult> write(Row row, ChangeType change) {
    Accumulator accumulator = core.accumulator();
    CompletableFuture<AppendResult> future;
    boolean wake;
    accumulator.enter();
    try {
      RowBatch batch = accumulator.batch(buckets.bucket(row));
      batch.rows().writers().write(row);
      batch.addChange(change);
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
  public void flush() {
    core.flush();
  }

  @Override
  public void close() {
    core.close(this, () -> {});
  }
}
