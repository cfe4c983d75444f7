package io.sluice.format.schema;

import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;

/** Casts binary of any form to BINARY(n), when every value has n bytes. */
final class FixedBinaryCast extends SafeCast {
  private final int width;

  FixedBinaryCast(CastContext context, int width) {
    super(context);
    this.width = width;
  }

  @Override
  void copyValues(FieldVector source, FieldVector target, int rows, long firstRow) {
    FixedSizeBinaryVector to = (FixedSizeBinaryVector) target;
    to.allocateNew(rows);
    to.zeroVector();
    VariableSource from = VariableSource.of(context, source);
    for (int row = 0; row < rows; row++) {
      if (source.isNull(row)) {
        continue;
      }
      int length = from.locate(row, firstRow);
      if (length != width) {
        throw context.refused(
            firstRow + row,
            "a value of " + length + " bytes",
            "it takes exactly " + width + "; pad or cut it before the upload, or use BYTES");
      }
      from.copy(to.getDataBuffer(), (long) row * width);
    }
    copyValidity(source, target, rows);
    target.setValueCount(rows);
  }
}
