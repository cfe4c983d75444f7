package io.sluice.format.schema;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.util.Float16;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;

/** Casts half, single and double floats to FLOAT and DOUBLE; NaN stays NaN. */
final class FloatCast extends SafeCast {
  private final FloatingPointPrecision from;
  private final boolean toDouble;

  FloatCast(CastContext context) {
    super(context);
    this.from = ((ArrowType.FloatingPoint) context.source().getType()).getPrecision();
    this.toDouble = context.column().type() instanceof DataType.DoubleType;
  }

  @Override
  void copyValues(FieldVector source, FieldVector target, int rows, long firstRow) {
    ((BaseFixedWidthVector) target).allocateNew(rows);
    copyValidity(source, target, rows);
    ArrowBuf data = source.getDataBuffer();
    ArrowBuf to = target.getDataBuffer();
    for (int row = 0; row < rows; row++) {
      double value = source.isNull(row) ? 0 : read(data, row);
      if (toDouble) {
        to.setDouble(8L * row, value);
      } else {
        to.setFloat(4L * row, single(value, firstRow + row));
      }
    }
    target.setValueCount(rows);
  }

  private float single(double value, long row) {
    float single = (float) value;
    if (single != value && !Double.isNaN(value)) {
      throw context.refused(
          row, value, "it has more digits than FLOAT keeps; cast it to float32 before the upload");
    }
    return single;
  }

  private double read(ArrowBuf data, int row) {
    return switch (from) {
      case HALF -> Float16.toFloat(data.getShort(2L * row));
      case SINGLE -> data.getFloat(4L * row);
      case DOUBLE -> data.getDouble(8L * row);
    };
  }
}
