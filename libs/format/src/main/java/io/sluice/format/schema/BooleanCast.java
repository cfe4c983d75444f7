package io.sluice.format.schema;

import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.FieldVector;

/** Copies booleans. */
final class BooleanCast extends SafeCast {
  BooleanCast(CastContext context) {
    super(context);
  }

  @Override
  void copyValues(FieldVector source, FieldVector target, int rows, long firstRow) {
    ((BitVector) target).allocateNew(rows);
    ((BitVector) target).zeroVector();
    copyValidity(source, target, rows);
    for (int row = 0; row < rows; row++) {
      if (!source.isNull(row) && BitVectorHelper.get(source.getDataBuffer(), row) != 0) {
        BitVectorHelper.setBit(target.getDataBuffer(), row);
      }
    }
    target.setValueCount(rows);
  }
}
