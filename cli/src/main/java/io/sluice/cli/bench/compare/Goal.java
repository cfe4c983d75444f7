package io.sluice.cli.bench.compare;

import io.sluice.cli.bench.compare.Standings.Figure;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Something Sluice has to reach: a ratio to another product, or a figure of its own, with a bound
 * that must be kept and one that is aimed at.
 *
 * @param text what it is about
 * @param against whose figure Sluice's is divided by; empty for a bound on Sluice's own figure
 * @param sluice Sluice's figure
 * @param other the figure it is compared with, 1 for a bound on Sluice's own
 * @param atLeast whether the bounds are lower ones
 * @param must the bound that must be kept
 * @param aim the bound that is aimed at, if it is a number
 */
record Goal(
    String text,
    String against,
    double sluice,
    double other,
    boolean atLeast,
    double must,
    OptionalDouble aim) {

  /** Sluice's figure must be at least so many times the other's; empty when one is missing. */
  static Optional<Goal> atLeast(
      String text, Optional<Figure> sluice, Optional<Figure> other, double must, double aim) {
    return ratio(text, sluice, other, true, must, OptionalDouble.of(aim));
  }

  /** Like the other one, with nothing more to aim at. */
  static Optional<Goal> atLeast(
      String text, Optional<Figure> sluice, Optional<Figure> other, double must) {
    return ratio(text, sluice, other, true, must, OptionalDouble.empty());
  }

  /** Sluice's figure must be at most so many times the other's; empty when one is missing. */
  static Optional<Goal> atMost(
      String text, Optional<Figure> sluice, Optional<Figure> other, double must, double aim) {
    return ratio(text, sluice, other, false, must, OptionalDouble.of(aim));
  }

  /** Like the other one, with nothing more to aim at. */
  static Optional<Goal> atMost(
      String text, Optional<Figure> sluice, Optional<Figure> other, double must) {
    return ratio(text, sluice, other, false, must, OptionalDouble.empty());
  }

  /** Sluice's own figure must be at most this; empty when it is missing. */
  static Optional<Goal> bound(String text, Optional<Figure> sluice, double must) {
    return sluice.map(
        own -> new Goal(text, "", own.value(), 1, false, must, OptionalDouble.empty()));
  }

  /** Like the other one, with a lower bound to aim at. */
  static Optional<Goal> bound(String text, Optional<Figure> sluice, double must, double aim) {
    return sluice.map(
        own -> new Goal(text, "", own.value(), 1, false, must, OptionalDouble.of(aim)));
  }

  private static Optional<Goal> ratio(
      String text,
      Optional<Figure> sluice,
      Optional<Figure> other,
      boolean atLeast,
      double must,
      OptionalDouble aim) {
    if (sluice.isEmpty() || other.isEmpty()) {
      return Optional.empty();
    }
    Lane lane = other.get().lane();
    return Optional.of(
        new Goal(
            text,
            lane.product() + ", " + lane.settings(),
            sluice.get().value(),
            other.get().value(),
            atLeast,
            must,
            aim));
  }

  /** What the bounds are about. */
  double ratio() {
    return sluice / other;
  }

  boolean mustReached() {
    return reaches(must);
  }

  /** Empty when there is no number to aim at. */
  Optional<Boolean> aimReached() {
    return aim.isPresent() ? Optional.of(reaches(aim.getAsDouble())) : Optional.empty();
  }

  private boolean reaches(double bound) {
    return atLeast ? ratio() >= bound : ratio() <= bound;
  }

  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("goal", text);
    json.put("against", against);
    json.put("sluice", sluice);
    json.put("other", other);
    json.put("ratio", ratio());
    json.put(atLeast ? "must_be_at_least" : "must_be_at_most", must);
    json.put("must_reached", mustReached());
    aim.ifPresent(bound -> json.put("aim", bound));
    aimReached().ifPresent(reached -> json.put("aim_reached", reached));
    return json;
  }
}
