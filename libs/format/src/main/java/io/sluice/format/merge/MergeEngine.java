package io.sluice.format.merge;

import java.util.Locale;

/** How the rows that are put under one key become one row. */
public enum MergeEngine {
  /** The row put last. What a table has that says nothing. */
  LAST_ROW,
  /** The row put first; later ones change nothing. */
  FIRST_ROW,
  /** The row with the largest version; of equal versions the one put last. */
  VERSIONED,
  /** Each column is aggregated by a function of its own. */
  AGGREGATION;

  /** As an option writes it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
