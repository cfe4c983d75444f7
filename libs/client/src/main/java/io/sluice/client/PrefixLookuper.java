package io.sluice.client;

import io.sluice.format.row.Row;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Finds all rows of a primary-key table that share the beginning of their key: the partition
 * columns and the bucket key. What was acknowledged to an {@link UpsertWriter} before is seen; the
 * rows of one prefix are those of one moment, in the order of their keys. A prefix without rows, or
 * in a partition that does not exist, has an empty list.
 *
 * <p>Thread-safe, retried and bounded as {@link Lookuper}; what depends on a future must not block.
 */
public interface PrefixLookuper extends AutoCloseable {
  /**
   * All rows of that prefix with the columns of this lookuper.
   *
   * @param prefix the values of the partition columns in their order, then of the bucket key
   * @throws io.sluice.common.SluiceException INVALID_VALUE when the prefix does not fit; the future
   *     fails with QUERY_LIMIT_EXCEEDED when the rows of the prefix are more than one answer holds
   */
  CompletableFuture<List<Row>> lookup(Key prefix);

  /**
   * The first rows of that prefix, in the order of their keys.
   *
   * @param limit at most so many rows, from 1
   */
  CompletableFuture<List<Row>> lookup(Key prefix, int limit);

  /** As {@link #lookup(Key)}, waiting for the answer. */
  List<Row> find(Key prefix);

  /** As {@link #lookup(Key, int)}, waiting for the answer. */
  List<Row> find(Key prefix, int limit);

  /** Ends lookups that are under way with CANCELLED. Twice is harmless. */
  @Override
  void close();
}
