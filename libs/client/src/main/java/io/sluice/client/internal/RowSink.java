package io.sluice.client.internal;

/** Where the rows of a {@link BatchRowAppender} go. */
interface RowSink {
  Accumulator accumulator();

  RowRouting routing();

  /** Completes a row that was written into an open batch. The accumulator's lock is held. */
  void rowWritten(RowBatch batch, boolean largeValue);
}
