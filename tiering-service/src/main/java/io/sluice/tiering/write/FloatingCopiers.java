package io.sluice.tiering.write;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;
import org.apache.iceberg.DoubleFieldMetrics;
import org.apache.iceberg.FieldMetrics;
import org.apache.iceberg.FloatFieldMetrics;
import org.apache.parquet.column.ColumnWriter;

/**
 * Copiers of floating point numbers. They keep bounds and a NaN count of their own: Parquet's
 * statistics take NaN for the largest value, which Iceberg's bounds must not contain.
 */
final class FloatingCopiers {
  private FloatingCopiers() {}

  static final class Floats extends ColumnCopier {
    private final FloatFieldMetrics.Builder metrics;

    Floats(boolean nullable, int fieldId) {
      super(nullable);
      this.metrics = new FloatFieldMetrics.Builder(fieldId);
    }

    @Override
    void values(FieldVector vector, int from, int to, ColumnWriter out) {
      ArrowBuf data = vector.getDataBuffer();
      for (int row = from; row < to; row++) {
        float value = data.getFloat((long) row << 2);
        out.write(value, 0, present);
        metrics.addValue(value);
      }
    }

    @Override
    FieldMetrics<?> metrics() {
      return metrics.build();
    }
  }

  static final class Doubles extends ColumnCopier {
    private final DoubleFieldMetrics.Builder metrics;

    Doubles(boolean nullable, int fieldId) {
      super(nullable);
      this.metrics = new DoubleFieldMetrics.Builder(fieldId);
    }

    @Override
    void values(FieldVector vector, int from, int to, ColumnWriter out) {
      ArrowBuf data = vector.getDataBuffer();
      for (int row = from; row < to; row++) {
        double value = data.getDouble((long) row << 3);
        out.write(value, 0, present);
        metrics.addValue(value);
      }
    }

    @Override
    FieldMetrics<?> metrics() {
      return metrics.build();
    }
  }
}
