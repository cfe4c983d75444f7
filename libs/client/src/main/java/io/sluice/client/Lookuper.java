package io.sluice.client;

import io.sluice.format.row.Row;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Finds rows of a primary-key table by key. What was acknowledged to an {@link UpsertWriter} before
 * is seen. Many lookups may be under way: those that wait for the same server go to it together.
 *
 * <p>Thread-safe. A lookup is retried within the connection's request time-out, also when servers
 * restart or leaders move meanwhile. A call blocks while very many lookups are under way. Futures
 * complete on the connection's threads: what depends on them must not block.
 */
public interface Lookuper extends AutoCloseable {
  /**
   * The row of that key with the columns of this lookuper; empty when there is none.
   *
   * @throws io.sluice.common.SluiceException INVALID_VALUE when the key does not fit the table's
   */
  CompletableFuture<Optional<Row>> lookup(Key key);

  /** As {@link #lookup}, waiting for the answer. */
  Optional<Row> find(Key key);

  /** Ends lookups that are under way with CANCELLED. Twice is harmless. */
  @Override
  void close();
}
