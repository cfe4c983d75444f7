package io.sluice.format.filter;

import io.sluice.format.filter.Intervals.Interval;
import java.nio.ByteBuffer;
import org.apache.arrow.vector.FieldVector;

/** {@link Intervals} of bytes, as a loop over the values of a column. */
final class BytesSet {
  private final byte[][] starts;
  private final byte[][] ends;
  private final boolean endless;

  BytesSet(Intervals<ByteText> intervals) {
    int count = intervals.list().size();
    starts = new byte[count][];
    ends = new byte[count][];
    boolean open = false;
    for (int i = 0; i < count; i++) {
      Interval<ByteText> interval = intervals.list().get(i);
      starts[i] = interval.start() == null ? new byte[0] : interval.start().bytes();
      open = interval.end() == null;
      ends[i] = interval.end() == null ? new byte[0] : interval.end().bytes();
    }
    endless = open;
  }

  /** Sets the bits of the rows whose value is in the set, whatever their validity. */
  void select(FieldVector vector, int rows, long[] words) {
    BytesColumn.select(vector, rows, words, this::contains);
  }

  private boolean contains(ByteBuffer data, int from, int end) {
    int low = 0;
    int high = starts.length - 1;
    while (low <= high) {
      int middle = low + high >>> 1;
      if (compare(data, from, end, starts[middle]) < 0) {
        high = middle - 1;
      } else if (!isEndless(middle) && compare(data, from, end, ends[middle]) >= 0) {
        low = middle + 1;
      } else {
        return true;
      }
    }
    return false;
  }

  private boolean isEndless(int interval) {
    return endless && interval == starts.length - 1;
  }

  private static int compare(ByteBuffer data, int from, int end, byte[] other) {
    int common = Math.min(end - from, other.length);
    for (int i = 0; i < common; i++) {
      int difference = (data.get(from + i) & 0xFF) - (other[i] & 0xFF);
      if (difference != 0) {
        return difference;
      }
    }
    return end - from - other.length;
  }
}
