package io.sluice.lake.sql;

import io.sluice.lake.duck.ResultValues.StructValue;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Values as JSON has them: numbers that are exact as numbers; DECIMAL (and what SUM makes of whole
 * numbers) as text, because many readers would round it; times as ISO 8601 text; bytes as Base64;
 * ARRAY as array, ROW and MAP as objects.
 */
final class JsonValues {
  private static final DateTimeFormatter TIME =
      new DateTimeFormatterBuilder()
          .appendPattern("HH:mm:ss")
          .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
          .toFormatter(java.util.Locale.ROOT);
  private static final DateTimeFormatter DATE_TIME =
      new DateTimeFormatterBuilder()
          .append(DateTimeFormatter.ISO_LOCAL_DATE)
          .appendLiteral('T')
          .append(TIME)
          .toFormatter(java.util.Locale.ROOT);

  private JsonValues() {}

  static @Nullable Object of(@Nullable Object value) {
    if (value instanceof BigDecimal decimal) {
      return decimal.toPlainString();
    }
    if (value instanceof BigInteger integer) {
      return integer.toString();
    }
    if (value instanceof Double number) {
      return Double.isFinite(number) ? number : number.toString();
    }
    if (value instanceof Float number) {
      return Float.isFinite(number) ? number : number.toString();
    }
    if (value instanceof Instant instant) {
      return DATE_TIME.format(LocalDateTime.ofInstant(instant, ZoneOffset.UTC)) + "Z";
    }
    if (value instanceof LocalDateTime dateTime) {
      return DATE_TIME.format(dateTime);
    }
    if (value instanceof LocalTime time) {
      return TIME.format(time);
    }
    if (value instanceof byte[] bytes) {
      return Base64.getEncoder().encodeToString(bytes);
    }
    return value == null || value instanceof Number || value instanceof Boolean
        ? value
        : nested(value);
  }

  private static Object nested(Object value) {
    if (value instanceof List<?> list) {
      List<@Nullable Object> elements = new ArrayList<>(list.size());
      for (Object element : list) {
        elements.add(of(element));
      }
      return elements;
    }
    if (value instanceof StructValue struct) {
      return object(struct.fields());
    }
    return value instanceof Map<?, ?> map ? object(map) : value.toString();
  }

  private static Map<String, @Nullable Object> object(Map<?, ? extends @Nullable Object> entries) {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    for (Map.Entry<?, ? extends @Nullable Object> entry : entries.entrySet()) {
      object.put(String.valueOf(of(entry.getKey())), of(entry.getValue()));
    }
    return object;
  }

  /** About how much text a value takes, to bound an answer. */
  static long size(@Nullable Object value) {
    if (value instanceof String text) {
      return text.length() + 3L;
    }
    if (value instanceof List<?> list) {
      long size = 2;
      for (Object element : list) {
        size += size(element);
      }
      return size;
    }
    if (value instanceof Map<?, ?> map) {
      long size = 2;
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        size += size(entry.getKey()) + size(entry.getValue());
      }
      return size;
    }
    return 8;
  }
}
