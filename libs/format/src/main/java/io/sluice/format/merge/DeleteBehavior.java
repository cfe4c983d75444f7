package io.sluice.format.merge;

import java.util.Locale;

/** What becomes of a delete, of a whole row or of some columns. */
public enum DeleteBehavior {
  /** It deletes. */
  ALLOW,
  /** It is taken and changes nothing. */
  IGNORE,
  /** The put that has one is refused. */
  DISABLE;

  /** As an option writes it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
