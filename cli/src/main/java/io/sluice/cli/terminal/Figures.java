package io.sluice.cli.terminal;

import java.time.Duration;
import java.util.Locale;

/** Numbers as people read them. Always the same notation, whatever the machine's locale. */
public final class Figures {
  private static final String[] BYTE_UNITS = {"B", "KB", "MB", "GB", "TB"};

  private Figures() {}

  /** {@code 200,000}. */
  public static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** {@code 3.21 MB}, in powers of 1,000, three significant digits. */
  public static String bytes(long bytes) {
    double value = bytes;
    int unit = 0;
    while (Math.abs(value) >= 999.5 && unit < BYTE_UNITS.length - 1) {
      value /= 1000;
      unit++;
    }
    return unit == 0 ? bytes + " B" : threeDigits(value) + " " + BYTE_UNITS[unit];
  }

  /** {@code 1.24}, {@code 12.4}, {@code 124}: three significant digits, no exponent. */
  public static String threeDigits(double value) {
    double size = Math.abs(value);
    int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
    return String.format(Locale.ROOT, "%,." + decimals + "f", value);
  }

  /** Nanoseconds as {@code 870 us}, {@code 3.2 ms} or {@code 1.24 s}. */
  public static String duration(long nanos) {
    if (nanos < 999_500) {
      return Math.round(nanos / 1e3) + " us";
    }
    if (nanos < 999_500_000) {
      return threeDigits(nanos / 1e6) + " ms";
    }
    return threeDigits(nanos / 1e9) + " s";
  }

  /** See {@link #duration(long)}. */
  public static String duration(Duration duration) {
    return duration(duration.toNanos());
  }

  /** {@code 56 %} of the whole; {@code -} when the whole is 0. */
  public static String percent(long part, long whole) {
    return whole == 0 ? "-" : String.format(Locale.ROOT, "%.0f %%", 100.0 * part / whole);
  }

  /** How many per second, as a whole number. */
  public static String rate(long count, long nanos) {
    return nanos <= 0 ? "-" : count(Math.round(count * 1e9 / nanos));
  }
}
