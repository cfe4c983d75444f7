package io.sluice.lake.union;

/** Which view of a table a query names. */
public enum TableVariant {
  /** The table itself: lake and tail of a log table, the current rows of a primary-key table. */
  WHOLE(""),
  /** {@code t$lake}: only what the lake holds. */
  LAKE("$lake"),
  /** {@code t$changelog}: the changes of a primary-key table. */
  CHANGELOG("$changelog");

  private final String suffix;

  TableVariant(String suffix) {
    this.suffix = suffix;
  }

  /** What is appended to the table's name. */
  public String suffix() {
    return suffix;
  }
}
