package io.sluice.common;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the values of options; every method throws INVALID_OPTION naming the key and the value. */
final class OptionValues {
  private OptionValues() {}

  static int integer(Map<String, String> options, String key, int min, int max, int otherwise) {
    String text = options.get(key);
    if (text == null) {
      return otherwise;
    }
    long value;
    try {
      value = Long.parseLong(text.trim());
    } catch (NumberFormatException e) {
      throw new SluiceException(
          ErrorCode.INVALID_OPTION,
          key + " is '" + text + "'; it must be a whole number between " + min + " and " + max,
          e);
    }
    if (value < min || value > max) {
      throw invalid(key + " is " + value + "; it must be between " + min + " and " + max);
    }
    return (int) value;
  }

  static boolean truth(Map<String, String> options, String key) {
    String text = options.getOrDefault(key, "false").trim();
    if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
      throw invalid(key + " is '" + options.get(key) + "'; it must be true or false");
    }
    return text.equalsIgnoreCase("true");
  }

  /** A duration within these bounds; {@code text} is the option's value. */
  static Duration duration(String key, String text, Duration min, Duration max) {
    Duration duration = DurationText.parse(key, text);
    if (duration.compareTo(min) < 0 || duration.compareTo(max) > 0) {
      throw invalid(
          key
              + " is '"
              + text
              + "'; it must be between "
              + min.toSeconds()
              + " s and "
              + max.toDays()
              + " d");
    }
    return duration;
  }

  /**
   * A duration within these bounds; {@link Duration#ZERO} for {@code none} and for 0, which are for
   * ever.
   *
   * @param otherwise what it is when the option is not set
   */
  static Duration timeToLive(
      Map<String, String> options, String key, Duration otherwise, Duration min, Duration max) {
    String text = options.get(key);
    if (text == null) {
      return otherwise;
    }
    if (text.trim().equalsIgnoreCase("none") || DurationText.parse(key, text).isZero()) {
      return Duration.ZERO;
    }
    try {
      return duration(key, text, min, max);
    } catch (SluiceException e) {
      throw new SluiceException(e.code(), e.getMessage() + ", or none to keep rows for ever", e);
    }
  }

  /** The value in small letters and without blanks around it, null when the option is not set. */
  static @Nullable String word(Map<String, String> options, String key) {
    String text = options.get(key);
    return text == null ? null : text.trim().toLowerCase(Locale.ROOT);
  }

  /** Names of columns separated by commas, each once; empty when the option is not set. */
  static List<String> columns(Map<String, String> options, String key) {
    String text = options.get(key);
    if (text == null) {
      return List.of();
    }
    List<String> columns = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (String part : text.split(",", -1)) {
      String column = part.trim();
      if (column.isEmpty()) {
        throw invalid(key + " is '" + text + "'; it must be column names separated by commas");
      }
      if (!seen.add(column)) {
        throw invalid(key + " names column '" + column + "' twice");
      }
      columns.add(column);
    }
    return List.copyOf(columns);
  }

  static SluiceException invalid(String message) {
    return new SluiceException(ErrorCode.INVALID_OPTION, message);
  }
}
