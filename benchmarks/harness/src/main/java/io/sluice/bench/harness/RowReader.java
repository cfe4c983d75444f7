package io.sluice.bench.harness;

import java.time.Duration;

/** Reads a table. Used by one thread. */
public interface RowReader extends AutoCloseable {
  /**
   * Waits for rows, at most so long, and shows every value of them to the sum.
   *
   * @return how many rows came
   */
  int poll(Duration timeout, ReadSum sum) throws Exception;

  @Override
  void close() throws Exception;
}
