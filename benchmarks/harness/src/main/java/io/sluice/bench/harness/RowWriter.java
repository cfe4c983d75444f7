package io.sluice.bench.harness;

/** Writes rows of a {@link RowRing}. Used by one thread. */
public interface RowWriter extends AutoCloseable {
  /**
   * Hands the row with this number, or a batch of rows that begins with it, to the client.
   *
   * @return how many rows
   */
  int write(long number) throws Exception;

  /** Returns when everything written before is acknowledged; throws when something was not. */
  void flush() throws Exception;

  @Override
  void close() throws Exception;
}
