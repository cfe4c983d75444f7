package io.sluice.format.partition;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * A format of partition values of one time unit: {@code yyyy}, {@code MM}, {@code dd}, {@code HH}
 * or {@code yyyy}, {@code Q}, the largest first and none left out, with any separators that are
 * neither letters nor digits. All values have the same length and sort as their times do.
 */
final class TimeFormat {
  private static final int MAX_LENGTH = 64;

  private final TimeUnit unit;
  private final String pattern;

  /** Position of each field in the pattern. */
  private final int[] starts;

  private final List<String> fields;

  private TimeFormat(TimeUnit unit, String pattern, int[] starts, List<String> fields) {
    this.unit = unit;
    this.pattern = pattern;
    this.starts = starts;
    this.fields = fields;
  }

  /** Checks a format; INVALID_OPTION naming the option when it does not fit the unit. */
  static TimeFormat of(String option, TimeUnit unit, String pattern) {
    List<String> wanted = fields(unit);
    List<String> found = new ArrayList<>();
    int[] starts = new int[wanted.size()];
    int at = 0;
    while (at < pattern.length()) {
      char c = pattern.charAt(at);
      int end = at + 1;
      if (Character.isLetterOrDigit(c)) {
        while (end < pattern.length() && pattern.charAt(end) == c) {
          end++;
        }
        if (found.size() < starts.length) {
          starts[found.size()] = at;
        }
        found.add(pattern.substring(at, end));
      }
      at = end;
    }
    if (!found.equals(wanted) || pattern.length() > MAX_LENGTH) {
      throw new SluiceException(
          ErrorCode.INVALID_OPTION,
          option
              + " is '"
              + pattern
              + "'; for the unit "
              + unit
              + " it must have "
              + String.join(", ", wanted)
              + " in this order, each once, with separators that are no letters or digits, and at"
              + " most "
              + MAX_LENGTH
              + " characters; the default is "
              + unit.defaultFormat());
    }
    return new TimeFormat(unit, pattern, starts, wanted);
  }

  private static List<String> fields(TimeUnit unit) {
    return switch (unit) {
      case HOUR -> List.of("yyyy", "MM", "dd", "HH");
      case DAY -> List.of("yyyy", "MM", "dd");
      case MONTH -> List.of("yyyy", "MM");
      case QUARTER -> List.of("yyyy", "Q");
      case YEAR -> List.of("yyyy");
    };
  }

  String pattern() {
    return pattern;
  }

  /** The value of the unit of that number; its year must have four digits. */
  String text(long index) {
    LocalDateTime start = unit.start(index);
    StringBuilder text = new StringBuilder(pattern);
    for (int i = 0; i < starts.length; i++) {
      int width = fields.get(i).length();
      int value = field(start, fields.get(i));
      for (int digit = starts[i] + width - 1; digit >= starts[i]; digit--) {
        text.setCharAt(digit, (char) ('0' + value % 10));
        value /= 10;
      }
    }
    return text.toString();
  }

  private static int field(LocalDateTime time, String field) {
    return switch (field) {
      case "yyyy" -> time.getYear();
      case "MM" -> time.getMonthValue();
      case "dd" -> time.getDayOfMonth();
      case "HH" -> time.getHour();
      default -> (time.getMonthValue() - 1) / 3 + 1;
    };
  }

  /** Number of the unit that a value names, empty when it is no value of this format. */
  OptionalLong parse(String value) {
    if (value.length() != pattern.length() || !separatorsFit(value)) {
      return OptionalLong.empty();
    }
    int year = 0;
    int month = 1;
    int day = 1;
    int hour = 0;
    for (int i = 0; i < starts.length; i++) {
      int number = number(value, starts[i], fields.get(i).length());
      switch (fields.get(i)) {
        case "yyyy" -> year = number;
        case "MM" -> month = number;
        case "dd" -> day = number;
        case "HH" -> hour = number;
        default -> month = number >= 1 && number <= 4 ? 3 * number - 2 : -1;
      }
    }
    boolean exists =
        year >= 1
            && month >= 1
            && month <= 12
            && day >= 1
            && day <= YearMonth.of(year, month).lengthOfMonth()
            && hour >= 0
            && hour <= 23;
    return exists
        ? OptionalLong.of(unit.index(LocalDateTime.of(year, month, day, hour, 0)))
        : OptionalLong.empty();
  }

  private boolean separatorsFit(String value) {
    for (int i = 0; i < pattern.length(); i++) {
      if (!Character.isLetterOrDigit(pattern.charAt(i)) && value.charAt(i) != pattern.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** The ASCII digits there as a number, -1 when they are none. */
  private static int number(String value, int start, int width) {
    int number = 0;
    for (int i = start; i < start + width; i++) {
      char c = value.charAt(i);
      if (c < '0' || c > '9') {
        return -1;
      }
      number = number * 10 + c - '0';
    }
    return number;
  }
}
