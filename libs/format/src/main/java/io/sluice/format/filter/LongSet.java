package io.sluice.format.filter;

import io.sluice.format.filter.Intervals.Interval;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;

/** {@link Intervals} of values that are stored in up to 64 bits, as loops over their buffers. */
final class LongSet {
  private static final BigInteger MIN = BigInteger.valueOf(Long.MIN_VALUE);
  private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);

  private final long[] lows;
  private final long[] highs;
  private final long firstLow;
  private final long firstHigh;

  LongSet(Intervals<BigInteger> intervals) {
    long[] low = new long[intervals.list().size()];
    long[] high = new long[low.length];
    int count = 0;
    for (Interval<BigInteger> interval : intervals.list()) {
      BigInteger start = interval.start() == null ? MIN : interval.start().max(MIN);
      BigInteger last =
          interval.end() == null ? MAX : interval.end().subtract(BigInteger.ONE).min(MAX);
      if (start.compareTo(last) <= 0) {
        low[count] = start.longValueExact();
        high[count++] = last.longValueExact();
      }
    }
    lows = Arrays.copyOf(low, count);
    highs = Arrays.copyOf(high, count);
    firstLow = count == 0 ? 1 : lows[0];
    firstHigh = count == 0 ? 0 : highs[0];
  }

  private boolean contains(long value) {
    if (value <= firstHigh) {
      return value >= firstLow;
    }
    return lows.length > 1 && containsLater(value);
  }

  private boolean containsLater(long value) {
    int low = 1;
    int high = lows.length - 1;
    while (low <= high) {
      int middle = low + high >>> 1;
      if (value < lows[middle]) {
        high = middle - 1;
      } else if (value > highs[middle]) {
        low = middle + 1;
      } else {
        return true;
      }
    }
    return false;
  }

  /** Sets the bits of the rows whose value is in the set, whatever their validity. */
  void select(FieldVector vector, int rows, long[] words) {
    if (vector instanceof BitVector) {
      selectBits(SelectionBits.bytes(vector.getDataBuffer(), rows + 7 >> 3), rows, words);
      return;
    }
    int width = ((BaseFixedWidthVector) vector).getTypeWidth();
    ByteBuffer data = SelectionBits.bytes(vector.getDataBuffer(), (long) rows * width);
    if (vector instanceof Float4Vector) {
      selectFloats(data, rows, words);
    } else if (vector instanceof Float8Vector) {
      selectDoubles(data, rows, words);
    } else {
      switch (width) {
        case 1 -> selectBytes(data, rows, words);
        case 2 -> selectShorts(data, rows, words);
        case 4 -> selectInts(data, rows, words);
        default -> selectLongs(data, rows, words);
      }
    }
  }

  private void selectBits(ByteBuffer data, int rows, long[] words) {
    boolean zero = contains(0);
    boolean one = contains(1);
    for (int word = 0; word < SelectionBits.words(rows); word++) {
      long bits = SelectionBits.word(data, word);
      words[word] = (one ? bits : 0) | (zero ? ~bits : 0);
    }
    SelectionBits.trim(rows, words);
  }

  private void selectBytes(ByteBuffer data, int rows, long[] words) {
    for (int from = 0; from < rows; from += 64) {
      long bits = 0;
      for (int i = Math.min(rows, from + 64) - 1; i >= from; i--) {
        bits = bits << 1 | (contains(data.get(i)) ? 1 : 0);
      }
      words[from >> 6] = bits;
    }
  }

  private void selectShorts(ByteBuffer data, int rows, long[] words) {
    for (int from = 0; from < rows; from += 64) {
      long bits = 0;
      for (int i = Math.min(rows, from + 64) - 1; i >= from; i--) {
        bits = bits << 1 | (contains(data.getShort(2 * i)) ? 1 : 0);
      }
      words[from >> 6] = bits;
    }
  }

  private void selectInts(ByteBuffer data, int rows, long[] words) {
    for (int from = 0; from < rows; from += 64) {
      long bits = 0;
      for (int i = Math.min(rows, from + 64) - 1; i >= from; i--) {
        bits = bits << 1 | (contains(data.getInt(4 * i)) ? 1 : 0);
      }
      words[from >> 6] = bits;
    }
  }

  private void selectLongs(ByteBuffer data, int rows, long[] words) {
    for (int from = 0; from < rows; from += 64) {
      long bits = 0;
      for (int i = Math.min(rows, from + 64) - 1; i >= from; i--) {
        bits = bits << 1 | (contains(data.getLong(8 * i)) ? 1 : 0);
      }
      words[from >> 6] = bits;
    }
  }

  private void selectFloats(ByteBuffer data, int rows, long[] words) {
    for (int from = 0; from < rows; from += 64) {
      long bits = 0;
      for (int i = Math.min(rows, from + 64) - 1; i >= from; i--) {
        bits = bits << 1 | (contains(FloatingOrder.key(data.getFloat(4 * i))) ? 1 : 0);
      }
      words[from >> 6] = bits;
    }
  }

  private void selectDoubles(ByteBuffer data, int rows, long[] words) {
    for (int from = 0; from < rows; from += 64) {
      long bits = 0;
      for (int i = Math.min(rows, from + 64) - 1; i >= from; i--) {
        bits = bits << 1 | (contains(FloatingOrder.key(data.getDouble(8 * i))) ? 1 : 0);
      }
      words[from >> 6] = bits;
    }
  }
}
