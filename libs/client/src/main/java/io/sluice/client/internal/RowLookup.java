package io.sluice.client.internal;

import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The lookup of a row by its whole key. */
final class RowLookup extends PendingLookup {
  private final RowValues decoder;
  private final CompletableFuture<Optional<Row>> future = new CompletableFuture<>();

  RowLookup(RowValues decoder, List<String> partition, int bucket, byte[] key, long deadlineNanos) {
    super(partition, bucket, key, 0, deadlineNanos);
    this.decoder = decoder;
  }

  CompletableFuture<Optional<Row>> future() {
    return future;
  }

  @Override
  void found(List<byte @Nullable []> rows, int from, int to) {
    byte[] row = rows.get(from);
    try {
      future.complete(row == null ? Optional.empty() : Optional.of(decoder.decode(row)));
    } catch (RuntimeException e) {
      future.completeExceptionally(e);
    }
  }

  @Override
  void failed(SluiceException why) {
    future.completeExceptionally(why);
  }
}
