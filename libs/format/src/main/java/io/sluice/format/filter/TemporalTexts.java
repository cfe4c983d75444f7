package io.sluice.format.filter;

import io.sluice.format.filter.Literal.DateLiteral;
import io.sluice.format.filter.Literal.InstantLiteral;
import io.sluice.format.filter.Literal.TimeLiteral;
import io.sluice.format.filter.Literal.TimestampLiteral;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The texts of dates, times and bytes in a filter. Null stands for a text that is none. */
final class TemporalTexts {
  private static final DateTimeFormatter TIME =
      new DateTimeFormatterBuilder()
          .appendPattern("HH:mm")
          .optionalStart()
          .appendPattern(":ss")
          .optionalStart()
          .appendFraction(ChronoField.NANO_OF_SECOND, 1, 9, true)
          .toFormatter(Locale.ROOT)
          .withResolverStyle(ResolverStyle.STRICT);

  private static final DateTimeFormatter TIMESTAMP =
      new DateTimeFormatterBuilder()
          .append(DateTimeFormatter.ISO_LOCAL_DATE)
          .appendLiteral(' ')
          .append(TIME)
          .optionalStart()
          .appendOffset("+HH:mm", "Z")
          .toFormatter(Locale.ROOT)
          .withResolverStyle(ResolverStyle.STRICT);

  private TemporalTexts() {}

  static @Nullable DateLiteral date(String text, int position) {
    try {
      return new DateLiteral(LocalDate.parse(text.trim()), position);
    } catch (DateTimeException e) {
      return null;
    }
  }

  static @Nullable TimeLiteral time(String text, int position) {
    try {
      return new TimeLiteral(LocalTime.parse(text.trim(), TIME), position);
    } catch (DateTimeException e) {
      return null;
    }
  }

  /** A timestamp with or without a zone; a date alone is its midnight. */
  static @Nullable Literal timestamp(String text, int position) {
    DateLiteral date = date(text, position);
    if (date != null) {
      return new TimestampLiteral(date.value().atStartOfDay(), position);
    }
    try {
      TemporalAccessor value =
          TIMESTAMP.parseBest(
              text.trim().replace('T', ' '), OffsetDateTime::from, LocalDateTime::from);
      return value instanceof OffsetDateTime instant
          ? new InstantLiteral(instant.toInstant(), position)
          : new TimestampLiteral((LocalDateTime) value, position);
    } catch (DateTimeException e) {
      return null;
    }
  }

  /** How such a text looks. */
  static String form(String type) {
    return switch (type) {
      case "DATE" -> "it looks like 2024-01-31";
      case "TIME" -> "it looks like 23:59:59.123";
      default -> "it looks like 2024-01-31 23:59:59.123, with Z or +02:00 when it has a zone";
    };
  }

  static boolean isHex(String text) {
    return text.length() % 2 == 0
        && text.chars().allMatch(c -> Character.digit((char) c, 16) >= 0 && c < 128);
  }
}
