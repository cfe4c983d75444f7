package io.sluice.format.filter;

import io.sluice.format.batch.BatchStatistics;
import io.sluice.format.schema.DataType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.arrow.vector.FieldVector;
import org.jspecify.annotations.Nullable;

/**
 * The text has, or has not, the form of a pattern that is no plain prefix.
 *
 * @param field what is tested
 * @param pattern the pattern
 * @param wanted whether it must match
 */
record LikeTest(ColumnField field, LikePattern pattern, boolean wanted) implements ColumnTest {
  @Override
  public void select(FieldVector column, int rows, long[] words) {
    BytesColumn.select(
        field.vector(column),
        rows,
        words,
        (data, from, end) -> pattern.matches(data, from, end) == wanted);
    field.keepPresent(column, rows, words);
  }

  @Override
  public boolean mayMatch(BatchStatistics entry, int rows, DataType stored) {
    if (!wanted) {
      return entry.nullCount() < rows;
    }
    return BytesTest.mayOverlap(LikePattern.startingWith(pattern.prefix()), entry, rows);
  }

  @Override
  public boolean isTrueFor(@Nullable String canonical) {
    if (canonical == null) {
      return false;
    }
    byte[] text = canonical.getBytes(StandardCharsets.UTF_8);
    return pattern.matches(ByteBuffer.wrap(text), 0, text.length) == wanted;
  }
}
