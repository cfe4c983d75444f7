package io.sluice.format.schema;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType.BytesType;
import io.sluice.format.schema.DataType.CharType;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.FieldVector;

/** Casts text of any form to CHAR and STRING, binary of any form to BYTES. */
final class VariableCast extends SafeCast {
  private final boolean text;
  private final int limit;

  VariableCast(CastContext context) {
    super(context);
    DataType type = context.column().type();
    this.text = !(type instanceof BytesType);
    this.limit = type instanceof CharType limited ? limited.length() : Integer.MAX_VALUE;
  }

  @Override
  void copyValues(FieldVector source, FieldVector target, int rows, long firstRow) {
    BaseVariableWidthVector to = (BaseVariableWidthVector) target;
    VariableSource from = VariableSource.of(context, source);
    to.allocateNew(totalLength(from, source, rows, firstRow), rows);
    copyValidity(source, target, rows);
    ArrowBuf offsets = to.getOffsetBuffer();
    ArrowBuf data = to.getDataBuffer();
    int end = 0;
    offsets.setInt(0, 0);
    for (int row = 0; row < rows; row++) {
      if (!source.isNull(row)) {
        int length = from.locate(row, firstRow);
        from.copy(data, end);
        if (text) {
          checkText(data, end, length, firstRow + row);
        }
        end += length;
      }
      offsets.setInt(4L * row + 4, end);
    }
    to.setLastSet(rows - 1);
    to.setValueCount(rows);
  }

  private long totalLength(VariableSource from, FieldVector source, int rows, long firstRow) {
    long total = 0;
    for (int row = 0; row < rows; row++) {
      total += source.isNull(row) ? 0 : from.locate(row, firstRow);
    }
    if (total > Integer.MAX_VALUE) {
      throw new SluiceException(
          ErrorCode.BATCH_TOO_LARGE,
          "Column '"
              + context.column().name()
              + "' holds "
              + total
              + " bytes in one batch; the limit is "
              + Integer.MAX_VALUE
              + ", send smaller batches");
    }
    return total;
  }

  private void checkText(ArrowBuf data, long start, int length, long row) {
    int characters = Utf8.characters(data, start, length);
    if (characters < 0) {
      throw context.refused(
          row, "a value of " + length + " bytes", "it is not UTF-8; encode it or use BYTES");
    }
    if (characters > limit) {
      throw context.refused(
          row,
          "a value of " + characters + " characters",
          "it takes at most " + limit + "; shorten it or use STRING");
    }
  }
}
