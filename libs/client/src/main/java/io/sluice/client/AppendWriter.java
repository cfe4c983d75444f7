package io.sluice.client;

import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import java.util.concurrent.CompletableFuture;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * Appends rows to a log table. Rows are collected into one batch for each bucket, sent when the
 * batch is full or has waited for the linger time, and retried within the delivery time-out; each
 * row is stored at most once, and rows of a bucket in the order in which they were appended.
 *
 * <p>Thread-safe. An append blocks while the writer's buffer is full and fails with TIMEOUT after
 * the delivery time-out. A value that does not fit its column is refused by the append itself with
 * INVALID_VALUE and leaves the writer as it was. Futures complete on the writer's own thread: what
 * depends on them must not block.
 */
public interface AppendWriter extends AutoCloseable {
  /**
   * Appends a row: to the partition of its values, there to the bucket of its bucket key, or to any
   * when the table has none. A partition that does not exist is created, unless the writer's
   * options say otherwise; that blocks once for each partition.
   *
   * @return completes when the row is stored; fails with what kept it from being stored
   */
  CompletableFuture<AppendResult> append(Row row);

  /**
   * Appends a row of a named writer under the position that it has in its source. Positions grow
   * from call to call. A row that an earlier writer of the same name stored is skipped: its future
   * is complete at once, as a duplicate. Without a bucket key the bucket is {@code (sequence /
   * 1024) mod buckets}, so that a row meets its earlier copy.
   *
   * <p>A named writer ends at the first row that is not known to be stored: everything after it is
   * refused, because a restarted writer takes all rows of a bucket up to the last one for stored.
   * Open it again under its name and go on after {@link #committedSequence}.
   */
  CompletableFuture<AppendResult> append(long sequence, Row row);

  /**
   * Starts a row that is set column by column: the fastest way in. Columns that are not set get
   * their write default, NULL without one. Not for named writers.
   */
  RowAppender row();

  /**
   * Appends all rows of an Arrow batch, whose columns must be the table's: same names, types and
   * order. The batch is copied; the caller keeps it. Not for named writers.
   */
  void append(VectorSchemaRoot root);

  /**
   * As {@link #append(VectorSchemaRoot)} without the copy: large buffers are sent from where they
   * lie. The caller may close or clear the root at once, but nobody may write into its buffers
   * again before a {@link #flush} has returned, and its allocator must stay open until then. To
   * fill the same root again, clear it, so that it gets other memory.
   */
  void share(VectorSchemaRoot root);

  /**
   * Sends what is collected and waits until everything appended before is stored.
   *
   * @throws SluiceException the first failure since the last flush
   */
  void flush();

  /**
   * For named writers the last position up to which every appended row is known to be stored, -1
   * when there is none: where a restarted source goes on. Of a partitioned table, after opening, a
   * lower bound: the smallest last position of all buckets.
   */
  long committedSequence();

  /** Flushes and closes. Twice is harmless. */
  @Override
  void close();
}
