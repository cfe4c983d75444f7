package io.sluice.format.filter;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * Floating point values as integers of the same order: NaN is one value above all others, -0.0 and
 * 0.0 are one value.
 */
final class FloatingOrder {
  /** Key of NaN. */
  static final long NAN = key(Double.NaN);

  private FloatingOrder() {}

  static long key(double value) {
    long bits = Double.doubleToLongBits(value == 0 ? 0.0 : value);
    return bits ^ (bits >> 63 & Long.MAX_VALUE);
  }

  /**
   * A literal is rounded to the nearest value of the column, as writing it there would; one beyond
   * the largest lies between that and infinity.
   */
  static Point<BigInteger> point(BigDecimal literal, boolean single) {
    double nearest = single ? literal.floatValue() : literal.doubleValue();
    if (!Double.isInfinite(nearest)) {
      return exact(nearest);
    }
    double floor =
        literal.signum() < 0
            ? Double.NEGATIVE_INFINITY
            : single ? Float.MAX_VALUE : Double.MAX_VALUE;
    BigInteger key = BigInteger.valueOf(key(floor));
    return new Point<>(key, key.add(BigInteger.ONE), false);
  }

  static Point<BigInteger> exact(double value) {
    BigInteger key = BigInteger.valueOf(key(value));
    return new Point<>(key, key.add(BigInteger.ONE), true);
  }
}
