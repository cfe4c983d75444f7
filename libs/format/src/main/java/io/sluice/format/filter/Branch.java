package io.sluice.format.filter;

import java.util.List;

/** A bound condition; NOT has gone into the tests, so that it is enough to know what is true. */
sealed interface Branch {

  /** True when all are. */
  record All(List<Branch> terms) implements Branch {}

  /** True when one is. */
  record Any(List<Branch> terms) implements Branch {}

  /** The test of that number. */
  record Leaf(int test) implements Branch {}

  /** Always or never true. */
  record Fixed(boolean value) implements Branch {}

  /** All of them, made simple. */
  static Branch all(List<Branch> terms) {
    if (terms.contains(new Fixed(false))) {
      return new Fixed(false);
    }
    List<Branch> left = terms.stream().filter(term -> !term.equals(new Fixed(true))).toList();
    return left.isEmpty() ? new Fixed(true) : left.size() == 1 ? left.get(0) : new All(left);
  }

  /** Any of them, made simple. */
  static Branch any(List<Branch> terms) {
    if (terms.contains(new Fixed(true))) {
      return new Fixed(true);
    }
    List<Branch> left = terms.stream().filter(term -> !term.equals(new Fixed(false))).toList();
    return left.isEmpty() ? new Fixed(false) : left.size() == 1 ? left.get(0) : new Any(left);
  }

  /** Whether it is true when so is every test whose bit is set; tests are independent. */
  default boolean holds(boolean[] tests) {
    if (this instanceof Fixed fixed) {
      return fixed.value();
    }
    if (this instanceof Leaf leaf) {
      return tests[leaf.test()];
    }
    if (this instanceof All all) {
      for (Branch term : all.terms()) {
        if (!term.holds(tests)) {
          return false;
        }
      }
      return true;
    }
    for (Branch term : ((Any) this).terms()) {
      if (term.holds(tests)) {
        return true;
      }
    }
    return false;
  }
}
