package io.sluice.client;

import io.sluice.format.row.Row;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Finds rows of a primary-key table by key. What was acknowledged to an {@link UpsertWriter} before
 * is seen, rows that have outlived {@code table.kv.ttl} are not. A key in a partition that does not
 * exist has no row. Many lookups may be under way: those that wait for the same server go to it
 * together.
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

  /**
   * The row of that key, made when it does not exist: with the key, the next id in the
   * auto-increment column, and in every other column its default or NULL. In a partitioned table
   * the partition is made too. Of many callers that look up one missing key at the same time one
   * makes the row, and all get it.
   *
   * @throws io.sluice.common.SluiceException INVALID_VALUE when the key does not fit the table's;
   *     the future fails with INVALID_PARTITION when its partition cannot be made, INVALID_VALUE
   *     when the table has a NOT NULL column without a default
   */
  CompletableFuture<Row> lookupOrInsert(Key key);

  /** As {@link #lookupOrInsert}, waiting for the answer. */
  Row findOrInsert(Key key);

  /** Ends lookups that are under way with CANCELLED. Twice is harmless. */
  @Override
  void close();
}
