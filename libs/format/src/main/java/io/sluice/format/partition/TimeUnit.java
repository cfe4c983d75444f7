package io.sluice.format.partition;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Locale;

/**
 * The length of time that one partition of an auto-partitioned table covers. Units are counted on
 * the wall clock since 1970-01-01T00:00, so that two values are as far apart as their texts say,
 * whatever the clock of the zone did between them.
 */
public enum TimeUnit {
  /** {@code yyyyMMddHH}. */
  HOUR("yyyyMMddHH"),
  /** {@code yyyyMMdd}. */
  DAY("yyyyMMdd"),
  /** {@code yyyyMM}. */
  MONTH("yyyyMM"),
  /** {@code yyyyQ}, the quarter being 1 to 4. */
  QUARTER("yyyyQ"),
  /** {@code yyyy}. */
  YEAR("yyyy");

  private static final LocalDateTime EPOCH = LocalDate.EPOCH.atStartOfDay();

  private final String defaultFormat;

  TimeUnit(String defaultFormat) {
    this.defaultFormat = defaultFormat;
  }

  /** The format of partition values when the table names none. */
  public String defaultFormat() {
    return defaultFormat;
  }

  /** The unit of that name in any case; INVALID_OPTION naming the option otherwise. */
  static TimeUnit of(String option, String text) {
    for (TimeUnit unit : values()) {
      if (unit.name().equals(text.trim().toUpperCase(Locale.ROOT))) {
        return unit;
      }
    }
    throw new SluiceException(
        ErrorCode.INVALID_OPTION,
        option + " is '" + text + "'; it must be one of " + Arrays.toString(values()));
  }

  /** Number of the unit that a wall clock time lies in. */
  long index(LocalDateTime time) {
    return switch (this) {
      case HOUR -> Math.floorDiv(ChronoUnit.SECONDS.between(EPOCH, time), 3_600L);
      case DAY -> time.toLocalDate().toEpochDay();
      case MONTH -> months(time);
      case QUARTER -> Math.floorDiv(months(time), 3L);
      case YEAR -> time.getYear() - 1970L;
    };
  }

  /** Where the unit of that number begins. */
  LocalDateTime start(long index) {
    return switch (this) {
      case HOUR -> EPOCH.plusHours(index);
      case DAY -> EPOCH.plusDays(index);
      case MONTH -> EPOCH.plusMonths(index);
      case QUARTER -> EPOCH.plusMonths(3 * index);
      case YEAR -> EPOCH.plusYears(index);
    };
  }

  private static long months(LocalDateTime time) {
    return (time.getYear() - 1970L) * 12 + time.getMonthValue() - 1;
  }
}
