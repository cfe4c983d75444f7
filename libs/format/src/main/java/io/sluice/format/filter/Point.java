package io.sluice.format.filter;

import io.sluice.format.filter.Condition.Operator;

/**
 * Where a literal lies among the values of a column.
 *
 * @param floor the literal, or the largest value below it when the column cannot hold it
 * @param next the smallest value above {@code floor}
 * @param exact whether the column can hold the literal
 */
record Point<T extends Comparable<T>>(T floor, T next, boolean exact) {

  /** The values that compare so with the literal. */
  Intervals<T> intervals(Operator operator) {
    return switch (operator) {
      case EQUAL -> exact ? Intervals.of(floor, next) : Intervals.none();
      case LESS -> Intervals.of(null, exact ? floor : next);
      case LESS_OR_EQUAL -> Intervals.of(null, next);
      case GREATER -> Intervals.of(next, null);
      case GREATER_OR_EQUAL -> Intervals.of(exact ? floor : next, null);
    };
  }
}
