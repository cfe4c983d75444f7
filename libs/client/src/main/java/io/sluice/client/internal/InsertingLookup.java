package io.sluice.client.internal;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The lookup of a row that is made when it does not exist. */
final class InsertingLookup extends PendingLookup {
  private final RowValues decoder;
  private final CompletableFuture<Row> future = new CompletableFuture<>();

  InsertingLookup(
      RowValues decoder, List<String> partition, int bucket, byte[] key, long deadlineNanos) {
    super(partition, bucket, key, 0, deadlineNanos);
    this.decoder = decoder;
  }

  CompletableFuture<Row> future() {
    return future;
  }

  @Override
  void found(List<byte @Nullable []> rows, int from, int to) {
    byte[] row = rows.get(from);
    if (row == null) {
      failed(
          new SluiceException(
              ErrorCode.INTERNAL, "The server neither found nor made the row of a key"));
      return;
    }
    try {
      future.complete(decoder.decode(row));
    } catch (RuntimeException e) {
      future.completeExceptionally(e);
    }
  }

  @Override
  void failed(SluiceException why) {
    future.completeExceptionally(why);
  }
}
