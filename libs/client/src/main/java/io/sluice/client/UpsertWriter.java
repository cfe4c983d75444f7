package io.sluice.client;

import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import java.util.concurrent.CompletableFuture;

/**
 * Writes the rows of a primary-key table: collected, sent and retried like those of an {@link
 * AppendWriter}. What is done to one key is done in the order of the calls, each once.
 *
 * <p>With {@link WriterOptions#partial} rows have only the named columns: an upsert leaves the
 * other columns of the row as they are (their write default in a new row, NULL without one), and a
 * delete sets the named columns to NULL and keeps the row. Without it rows have all columns of the
 * table but the one that gets its values from the table ({@code auto-increment.fields}).
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

  /**
   * Starts a row that is set column by column and put by {@link RowAppender#append}: the fastest
   * way in, without an object for a value. Positions are those of the writer's columns. Not for
   * named writers.
   */
  RowAppender row();

  /**
   * Deletes the row of that key; nothing happens when there is none.
   *
   * @throws SluiceException DELETE_DISABLED when the table takes no deletes
   */
  CompletableFuture<AppendResult> delete(Key key);

  /**
   * As {@link #delete(Key)}.
   *
   * @param key a row of the key columns, in key order
   */
  CompletableFuture<AppendResult> delete(Row key);

  /**
   * Puts a row of a named writer under the position that it has in its source. Positions grow from
   * call to call, over all keys. What an earlier writer of the same name has stored is skipped: its
   * future is complete at once, as a duplicate. So a restarted source may repeat what it has sent,
   * and each change is made once, though others have changed the row since.
   *
   * <p>A named writer ends at the first change that is not known to be stored: everything after it
   * is refused. Open it again under its name, which fences this one, and go on after {@link
   * #committedSequence}.
   */
  CompletableFuture<AppendResult> upsert(long sequence, Row row);

  /** Deletes the row of that key, as {@link #upsert(long, Row)}. */
  CompletableFuture<AppendResult> delete(long sequence, Key key);

  /**
   * For named writers the last position up to which every change is known to be stored, -1 when
   * there is none: where a restarted source goes on.
   */
  long committedSequence();

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
