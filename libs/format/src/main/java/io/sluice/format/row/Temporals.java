package io.sluice.format.row;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.TimeType;
import io.sluice.format.schema.DataType.TimestampLtzType;
import io.sluice.format.schema.DataType.TimestampType;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;

/**
 * Turns times and timestamps into the integers that are stored, and back. A unit is given as its
 * number of units in a second: 1, 1,000, 1,000,000 or 1,000,000,000.
 */
public final class Temporals {
  private static final long NANOS = 1_000_000_000L;

  private Temporals() {}

  /** Units in a second for values of this precision (0 to 9). */
  public static long unitsPerSecond(int precision) {
    if (precision == 0) {
      return 1;
    }
    if (precision <= 3) {
      return 1_000;
    }
    return precision <= 6 ? 1_000_000 : NANOS;
  }

  /** Units in a second as a type stores them; 1 for types without a time. */
  public static long unitsPerSecond(DataType type) {
    if (type instanceof TimeType time) {
      return unitsPerSecond(time.precision());
    }
    if (type instanceof TimestampType timestamp) {
      return unitsPerSecond(timestamp.precision());
    }
    return type instanceof TimestampLtzType timestamp ? unitsPerSecond(timestamp.precision()) : 1;
  }

  /** Nanoseconds of the smallest step of this precision (0 to 9): a power of ten. */
  public static int nanosPerStep(int precision) {
    int step = 1;
    for (int i = precision; i < 9; i++) {
      step *= 10;
    }
    return step;
  }

  /**
   * Units since the epoch.
   *
   * @throws ArithmeticException when they do not fit 64 bits
   */
  public static long toUnits(long epochSecond, int nano, long unitsPerSecond) {
    int part = (int) (nano / (NANOS / unitsPerSecond));
    if (epochSecond < 0 && part > 0) {
      return Math.addExact(
          Math.multiplyExact(epochSecond + 1, unitsPerSecond), part - unitsPerSecond);
    }
    return Math.addExact(Math.multiplyExact(epochSecond, unitsPerSecond), part);
  }

  static LocalTime time(long units, long unitsPerSecond) {
    try {
      return LocalTime.ofNanoOfDay(Math.multiplyExact(units, NANOS / unitsPerSecond));
    } catch (DateTimeException | ArithmeticException e) {
      throw outOfRange(units, unitsPerSecond, "a time of day", e);
    }
  }

  static LocalDate date(long days) {
    try {
      return LocalDate.ofEpochDay(days);
    } catch (DateTimeException e) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE, "Day " + days + " since 1970-01-01 is outside of java.time", e);
    }
  }

  static LocalDateTime timestamp(long units, long unitsPerSecond) {
    try {
      return LocalDateTime.ofEpochSecond(
          Math.floorDiv(units, unitsPerSecond), nano(units, unitsPerSecond), ZoneOffset.UTC);
    } catch (DateTimeException e) {
      throw outOfRange(units, unitsPerSecond, "a timestamp of java.time", e);
    }
  }

  static Instant instant(long units, long unitsPerSecond) {
    try {
      return Instant.ofEpochSecond(
          Math.floorDiv(units, unitsPerSecond), nano(units, unitsPerSecond));
    } catch (DateTimeException e) {
      throw outOfRange(units, unitsPerSecond, "an instant of java.time", e);
    }
  }

  private static int nano(long units, long unitsPerSecond) {
    return (int) (Math.floorMod(units, unitsPerSecond) * (NANOS / unitsPerSecond));
  }

  private static SluiceException outOfRange(
      long units, long unitsPerSecond, String what, RuntimeException cause) {
    return new SluiceException(
        ErrorCode.INVALID_VALUE,
        "The stored value "
            + units
            + " ("
            + unitsPerSecond
            + " in a second) is outside the range of "
            + what,
        cause);
  }
}
