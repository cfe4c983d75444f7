package io.sluice.common;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Durations as Flink writes them in table options: a whole number and a unit, with or without a
 * space, in any case: {@code 10s}, {@code 3 min}, {@code 1h}. A number alone is milliseconds.
 */
public final class DurationText {
  private static final Map<String, Duration> UNITS =
      Map.ofEntries(
          Map.entry("", Duration.ofMillis(1)),
          Map.entry("ms", Duration.ofMillis(1)),
          Map.entry("milli", Duration.ofMillis(1)),
          Map.entry("millis", Duration.ofMillis(1)),
          Map.entry("millisecond", Duration.ofMillis(1)),
          Map.entry("milliseconds", Duration.ofMillis(1)),
          Map.entry("s", Duration.ofSeconds(1)),
          Map.entry("sec", Duration.ofSeconds(1)),
          Map.entry("secs", Duration.ofSeconds(1)),
          Map.entry("second", Duration.ofSeconds(1)),
          Map.entry("seconds", Duration.ofSeconds(1)),
          Map.entry("m", Duration.ofMinutes(1)),
          Map.entry("min", Duration.ofMinutes(1)),
          Map.entry("mins", Duration.ofMinutes(1)),
          Map.entry("minute", Duration.ofMinutes(1)),
          Map.entry("minutes", Duration.ofMinutes(1)),
          Map.entry("h", Duration.ofHours(1)),
          Map.entry("hour", Duration.ofHours(1)),
          Map.entry("hours", Duration.ofHours(1)),
          Map.entry("d", Duration.ofDays(1)),
          Map.entry("day", Duration.ofDays(1)),
          Map.entry("days", Duration.ofDays(1)));

  private DurationText() {}

  /**
   * Reads a duration.
   *
   * @param name what it is the value of, for the message
   * @throws SluiceException INVALID_OPTION when it is none or too long to count in milliseconds
   */
  public static Duration parse(String name, String text) {
    String trimmed = text.trim();
    int digits = 0;
    while (digits < trimmed.length()
        && trimmed.charAt(digits) >= '0'
        && trimmed.charAt(digits) <= '9') {
      digits++;
    }
    Duration unit = UNITS.get(trimmed.substring(digits).trim().toLowerCase(Locale.ROOT));
    if (digits == 0 || unit == null) {
      throw invalid(name, text, null);
    }
    try {
      long count = Long.parseLong(trimmed.substring(0, digits));
      return Duration.ofMillis(Math.multiplyExact(count, unit.toMillis()));
    } catch (NumberFormatException | ArithmeticException tooLong) {
      throw invalid(name, text, tooLong);
    }
  }

  private static SluiceException invalid(String name, String text, @Nullable Throwable cause) {
    return new SluiceException(
        ErrorCode.INVALID_OPTION,
        name
            + " is '"
            + text
            + "'; it must be a duration like 500ms, 10s, 3 min, 1h or 7 d (ms, s, min, h, d)",
        cause);
  }
}
