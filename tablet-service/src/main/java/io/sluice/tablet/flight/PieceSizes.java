package io.sluice.tablet.flight;

import io.sluice.format.filter.Selection;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/** How many rows of a decoded batch fit a message: at least one, however large it is. */
final class PieceSizes {
  private PieceSizes() {}

  /** The row after the last of {@code [from, to)} that fits, counted from its first row on. */
  static int end(VectorSchemaRoot all, int from, int to, int maxBytes) {
    long start = bytes(all, from);
    if (bytes(all, to) - start <= maxBytes) {
      return to;
    }
    int fits = from + 1;
    int tooFar = to;
    while (tooFar - fits > 1) {
      int middle = (fits + tooFar) >>> 1;
      if (bytes(all, middle) - start <= maxBytes) {
        fits = middle;
      } else {
        tooFar = middle;
      }
    }
    return fits;
  }

  /**
   * The row after the last chosen one of {@code [first, to)} that fits together with those before.
   *
   * @param first a chosen row
   * @param to the row after the last chosen one that is wanted
   */
  static int chosenEnd(VectorSchemaRoot all, Selection chosen, int first, int to, int maxBytes) {
    if (bytes(all, to) - bytes(all, first) <= maxBytes) {
      return to;
    }
    long bytes = 0;
    int end = first;
    for (int row = first; row < to; row = chosen.next(row + 1)) {
      bytes += bytes(all, row + 1) - bytes(all, row);
      if (bytes > maxBytes && row > first) {
        return end;
      }
      end = row + 1;
    }
    return end;
  }

  /** What the first rows take, without padding. */
  private static long bytes(VectorSchemaRoot all, int rows) {
    long bytes = 0;
    for (FieldVector vector : all.getFieldVectors()) {
      bytes += vector.getBufferSizeFor(rows);
    }
    return bytes;
  }
}
