package io.sluice.format.filter;

import java.nio.ByteBuffer;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.FieldVector;

/** Runs over the values of a column of text or bytes where they lie. */
final class BytesColumn {
  /** Whether a value, between two indices of the data, is wanted. */
  interface ValueTest {
    boolean test(ByteBuffer data, int from, int end);
  }

  private BytesColumn() {}

  /** Sets the bits of the rows whose value is wanted, whatever their validity. */
  static void select(FieldVector vector, int rows, long[] words, ValueTest test) {
    if (vector instanceof BaseFixedWidthVector fixed) {
      int width = fixed.getTypeWidth();
      selectFixed(
          SelectionBits.bytes(vector.getDataBuffer(), (long) rows * width),
          width,
          rows,
          words,
          test);
    } else if (rows > 0) {
      ByteBuffer offsets =
          SelectionBits.bytes(
              ((BaseVariableWidthVector) vector).getOffsetBuffer(), 4L * (rows + 1));
      ByteBuffer data = SelectionBits.bytes(vector.getDataBuffer(), offsets.getInt(4 * rows));
      selectVariable(data, offsets, rows, words, test);
    }
  }

  private static void selectFixed(
      ByteBuffer data, int width, int rows, long[] words, ValueTest test) {
    for (int from = 0; from < rows; from += 64) {
      long bits = 0;
      for (int i = Math.min(rows, from + 64) - 1; i >= from; i--) {
        bits = bits << 1 | (test.test(data, width * i, width * (i + 1)) ? 1 : 0);
      }
      words[from >> 6] = bits;
    }
  }

  private static void selectVariable(
      ByteBuffer data, ByteBuffer offsets, int rows, long[] words, ValueTest test) {
    for (int from = 0; from < rows; from += 64) {
      long bits = 0;
      int last = Math.min(rows, from + 64);
      int end = offsets.getInt(4 * last);
      for (int i = last - 1; i >= from; i--) {
        int start = offsets.getInt(4 * i);
        bits = bits << 1 | (test.test(data, start, end) ? 1 : 0);
        end = start;
      }
      words[from >> 6] = bits;
    }
  }
}
