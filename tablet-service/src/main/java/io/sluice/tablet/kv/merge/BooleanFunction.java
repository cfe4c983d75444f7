package io.sluice.tablet.kv.merge;

import io.sluice.format.row.Row;

/** Whether all values are TRUE, or any: the first value that decides stays. */
final class BooleanFunction extends NullIgnoringFunction {
  private final boolean deciding;

  /**
   * @param deciding FALSE for "all", TRUE for "any"
   */
  BooleanFunction(int column, boolean deciding) {
    super(column);
    this.deciding = deciding;
  }

  @Override
  Row combine(Row before, Row put, OwnValues own) {
    return before.getBoolean(column) != deciding && put.getBoolean(column) == deciding
        ? put
        : before;
  }
}
