package io.sluice.client.internal;

import io.sluice.client.AppendResult;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A batch on its way to the delivery loop.
 *
 * @param bucket its bucket
 * @param rowCount rows in it
 * @param rows the rows, null when they are encoded already
 * @param encoded the encoded rows, null when they are not encoded yet
 * @param futures futures of rows by position, null without any; single ones may be null
 * @param sequences source positions of the rows of a named writer, else null
 * @param changeTypes a change type code a row, null when all rows are appends; may be longer
 * @param countedBytes bytes counted in the writer's budget
 * @param deadlineNanos when delivery is given up
 * @param done completed when every row has its outcome
 */
record SealedBatch(
    WriterBucket bucket,
    int rowCount,
    @Nullable RowBuffer rows,
    @Nullable List<BatchCutter.Cut> encoded,
    CompletableFuture<AppendResult> @Nullable [] futures,
    long @Nullable [] sequences,
    byte @Nullable [] changeTypes,
    long countedBytes,
    long deadlineNanos,
    CompletableFuture<Void> done) {
  /** The change types of the rows; empty when all rows are appends. */
  ByteBuffer changes() {
    return changeTypes == null ? ByteBuffer.allocate(0) : ByteBuffer.wrap(changeTypes, 0, rowCount);
  }
}
