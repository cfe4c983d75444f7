package io.sluice.cli.measure;

import java.util.Arrays;
import java.util.List;

/**
 * The median of repetitions with the smallest and the largest of them.
 *
 * @param median middle value; of an even number, the mean of the two in the middle
 * @param least smallest value
 * @param most largest value
 * @param count how many values
 */
public record Spread(double median, double least, double most, int count) {

  /** Of at least one value. */
  public static Spread of(List<Double> values) {
    if (values.isEmpty()) {
      throw new IllegalArgumentException("Median of no values");
    }
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Spread(median, sorted[0], sorted[sorted.length - 1], sorted.length);
  }

  /** The larger distance of an extreme from the median, as a part of the median; 0 of nothing. */
  public double deviation() {
    return median == 0 ? 0 : Math.max(most - median, median - least) / Math.abs(median);
  }
}
