package io.sluice.format.filter;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A set of values of an ordered kind: intervals that ascend and do not touch, each from its start
 * up to, without, its end. Immutable.
 *
 * @param <T> what the order is over
 */
final class Intervals<T extends Comparable<T>> {

  /**
   * One interval.
   *
   * @param start first value in it, null when it has no beginning
   * @param end first value after it, null when it has no end
   */
  record Interval<T extends Comparable<T>>(@Nullable T start, @Nullable T end) {}

  private final List<Interval<T>> list;

  private Intervals(List<Interval<T>> list) {
    this.list = list;
  }

  static <T extends Comparable<T>> Intervals<T> none() {
    return new Intervals<>(List.of());
  }

  /** The values from the start up to, without, the end; null is no bound. */
  static <T extends Comparable<T>> Intervals<T> of(@Nullable T start, @Nullable T end) {
    if (start != null && end != null && start.compareTo(end) >= 0) {
      return none();
    }
    return new Intervals<>(List.of(new Interval<>(start, end)));
  }

  /** The union of all of them. */
  static <T extends Comparable<T>> Intervals<T> union(List<Intervals<T>> sets) {
    List<Interval<T>> all = new ArrayList<>();
    sets.forEach(set -> all.addAll(set.list));
    all.sort(
        Comparator.comparing(Interval::start, Comparator.nullsFirst(Comparator.naturalOrder())));
    List<Interval<T>> merged = new ArrayList<>(all.size());
    for (Interval<T> next : all) {
      Interval<T> last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
      if (last == null || !touches(last, next)) {
        merged.add(next);
      } else {
        merged.set(merged.size() - 1, new Interval<>(last.start(), laterEnd(last, next)));
      }
    }
    return new Intervals<>(merged);
  }

  private static <T extends Comparable<T>> boolean touches(Interval<T> last, Interval<T> next) {
    T end = last.end();
    T start = next.start();
    return end == null || start == null || start.compareTo(end) <= 0;
  }

  private static <T extends Comparable<T>> @Nullable T laterEnd(Interval<T> a, Interval<T> b) {
    T first = a.end();
    T second = b.end();
    if (first == null || second == null) {
      return null;
    }
    return first.compareTo(second) >= 0 ? first : second;
  }

  /** All values that are not in it. */
  Intervals<T> complement() {
    List<Interval<T>> gaps = new ArrayList<>();
    T start = null;
    boolean open = true;
    for (Interval<T> interval : list) {
      T end = interval.start();
      if (end != null) {
        gaps.add(new Interval<>(start, end));
      }
      start = interval.end();
      open = start != null;
    }
    if (open) {
      gaps.add(new Interval<>(start, null));
    }
    return new Intervals<>(gaps);
  }

  /** The intervals in ascending order. */
  List<Interval<T>> list() {
    return list;
  }

  boolean isEmpty() {
    return list.isEmpty();
  }

  /** Whether the value is in it. */
  boolean contains(T value) {
    return overlaps(value, value);
  }

  /**
   * Whether a value between both bounds, inclusive, is in it; a bound that is null is not known.
   */
  boolean overlaps(@Nullable T low, @Nullable T high) {
    for (Interval<T> interval : list) {
      T start = interval.start();
      T end = interval.end();
      boolean begins = start == null || high == null || start.compareTo(high) <= 0;
      boolean ends = end == null || low == null || low.compareTo(end) < 0;
      if (begins && ends) {
        return true;
      }
    }
    return false;
  }
}
