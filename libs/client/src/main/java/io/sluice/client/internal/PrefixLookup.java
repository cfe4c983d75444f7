package io.sluice.client.internal;

import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The lookup of all rows whose keys begin with a prefix. */
final class PrefixLookup extends PendingLookup {
  private final RowValues decoder;
  private final CompletableFuture<List<Row>> future = new CompletableFuture<>();

  PrefixLookup(
      RowValues decoder,
      List<String> partition,
      int bucket,
      byte[] prefix,
      int limit,
      long deadlineNanos) {
    super(partition, bucket, prefix, limit, deadlineNanos);
    this.decoder = decoder;
  }

  CompletableFuture<List<Row>> future() {
    return future;
  }

  @Override
  void found(List<byte @Nullable []> rows, int from, int to) {
    try {
      List<Row> decoded = new ArrayList<>(to - from);
      for (int i = from; i < to; i++) {
        decoded.add(decoder.decode(Objects.requireNonNull(rows.get(i), "row of a prefix")));
      }
      future.complete(Collections.unmodifiableList(decoded));
    } catch (RuntimeException e) {
      future.completeExceptionally(e);
    }
  }

  @Override
  void failed(SluiceException why) {
    future.completeExceptionally(why);
  }
}
