package io.sluice.format.merge;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.BooleanType;
import io.sluice.format.schema.DataType.BytesType;
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
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The functions that aggregate a column. NULL inputs are ignored by all but {@link #LAST_VALUE} and
 * {@link #FIRST_VALUE}.
 */
public enum AggFunction {
  /** The sum of all values, in the type of the column. */
  SUM(Takes.NUMBERS),
  /** The product of all values, in the type of the column. */
  PRODUCT(Takes.NUMBERS),
  /** The smallest value. */
  MIN(Takes.ORDERED),
  /** The largest value. */
  MAX(Takes.ORDERED),
  /** The value put last, NULL too. */
  LAST_VALUE(Takes.ANY),
  /** The value put last that is not NULL. */
  LAST_VALUE_IGNORE_NULLS(Takes.ANY),
  /** The value put first, NULL too. */
  FIRST_VALUE(Takes.ANY),
  /** The first value that is not NULL. */
  FIRST_VALUE_IGNORE_NULLS(Takes.ANY),
  /** All texts in the order they were put, with a delimiter between two. */
  LISTAGG(Takes.TEXT),
  /** Whether all values are true. */
  BOOL_AND(Takes.TRUTH),
  /** Whether any value is true. */
  BOOL_OR(Takes.TRUTH),
  /** The union of sets of 32-bit numbers in the portable format of RoaringBitmap. */
  RBM32(Takes.BITMAP),
  /** The union of sets of 64-bit numbers in the portable format of RoaringBitmap. */
  RBM64(Takes.BITMAP),
  /** How many values that are not NULL were put. */
  COUNT(Takes.COUNTER);

  private final Takes takes;

  AggFunction(Takes takes) {
    this.takes = takes;
  }

  /** As an option writes it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether it aggregates columns of that type. */
  public boolean takes(DataType type) {
    return takes.take(type);
  }

  /** The types it takes, in words. */
  public String takenTypes() {
    return takes.words;
  }

  /** Whether the values are bitmaps. */
  boolean mergesBitmaps() {
    return takes == Takes.BITMAP;
  }

  /** Whether there are values that the column of that type cannot hold. */
  public boolean mayOverflow(DataType type) {
    return (this == SUM || this == PRODUCT || this == COUNT)
        && (type instanceof IntegerType || type instanceof DecimalType);
  }

  /**
   * The function of that name, in any case; {@code string_agg} is {@link #LISTAGG}, {@code
   * first_value_not_null} is {@link #FIRST_VALUE_IGNORE_NULLS}.
   *
   * @param option key of the option that names it, for the message
   * @throws SluiceException INVALID_OPTION with all functions when there is none of that name
   */
  public static AggFunction of(String option, String value) {
    String name = value.trim().toLowerCase(Locale.ROOT);
    for (AggFunction function : values()) {
      if (function.text().equals(name)) {
        return function;
      }
    }
    return switch (name) {
      case "string_agg" -> LISTAGG;
      case "first_value_not_null" -> FIRST_VALUE_IGNORE_NULLS;
      default ->
          throw new SluiceException(
              ErrorCode.INVALID_OPTION,
              option
                  + " is '"
                  + value
                  + "'; the functions are "
                  + Arrays.stream(values())
                      .map(AggFunction::text)
                      .collect(Collectors.joining(", ")));
    };
  }

  /** The functions for a type, separated by commas. */
  static String namesFor(DataType type) {
    return Arrays.stream(values())
        .filter(function -> function.takes(type))
        .map(AggFunction::text)
        .collect(Collectors.joining(", "));
  }

  /** The types that a function takes. */
  private enum Takes {
    NUMBERS("TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE and DECIMAL"),
    ORDERED(
        "TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL, CHAR, STRING, DATE, TIME,"
            + " TIMESTAMP and TIMESTAMP_LTZ"),
    ANY("all types"),
    TEXT("STRING"),
    TRUTH("BOOLEAN"),
    BITMAP("BYTES"),
    COUNTER("BIGINT and INT");

    private final String words;

    Takes(String words) {
      this.words = words;
    }

    boolean take(DataType type) {
      return switch (this) {
        case NUMBERS -> isNumber(type);
        case ORDERED -> isNumber(type) || isText(type) || isTemporal(type);
        case ANY -> true;
        case TEXT -> type instanceof StringType;
        case TRUTH -> type instanceof BooleanType;
        case BITMAP -> type instanceof BytesType;
        case COUNTER -> type instanceof IntegerType integer && integer.bits() >= 32;
      };
    }

    private static boolean isNumber(DataType type) {
      return type instanceof IntegerType
          || type instanceof FloatType
          || type instanceof DoubleType
          || type instanceof DecimalType;
    }

    private static boolean isText(DataType type) {
      return type instanceof CharType || type instanceof StringType;
    }

    private static boolean isTemporal(DataType type) {
      return type instanceof DateType
          || type instanceof TimeType
          || type instanceof TimestampType
          || type instanceof TimestampLtzType;
    }
  }
}
