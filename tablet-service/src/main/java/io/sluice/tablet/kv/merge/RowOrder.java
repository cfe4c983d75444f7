package io.sluice.tablet.kv.merge;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.CharType;
import io.sluice.format.schema.DataType.DateType;
import io.sluice.format.schema.DataType.DecimalType;
import io.sluice.format.schema.DataType.DoubleType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.StringType;
import io.sluice.format.schema.DataType.TimeType;
import io.sluice.format.schema.DataType.TimestampLtzType;
import io.sluice.format.schema.DataType.TimestampType;

/**
 * The order of two rows by one column, which is NULL in neither. Text is ordered by code points,
 * which is the order of its UTF-8 bytes; floats so that -0.0 comes before 0.0 and NaN after
 * everything.
 */
@FunctionalInterface
interface RowOrder {

  /** Negative, zero or positive as {@code one} is less than, equal to or greater than the other. */
  int compare(Row one, Row other, int column);

  /** The order of columns of that type; INTERNAL for a type that has none. */
  static RowOrder of(DataType type) {
    if (type instanceof IntegerType) {
      return (one, other, column) -> Long.compare(one.getLong(column), other.getLong(column));
    }
    if (type instanceof FloatType) {
      return (one, other, column) -> Float.compare(one.getFloat(column), other.getFloat(column));
    }
    if (type instanceof DoubleType) {
      return (one, other, column) -> Double.compare(one.getDouble(column), other.getDouble(column));
    }
    if (type instanceof DecimalType) {
      return (one, other, column) -> one.getDecimal(column).compareTo(other.getDecimal(column));
    }
    if (type instanceof CharType || type instanceof StringType) {
      return (one, other, column) ->
          compareCodePoints(one.getString(column), other.getString(column));
    }
    if (type instanceof DateType) {
      return (one, other, column) -> one.getDate(column).compareTo(other.getDate(column));
    }
    if (type instanceof TimeType) {
      return (one, other, column) -> one.getTime(column).compareTo(other.getTime(column));
    }
    if (type instanceof TimestampType) {
      return (one, other, column) -> one.getTimestamp(column).compareTo(other.getTimestamp(column));
    }
    if (type instanceof TimestampLtzType) {
      return (one, other, column) -> one.getInstant(column).compareTo(other.getInstant(column));
    }
    throw new SluiceException(ErrorCode.INTERNAL, type + " has no order");
  }

  /** As {@link String#compareTo}, but surrogate pairs come after all other characters. */
  static int compareCodePoints(String one, String other) {
    int common = Math.min(one.length(), other.length());
    for (int i = 0; i < common; i++) {
      char a = one.charAt(i);
      char b = other.charAt(i);
      if (a != b) {
        return Character.isSurrogate(a) == Character.isSurrogate(b) ? a - b : surrogateLast(a);
      }
    }
    return one.length() - other.length();
  }

  private static int surrogateLast(char first) {
    return Character.isSurrogate(first) ? 1 : -1;
  }
}
