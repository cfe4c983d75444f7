package io.sluice.cli.measure;

import java.util.Arrays;

/** Exact percentiles of a set of samples. Immutable. */
public final class Percentiles {
  /** Keeps a product such as 99.9 * 1000 / 100 from being rounded up to the next rank. */
  private static final double ROUNDING = 1e-6;

  private final long[] sorted;

  private Percentiles(long[] sorted) {
    this.sorted = sorted;
  }

  /** Of the given samples, at least one; the array is copied. */
  public static Percentiles of(long[] samples) {
    if (samples.length == 0) {
      throw new IllegalArgumentException("Percentiles of no samples");
    }
    long[] sorted = samples.clone();
    Arrays.sort(sorted);
    return new Percentiles(sorted);
  }

  /**
   * The smallest sample that at least {@code percent} of all samples do not exceed (nearest rank);
   * {@code percent} lies in 0 to 100.
   */
  public long at(double percent) {
    if (!(percent >= 0 && percent <= 100)) {
      throw new IllegalArgumentException("Percentile " + percent + " is not between 0 and 100");
    }
    int rank = (int) Math.ceil(percent * sorted.length / 100 - ROUNDING);
    return sorted[Math.max(0, rank - 1)];
  }

  /** The smallest sample. */
  public long least() {
    return sorted[0];
  }

  /** The largest sample. */
  public long most() {
    return sorted[sorted.length - 1];
  }

  /** Number of samples. */
  public int count() {
    return sorted.length;
  }
}
