package io.sluice.format.schema;

import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.BinaryType;
import io.sluice.format.schema.DataType.BytesType;
import io.sluice.format.schema.DataType.CharType;
import io.sluice.format.schema.DataType.DecimalType;
import io.sluice.format.schema.DataType.DoubleType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import io.sluice.format.schema.DataType.StringType;
import io.sluice.format.schema.DataType.TimeType;
import io.sluice.format.schema.DataType.TimestampLtzType;
import io.sluice.format.schema.DataType.TimestampType;

/** Which scalar types may become which: all values stay what they are. */
public final class TypeWidening {
  private TypeWidening() {}

  /** Whether a scalar column of the first type may become one of the second, or is one already. */
  public static boolean allowed(DataType from, DataType to) {
    if (from instanceof IntegerType narrow && to instanceof IntegerType wide) {
      return narrow.bits() <= wide.bits();
    }
    if (from instanceof FloatType && to instanceof DoubleType) {
      return true;
    }
    if (from instanceof DecimalType narrow && to instanceof DecimalType wide) {
      return narrow.scale() == wide.scale() && narrow.precision() <= wide.precision();
    }
    if (from instanceof CharType narrow) {
      return to instanceof StringType
          || (to instanceof CharType wide && narrow.length() <= wide.length());
    }
    if (from instanceof BinaryType && to instanceof BytesType) {
      return true;
    }
    if (from instanceof TimeType narrow && to instanceof TimeType wide) {
      return narrow.precision() <= wide.precision();
    }
    if (from instanceof TimestampType narrow && to instanceof TimestampType wide) {
      return keepsInstants(narrow.precision(), wide.precision());
    }
    if (from instanceof TimestampLtzType narrow && to instanceof TimestampLtzType wide) {
      return keepsInstants(narrow.precision(), wide.precision());
    }
    return !from.isNested() && from.equals(to);
  }

  /** Nanoseconds reach from 1677 to 2262 only, so coarser timestamps cannot become them. */
  private static boolean keepsInstants(int from, int to) {
    return from <= to && (to <= 6 || from > 6);
  }

  /** What a type may become, in words. */
  static String targets(DataType from) {
    if (from instanceof IntegerType integer) {
      return switch (integer.bits()) {
        case 8 -> "SMALLINT, INT or BIGINT";
        case 16 -> "INT or BIGINT";
        case 32 -> "BIGINT";
        default -> "nothing else";
      };
    }
    if (from instanceof FloatType) {
      return "DOUBLE";
    }
    if (from instanceof DecimalType decimal) {
      return "DECIMAL with a larger precision and the same scale " + decimal.scale();
    }
    if (from instanceof CharType) {
      return "a longer CHAR or STRING";
    }
    if (from instanceof BinaryType) {
      return "BYTES";
    }
    if (from instanceof TimeType) {
      return "TIME with a higher precision";
    }
    if (from instanceof TimestampType || from instanceof TimestampLtzType) {
      return "the same type with a higher precision, of at most 6 unless it is more already:"
          + " nanoseconds reach from 1677 to 2262 only";
    }
    return "nothing else";
  }

  /**
   * Whether every value of a type reads as the same value of the other with nothing lost: the same
   * shape, fields matched by id, scalars the same or widened.
   */
  public static boolean readable(DataType stored, DataType wanted) {
    if (stored instanceof ArrayType from && wanted instanceof ArrayType to) {
      return readable(from.element(), to.element());
    }
    if (stored instanceof MapType from && wanted instanceof MapType to) {
      return readable(from.key(), to.key()) && readable(from.value(), to.value());
    }
    if (stored instanceof RowType from && wanted instanceof RowType to) {
      for (RowType.Field field : to.fields()) {
        for (RowType.Field source : from.fields()) {
          if (source.id() == field.id() && !readable(source.type(), field.type())) {
            return false;
          }
        }
      }
      return true;
    }
    return allowed(stored, wanted);
  }
}
