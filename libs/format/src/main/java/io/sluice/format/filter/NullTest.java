package io.sluice.format.filter;

import io.sluice.format.batch.BatchStatistics;
import io.sluice.format.schema.DataType;
import org.apache.arrow.vector.FieldVector;
import org.jspecify.annotations.Nullable;

/**
 * IS NULL or IS NOT NULL.
 *
 * @param field what is tested
 * @param wanted whether the value must be NULL
 */
record NullTest(ColumnField field, boolean wanted) implements ColumnTest {
  @Override
  public void select(FieldVector column, int rows, long[] words) {
    SelectionBits.fill(rows, words);
    field.keepPresent(column, rows, words);
    if (wanted) {
      for (int i = 0; i < SelectionBits.words(rows); i++) {
        words[i] = ~words[i];
      }
      SelectionBits.trim(rows, words);
    }
  }

  @Override
  public boolean mayMatch(BatchStatistics entry, int rows, DataType stored) {
    return wanted ? entry.nullCount() > 0 : entry.nullCount() < rows;
  }

  @Override
  public boolean isTrueFor(@Nullable String canonical) {
    return wanted == (canonical == null);
  }
}
