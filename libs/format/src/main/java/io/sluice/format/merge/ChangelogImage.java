package io.sluice.format.merge;

import java.util.Locale;

/** What the changelog has of a change of a row. */
public enum ChangelogImage {
  /** The row before and the row after. */
  FULL,
  /** The row after. */
  WAL;

  /** As an option writes it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
