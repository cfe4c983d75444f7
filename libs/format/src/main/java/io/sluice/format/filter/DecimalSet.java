package io.sluice.format.filter;

import io.sluice.format.filter.Intervals.Interval;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.arrow.vector.FieldVector;

/**
 * {@link Intervals} of 128-bit values, as a loop over their buffer. A value is a signed head and an
 * unsigned tail of 64 bits each.
 */
final class DecimalSet {
  private static final BigInteger MIN = BigInteger.ONE.shiftLeft(127).negate();
  private static final BigInteger MAX = BigInteger.ONE.shiftLeft(127).subtract(BigInteger.ONE);
  private static final int BYTES = 16;

  private final long[] lowHeads;
  private final long[] lowTails;
  private final long[] highHeads;
  private final long[] highTails;

  DecimalSet(Intervals<BigInteger> intervals) {
    int size = intervals.list().size();
    long[][] found = new long[4][size];
    int count = 0;
    for (Interval<BigInteger> interval : intervals.list()) {
      BigInteger low = interval.start() == null ? MIN : interval.start().max(MIN);
      BigInteger high =
          interval.end() == null ? MAX : interval.end().subtract(BigInteger.ONE).min(MAX);
      if (low.compareTo(high) <= 0) {
        found[0][count] = low.shiftRight(64).longValueExact();
        found[1][count] = low.longValue();
        found[2][count] = high.shiftRight(64).longValueExact();
        found[3][count++] = high.longValue();
      }
    }
    lowHeads = Arrays.copyOf(found[0], count);
    lowTails = Arrays.copyOf(found[1], count);
    highHeads = Arrays.copyOf(found[2], count);
    highTails = Arrays.copyOf(found[3], count);
  }

  private boolean contains(long head, long tail) {
    int low = 0;
    int high = lowHeads.length - 1;
    while (low <= high) {
      int middle = low + high >>> 1;
      if (compare(head, tail, lowHeads[middle], lowTails[middle]) < 0) {
        high = middle - 1;
      } else if (compare(head, tail, highHeads[middle], highTails[middle]) > 0) {
        low = middle + 1;
      } else {
        return true;
      }
    }
    return false;
  }

  private static int compare(long head, long tail, long otherHead, long otherTail) {
    return head != otherHead
        ? Long.compare(head, otherHead)
        : Long.compareUnsigned(tail, otherTail);
  }

  /** Sets the bits of the rows whose value is in the set, whatever their validity. */
  void select(FieldVector vector, int rows, long[] words) {
    ByteBuffer data = SelectionBits.bytes(vector.getDataBuffer(), (long) rows * BYTES);
    for (int from = 0; from < rows; from += 64) {
      long bits = 0;
      for (int i = Math.min(rows, from + 64) - 1; i >= from; i--) {
        boolean in = contains(data.getLong(BYTES * i + 8), data.getLong(BYTES * i));
        bits = bits << 1 | (in ? 1 : 0);
      }
      words[from >> 6] = bits;
    }
  }
}
