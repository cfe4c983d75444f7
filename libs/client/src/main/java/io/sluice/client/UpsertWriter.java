package io.sluice.client;

import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import java.util.concurrent.CompletableFuture;

/**
 * Writes the rows of a primary-key table: collected, sent and retried like those of an {@link
 * AppendWriter}. What is done to one key is done in the order of the calls, each once.
 *
 * <p>With {@link WriterOptions#partial} rows have only the named columns: an upsert leaves the
 * other columns of the row as they are (NULL in a new row), and a delete sets the named columns to
 * NULL and keeps the row.
 *
 * <p>Thread-safe. A call blocks while the writer's buffer is full and fails with TIMEOUT after the
 * delivery time-out. A value that does not fit its column is refused by the call itself with
 * INVALID_VALUE and leaves the writer as it was. Futures complete when lookups see the change, on
 * the writer's own thread: what depends on them must not block. Their results have no offset: the
 * server decides which changelog records an upsert becomes.
 */
public interface UpsertWriter extends AutoCloseable {
  /** Puts a row in the place of the one with its key, if there is one. */
  CompletableFuture<AppendResult> upsert(Row row);

  /** Deletes the row of that key; nothing happens when there is none. */
  CompletableFuture<AppendResult> delete(Key key);

  /**
   * As {@link #delete(Key)}.
   *
   * @param key a row of the key columns, in key order
   */
  CompletableFuture<AppendResult> delete(Row key);

  /**
   * Sends what is collected and waits until everything written before is stored.
   *
   * @throws SluiceException the first failure since the last flush
   */
  void flush();

  /** Flushes and closes. Twice is harmless. */
  @Override
  void close();
}
