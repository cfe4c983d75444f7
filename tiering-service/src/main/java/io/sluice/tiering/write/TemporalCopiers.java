package io.sluice.tiering.write;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;
import org.apache.parquet.column.ColumnWriter;

/** Copiers of times and timestamps, which the lake keeps in microseconds. */
final class TemporalCopiers {
  private TemporalCopiers() {}

  /** Timestamps in seconds or milliseconds. */
  static final class Timestamps extends ColumnCopier {
    private final long factor;
    private final long largest;

    /**
     * @param factor microseconds in the unit of the vector
     */
    Timestamps(boolean nullable, long factor) {
      super(nullable);
      this.factor = factor;
      this.largest = Long.MAX_VALUE / factor;
    }

    @Override
    void values(FieldVector vector, int from, int to, ColumnWriter out) {
      ArrowBuf data = vector.getDataBuffer();
      for (int row = from; row < to; row++) {
        long value = data.getLong((long) row << 3);
        if (value > largest || value < -largest) {
          throw new ValueOutOfRangeException(
              row, value * 1.0e-6 * factor + " s since 1970", "the lake keeps 64 bits of µs");
        }
        out.write(value * factor, 0, present);
      }
    }
  }

  /** Times of day in seconds or milliseconds, 32 bits each. */
  static final class SmallTimes extends ColumnCopier {
    private final long factor;
    private final long end;

    SmallTimes(boolean nullable, long factor, long end) {
      super(nullable);
      this.factor = factor;
      this.end = end;
    }

    @Override
    void values(FieldVector vector, int from, int to, ColumnWriter out) {
      ArrowBuf data = vector.getDataBuffer();
      for (int row = from; row < to; row++) {
        out.write(checkedTime(row, data.getInt((long) row << 2) * factor, end), 0, present);
      }
    }
  }

  /** Times of day in microseconds. */
  static final class Times extends ColumnCopier {
    private final long end;

    Times(boolean nullable, long end) {
      super(nullable);
      this.end = end;
    }

    @Override
    void values(FieldVector vector, int from, int to, ColumnWriter out) {
      ArrowBuf data = vector.getDataBuffer();
      for (int row = from; row < to; row++) {
        out.write(checkedTime(row, data.getLong((long) row << 3), end), 0, present);
      }
    }
  }

  private static long checkedTime(int row, long micros, long end) {
    if (micros < 0 || micros >= end) {
      throw new ValueOutOfRangeException(row, micros + " µs", "a time of day is below 24 hours");
    }
    return micros;
  }
}
