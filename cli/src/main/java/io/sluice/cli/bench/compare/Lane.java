package io.sluice.cli.bench.compare;

import java.util.Map;

/**
 * One product with one way of using it.
 *
 * @param product short name of the product
 * @param settings what is set, for people
 * @param words what its client process is told besides the words of the contest
 */
record Lane(String product, String settings, Map<String, String> words) {
  static final String SLUICE = "sluice";

  Lane {
    words = Map.copyOf(words);
  }

  static Lane of(String product, String settings) {
    return new Lane(product, settings, Map.of());
  }

  boolean isSluice() {
    return product.equals(SLUICE);
  }
}
