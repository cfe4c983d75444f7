package io.sluice.bench.harness;

import java.util.concurrent.CompletableFuture;

/** Looks rows up by key. Used by one thread; many lookups may be under way. */
public interface KeyedReader extends AutoCloseable {
  /**
   * Looks up the row with this number, or in a table of groups all rows of the group with it, and
   * reads every value, texts as a {@link String}.
   *
   * @return their sum as of {@link ReadSum}, 0 when there is no row
   */
  CompletableFuture<Long> sum(long number) throws Exception;

  /**
   * Looks up one row by its whole key.
   *
   * @return its values by column, Integer, Long, String or byte[]; empty when there is no row
   */
  CompletableFuture<Object[]> row(long number) throws Exception;

  @Override
  void close() throws Exception;
}
