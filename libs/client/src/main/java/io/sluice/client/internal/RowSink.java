package io.sluice.client.internal;

/** Where the rows of a {@link BatchRowAppender} go. */
interface RowSink {
  Accumulator accumulator();

  RowRouting routing();

  /**
   * Completes a row that was written into an open batch. The accumulator's lock is held.
   *
   * @return whether the delivery loop is to be woken, once the lock is given back
   */
  boolean rowWritten(RowBatch batch, boolean largeValue);

  /** Wakes the delivery loop. */
  void wake();
}
