package io.sluice.tablet.kv.merge;

import io.sluice.format.row.Row;

/**
 * What a put makes of one column of a row. Instead of a value, the row that has it in the column is
 * returned: the row before, the put, or {@code own} after the value was set there.
 */
interface ColumnFunction {

  /**
   * The value in a new row, or in one whose column was NULL.
   *
   * @param written whether the put gives the value; else it is a default
   */
  default Row first(Row put, boolean written, OwnValues own) {
    return put;
  }

  /** The value in a row that was there, of a put that gives one; each may be NULL. */
  Row merge(Row before, Row put, OwnValues own);

  /** The function of a column. */
  static ColumnFunction of(MergedColumn column, RoaringUnion bitmaps) {
    int at = column.position();
    return switch (column.aggregate().function()) {
      case LAST_VALUE -> (before, put, own) -> put;
      case FIRST_VALUE -> (before, put, own) -> before;
      case LAST_VALUE_IGNORE_NULLS -> (before, put, own) -> put.isNull(at) ? before : put;
      case FIRST_VALUE_IGNORE_NULLS -> (before, put, own) -> before.isNull(at) ? put : before;
      case SUM, PRODUCT -> ArithmeticFunctions.of(column);
      case COUNT -> new CountFunction(column);
      case MIN -> ExtremeFunction.min(column);
      case MAX -> ExtremeFunction.max(column);
      case BOOL_AND -> new BooleanFunction(at, false);
      case BOOL_OR -> new BooleanFunction(at, true);
      case LISTAGG -> new ListFunction(at, column.aggregate().delimiter());
      case RBM32 -> new BitmapFunction(column, new Bitmap32Bytes(column.name(), bitmaps));
      case RBM64 -> new BitmapFunction(column, new Bitmap64Bytes(column.name(), bitmaps));
    };
  }
}
