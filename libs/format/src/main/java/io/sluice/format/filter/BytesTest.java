package io.sluice.format.filter;

import io.sluice.format.batch.BatchStatistics;
import io.sluice.format.batch.StatisticsKind;
import io.sluice.format.schema.DataType;
import org.apache.arrow.vector.FieldVector;
import org.jspecify.annotations.Nullable;

/**
 * The text or bytes are in a set.
 *
 * @param field what is tested
 * @param values the set
 * @param set the same, as a loop
 */
record BytesTest(ColumnField field, Intervals<ByteText> values, BytesSet set)
    implements ColumnTest {
  BytesTest(ColumnField field, Intervals<ByteText> values) {
    this(field, values, new BytesSet(values));
  }

  @Override
  public void select(FieldVector column, int rows, long[] words) {
    set.select(field.vector(column), rows, words);
    field.keepPresent(column, rows, words);
  }

  @Override
  public boolean mayMatch(BatchStatistics entry, int rows, DataType stored) {
    return mayOverlap(values, entry, rows);
  }

  /** Bounds that were cut still enclose the values: the lower is a prefix, the upper rounded up. */
  static boolean mayOverlap(Intervals<ByteText> values, BatchStatistics entry, int rows) {
    if (entry.nullCount() >= rows) {
      return false;
    }
    return entry.kind() != StatisticsKind.BYTES
        || values.overlaps(
            entry.hasMin() ? ByteText.of(entry.minBytes()) : null,
            entry.hasMax() ? ByteText.of(entry.maxBytes()) : null);
  }

  @Override
  public boolean isTrueFor(@Nullable String canonical) {
    if (canonical == null) {
      return false;
    }
    Literal literal = LiteralCast.canonical(field.type(), canonical);
    Point<ByteText> point = literal == null ? null : LiteralCast.bytes(field.type(), literal);
    return point == null || values.contains(point.floor());
  }
}
