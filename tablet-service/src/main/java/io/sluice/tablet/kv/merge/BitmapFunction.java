package io.sluice.tablet.kv.merge;

import io.sluice.format.row.Row;

/** The union of all sets, in the one form that equal sets have. */
final class BitmapFunction extends NullIgnoringFunction {
  private final BitmapBytes bitmaps;
  // A default that a row was read or made with was not brought into our form.
  private final boolean anyForm;

  BitmapFunction(MergedColumn column, BitmapBytes bitmaps) {
    super(column.position());
    this.bitmaps = bitmaps;
    this.anyForm =
        column.column().initialDefault() != null || column.column().writeDefault() != null;
  }

  @Override
  public Row first(Row put, boolean written, OwnValues own) {
    return put.isNull(column)
        ? put
        : own.setObject(column, bitmaps.canonical(put.getBytes(column)));
  }

  @Override
  Row combine(Row before, Row put, OwnValues own) {
    byte[] stored = before.getBytes(column);
    byte[] old = anyForm ? bitmaps.canonical(stored) : stored;
    byte[] union = bitmaps.union(old, bitmaps.canonical(put.getBytes(column)));
    return union == null ? before : own.setObject(column, union);
  }
}
