package io.sluice.tiering.write;

import org.apache.arrow.vector.FieldVector;
import org.apache.iceberg.FieldMetrics;
import org.apache.parquet.column.ColumnWriter;
import org.jspecify.annotations.Nullable;

/**
 * Copies values of one column from Arrow vectors into Parquet's column writer, in the lake's
 * physical type. One copier belongs to one column of one file. For one thread.
 */
abstract class ColumnCopier {
  /** Definition level of a value that is there: 1 in a nullable column, else 0. */
  final int present;

  ColumnCopier(boolean nullable) {
    this.present = nullable ? 1 : 0;
  }

  /**
   * Writes the rows [from, to) of the vector.
   *
   * @throws ValueOutOfRangeException for a value that the lake's type does not have
   */
  final void copy(FieldVector vector, int from, int to, ColumnWriter out) {
    if (vector.getNullCount() == 0) {
      values(vector, from, to, out);
      return;
    }
    int row = from;
    while (row < to) {
      int run = row;
      if (vector.isNull(row)) {
        while (run < to && vector.isNull(run)) {
          run++;
        }
        nulls(row, run, out);
      } else {
        while (run < to && !vector.isNull(run)) {
          run++;
        }
        values(vector, row, run, out);
      }
      row = run;
    }
  }

  private void nulls(int from, int to, ColumnWriter out) {
    if (present == 0) {
      throw new ValueOutOfRangeException(from, "NULL", "the column is NOT NULL");
    }
    for (int row = from; row < to; row++) {
      out.writeNull(0, 0);
    }
  }

  /** Writes the rows [from, to), none of which is NULL. */
  abstract void values(FieldVector vector, int from, int to, ColumnWriter out);

  /** Statistics of all values so far that Parquet's own cannot give, null when there are none. */
  @Nullable FieldMetrics<?> metrics() {
    return null;
  }
}
