package io.sluice.systemtests.simulation;

/** An invariant that does not hold, with what happened before. */
final class Violation extends AssertionError {
  private static final long serialVersionUID = 1L;

  private final String invariant;

  Violation(String invariant, String message) {
    super(invariant + ": " + message);
    this.invariant = invariant;
  }

  /** Its name in the quality rules. */
  String invariant() {
    return invariant;
  }
}
