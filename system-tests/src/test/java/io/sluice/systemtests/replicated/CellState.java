package io.sluice.systemtests.replicated;

/**
 * The state of a cell, a row of the table of cells, in one number: what column a and column b were
 * set to last, each by its own number; 0 stands for NULL.
 */
final class CellState {
  private static final int BITS = 24;
  private static final int MASK = (1 << BITS) - 1;

  /** There is no row. */
  static final long ABSENT = -1;

  private CellState() {}

  static long of(int a, int b) {
    if ((a & ~MASK) != 0 || (b & ~MASK) != 0) {
      throw new IllegalArgumentException("States " + a + " and " + b + " do not fit");
    }
    return (long) a << BITS | b;
  }

  static int a(long state) {
    return state == ABSENT ? 0 : (int) (state >>> BITS);
  }

  static int b(long state) {
    return state == ABSENT ? 0 : (int) (state & MASK);
  }

  static String describe(long state) {
    return state == ABSENT ? "no row" : "a=" + a(state) + ",b=" + b(state);
  }
}
