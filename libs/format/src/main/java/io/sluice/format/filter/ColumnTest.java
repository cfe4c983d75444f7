package io.sluice.format.filter;

import io.sluice.format.batch.BatchStatistics;
import io.sluice.format.schema.DataType;
import org.apache.arrow.vector.FieldVector;
import org.jspecify.annotations.Nullable;

/** A test of one column. It is true or not; where SQL says unknown, it is not true. */
interface ColumnTest {
  /** What is tested. */
  ColumnField field();

  /**
   * Sets the bits of the rows for which the test is true and clears those of the others.
   *
   * @param column the column, not the field in it
   */
  void select(FieldVector column, int rows, long[] words);

  /**
   * Whether the test may be true for a row of a batch.
   *
   * @param entry shows what is known of the column; the column is not nested
   * @param rows rows of the batch
   * @param stored type under which the batch was stored
   */
  boolean mayMatch(BatchStatistics entry, int rows, DataType stored);

  /** Whether the test is true for a value given as its canonical text, null for NULL. */
  boolean isTrueFor(@Nullable String canonical);
}
