package io.sluice.format.row;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.BinaryType;
import io.sluice.format.schema.DataType.CharType;
import io.sluice.format.schema.DataType.DecimalType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.TimeType;
import io.sluice.format.schema.DataType.TimestampLtzType;
import io.sluice.format.schema.DataType.TimestampType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;

/**
 * Checks values against one column and turns them into what is stored. Every refusal is
 * INVALID_VALUE naming column, type and value. Nothing is rounded, cut or padded.
 */
public final class ValueRules {
  private static final int SHOWN = 64;

  private final Column column;
  private final long min;
  private final long max;
  private final int textLimit;
  private final int precision;
  private final long unitsPerSecond;
  private final int nanosPerStep;
  private final int scale;

  public ValueRules(Column column) {
    this.column = column;
    DataType type = column.type();
    int bits = type instanceof IntegerType integer ? integer.bits() : 64;
    this.min = Long.MIN_VALUE >> (64 - bits);
    this.max = Long.MAX_VALUE >> (64 - bits);
    this.textLimit = type instanceof CharType text ? text.length() : Integer.MAX_VALUE;
    this.scale = type instanceof DecimalType decimal ? decimal.scale() : 0;
    this.precision = precisionOf(type);
    boolean temporal = precision >= 0 && !(type instanceof DecimalType);
    this.unitsPerSecond = temporal ? Temporals.unitsPerSecond(precision) : 1;
    this.nanosPerStep = temporal ? Temporals.nanosPerStep(precision) : 1;
  }

  private static int precisionOf(DataType type) {
    if (type instanceof DecimalType decimal) {
      return decimal.precision();
    }
    if (type instanceof TimeType time) {
      return time.precision();
    }
    if (type instanceof TimestampType timestamp) {
      return timestamp.precision();
    }
    return type instanceof TimestampLtzType timestamp ? timestamp.precision() : -1;
  }

  Column column() {
    return column;
  }

  long unitsPerSecond() {
    return unitsPerSecond;
  }

  int scale() {
    return scale;
  }

  /** The integer, when the column's width holds it. */
  long integer(long value) {
    if (value < min || value > max) {
      throw refused(value, "the range is " + min + " to " + max);
    }
    return value;
  }

  /** The number as FLOAT, when that is exact. */
  float single(double value) {
    float single = (float) value;
    if (single != value && !Double.isNaN(value)) {
      throw refused(value, "it has more digits than FLOAT keeps; cast it to float first");
    }
    return single;
  }

  void text(String value) {
    if (value.length() > textLimit && value.codePointCount(0, value.length()) > textLimit) {
      throw refused(
          shown(value),
          "it has "
              + value.codePointCount(0, value.length())
              + " characters; the column takes "
              + textLimit);
    }
  }

  SluiceException surrogate(String value, int index) {
    return refused(
        shown(value), "the character at index " + index + " is half of a surrogate pair");
  }

  /** Refuses half a surrogate pair, which UTF-8 cannot hold. */
  void wholeCharacters(String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (!Character.isSurrogate(c)) {
        continue;
      }
      boolean pair =
          Character.isHighSurrogate(c)
              && i + 1 < value.length()
              && Character.isLowSurrogate(value.charAt(i + 1));
      if (!pair) {
        throw surrogate(value, i);
      }
      i++;
    }
  }

  void fixedBytes(byte[] value) {
    int length = ((BinaryType) column.type()).length();
    if (value.length != length) {
      throw refused("a value of " + value.length + " bytes", "it takes exactly " + length);
    }
  }

  /** The unscaled value in the column's scale. */
  public BigInteger unscaled(BigDecimal value) {
    BigDecimal scaled = value;
    if (value.scale() != scale) {
      // Bounds the work for exponents like 1E999999999 before any digit is written out.
      if (value.signum() != 0 && (long) value.precision() - value.scale() > precision - scale) {
        throw tooManyDigits(value);
      }
      scaled = rescaled(value);
    }
    if (scaled.precision() > precision) {
      throw tooManyDigits(value);
    }
    return scaled.unscaledValue();
  }

  private BigDecimal rescaled(BigDecimal value) {
    try {
      return value.signum() == 0 ? BigDecimal.ZERO.setScale(scale) : value.setScale(scale);
    } catch (ArithmeticException e) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE,
          message(
              shownDecimal(value),
              "it has more than " + scale + " digits after the point; round it first"),
          e);
    }
  }

  private SluiceException tooManyDigits(BigDecimal value) {
    return refused(
        shownDecimal(value),
        "it has more than " + (precision - scale) + " digits before the point");
  }

  int date(LocalDate value) {
    long days = value.toEpochDay();
    if (days != (int) days) {
      throw refused(value, "days since 1970-01-01 must fit 32 bits");
    }
    return (int) days;
  }

  /** Units of the column since midnight. */
  long time(LocalTime value) {
    checkStep(value.getNano(), value);
    return value.toNanoOfDay() / (1_000_000_000L / unitsPerSecond);
  }

  /** Units of the column since 1970-01-01T00:00. */
  long timestamp(LocalDateTime value) {
    return units(value.toEpochSecond(ZoneOffset.UTC), value.getNano(), value);
  }

  /** Units of the column since the epoch. */
  long instant(Instant value) {
    return units(value.getEpochSecond(), value.getNano(), value);
  }

  private long units(long epochSecond, int nano, Object value) {
    checkStep(nano, value);
    try {
      return Temporals.toUnits(epochSecond, nano, unitsPerSecond);
    } catch (ArithmeticException e) {
      String range =
          precision > 6
              ? "nanoseconds reach from 1677-09-21 to 2262-04-11; a precision of 6 or less reaches"
                  + " further"
              : "units since 1970 must fit 64 bits";
      throw new SluiceException(ErrorCode.INVALID_VALUE, message(value, range), e);
    }
  }

  private void checkStep(int nano, Object value) {
    if (nano % nanosPerStep != 0) {
      throw refused(
          value, "it has more than " + precision + " digits of a second; truncate it first");
    }
  }

  SluiceException nullRefused() {
    return new SluiceException(
        ErrorCode.INVALID_VALUE,
        "Column '"
            + column.name()
            + "' ("
            + column.type()
            + ") is NOT NULL and takes no NULL; give it a value");
  }

  SluiceException mismatch(String given) {
    return new SluiceException(
        ErrorCode.INVALID_VALUE,
        "Column '" + column.name() + "' (" + column.type() + ") takes no " + given);
  }

  SluiceException noKey() {
    return new SluiceException(
        ErrorCode.UNSUPPORTED,
        "Column '"
            + column.name()
            + "' ("
            + column.type()
            + ") is nested; ARRAY, MAP and ROW columns cannot be part of a key");
  }

  SluiceException refused(Object value, String why) {
    return new SluiceException(ErrorCode.INVALID_VALUE, message(value, why));
  }

  private String message(Object value, String why) {
    return "Column '"
        + column.name()
        + "' ("
        + column.type()
        + ") cannot hold "
        + value
        + ": "
        + why;
  }

  private static String shown(String value) {
    return "'" + (value.length() <= SHOWN ? value : value.substring(0, SHOWN - 3) + "...") + "'";
  }

  private static String shownDecimal(BigDecimal value) {
    String text = value.toString();
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN - 3) + "...";
  }
}
