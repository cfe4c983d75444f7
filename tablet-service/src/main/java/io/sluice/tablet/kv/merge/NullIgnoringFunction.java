package io.sluice.tablet.kv.merge;

import io.sluice.format.row.Row;

/** A function to which NULL is no value: it changes nothing, and what comes after it is first. */
abstract class NullIgnoringFunction implements ColumnFunction {
  /** Position of the column. */
  final int column;

  NullIgnoringFunction(int column) {
    this.column = column;
  }

  @Override
  public final Row merge(Row before, Row put, OwnValues own) {
    if (put.isNull(column)) {
      return before;
    }
    return before.isNull(column) ? first(put, true, own) : combine(before, put, own);
  }

  /** The value of two rows whose columns are not NULL; {@code before} when nothing changes. */
  abstract Row combine(Row before, Row put, OwnValues own);
}
