package io.sluice.tablet.kv.merge;

import io.sluice.format.row.Row;

/** Counts the puts that give a value, whatever it is. A default of a new row is no such value. */
final class CountFunction extends NullIgnoringFunction {
  private final IntegerRange range;

  CountFunction(MergedColumn column) {
    super(column.position());
    this.range = new IntegerRange(column);
  }

  @Override
  public Row first(Row put, boolean written, OwnValues own) {
    return !written || put.isNull(column) ? put : own.setLong(column, 1);
  }

  @Override
  Row combine(Row before, Row put, OwnValues own) {
    long old = before.getLong(column);
    return range.choose(before, old, range.sum(old, 1), own);
  }
}
