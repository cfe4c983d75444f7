package io.sluice.systemtests.replicated;

import io.sluice.format.batch.ChangeType;

/** The content of a record in one number, never 0; short numbers make that possible. */
final class Contents {
  private static final int SEQUENCE_BITS = 44;
  private static final int STATE_BITS = 48;
  private static final int KEY_BITS = 13;

  /** Keys are below this. */
  static final int KEYS = 1 << KEY_BITS;

  private Contents() {}

  /** A row of a log table: where it comes from. */
  static long ofRow(int source, long sequence) {
    if (sequence < 0 || sequence >>> SEQUENCE_BITS != 0 || source < 0) {
      throw new IllegalArgumentException("Source " + source + ", sequence " + sequence);
    }
    return (source + 1L) << SEQUENCE_BITS | sequence;
  }

  static int source(long row) {
    return (int) (row >>> SEQUENCE_BITS) - 1;
  }

  static long sequence(long row) {
    return row & ((1L << SEQUENCE_BITS) - 1);
  }

  /**
   * A record of a changelog.
   *
   * @param state all columns beside the key in a number
   */
  static long ofChange(ChangeType type, int key, long state) {
    if (key < 0 || key >= KEYS || state < 0 || state >>> STATE_BITS != 0) {
      throw new IllegalArgumentException("Key " + key + ", state " + state);
    }
    return (type.ordinal() + 1L) << (STATE_BITS + KEY_BITS) | (long) key << STATE_BITS | state;
  }

  static ChangeType type(long change) {
    return ChangeType.values()[(int) (change >>> (STATE_BITS + KEY_BITS)) - 1];
  }

  static int key(long change) {
    return (int) (change >>> STATE_BITS) & (KEYS - 1);
  }

  static long state(long change) {
    return change & ((1L << STATE_BITS) - 1);
  }

  /** For people. */
  static String describeRow(long row) {
    return row == 0 ? "nothing" : "row " + sequence(row) + " of source " + source(row);
  }

  /** For people. */
  static String describeChange(long change) {
    return change == 0
        ? "nothing"
        : type(change) + " of key " + key(change) + " with " + CellState.describe(state(change));
  }
}
