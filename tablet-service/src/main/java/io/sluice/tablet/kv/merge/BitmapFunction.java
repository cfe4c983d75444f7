package io.sluice.tablet.kv.merge;

import io.sluice.format.row.Row;

/** The union of all sets, in the one form that equal sets have. */
final class BitmapFunction extends NullIgnoringFunction {
  private final BitmapBytes bitmaps;

  BitmapFunction(MergedColumn column, BitmapBytes bitmaps) {
    super(column.position());
    this.bitmaps = bitmaps;
  }

  @Override
  public Row first(Row put, boolean written, OwnValues own) {
    return put.isNull(column)
        ? put
        : own.setObject(column, bitmaps.canonical(put.getBytes(column)));
  }

  @Override
  Row combine(Row before, Row put, OwnValues own) {
    // No row has a default here, which could have another form: such columns have none.
    byte[] union = bitmaps.union(before.getBytes(column), bitmaps.canonical(put.getBytes(column)));
    return union == null ? before : own.setObject(column, union);
  }
}
