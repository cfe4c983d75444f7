package io.sluice.client.internal;

/**
 * How many rows one put has at most. A server takes a put only when all changes that it makes fit
 * into one batch of the changelog, and small rows may change large ones: an update of two numbers
 * writes the whole row, before and after. Puts that a server refuses are halved and sent again, so
 * those that follow are made smaller, and larger again when all goes well. Refusals and outcomes
 * come from one thread, the limit is read by any.
 */
final class RowLimit {
  /** Enough to make the work for a put count little, and few enough for most tables. */
  static final int UPSERT_ROWS = 8192;

  /** A single large row may have a put refused whatever its number of rows. */
  private static final int FEWEST = 64;

  /** Halves of halves come down to that row, which says nothing of the others. */
  private static final int FEWEST_OF_HALVES = 512;

  /** Puts of about as many rows as there may be that are stored until the limit is raised. */
  private static final int RAISE_AFTER = 256;

  private final int most;
  private volatile int rows;
  private int storedInTurn;

  private RowLimit(int most) {
    this.most = most;
    this.rows = most;
  }

  /** For appends, whose size is known. */
  static RowLimit none() {
    return new RowLimit(Integer.MAX_VALUE);
  }

  /** For upserts. */
  static RowLimit ofUpserts() {
    return new RowLimit(UPSERT_ROWS);
  }

  int rows() {
    return rows;
  }

  /**
   * A put of so many rows was too large.
   *
   * @param whole whether it was all that was collected, and not a half of what was refused before
   */
  void refused(int rowCount, boolean whole) {
    storedInTurn = 0;
    int least = whole ? FEWEST : FEWEST_OF_HALVES;
    rows = Math.min(rows, Math.max(least, rowCount / 2));
  }

  /** A put of so many rows was stored. */
  void stored(int rowCount) {
    if (rows < most && rowCount > rows / 2 && ++storedInTurn >= RAISE_AFTER) {
      storedInTurn = 0;
      rows = Math.min(most, 2 * rows);
    }
  }
}
