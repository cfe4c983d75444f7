package io.sluice.cli.table;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeSecVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.jspecify.annotations.Nullable;

/** Values of Arrow vectors as text and as JSON values. */
final class CellText {
  private static final String NULL = "NULL";

  /** Always with seconds, with as many digits after them as are needed. */
  private static final DateTimeFormatter WALL_CLOCK =
      new DateTimeFormatterBuilder()
          .appendPattern("uuuu-MM-dd HH:mm:ss")
          .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
          .toFormatter(Locale.ROOT);

  private CellText() {}

  /** As text for a person, in one line. */
  static String text(FieldVector vector, int row) {
    StringBuilder text = new StringBuilder();
    append(text, value(vector, row));
    return text.toString().replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t");
  }

  /** ROW as {a: 1, b: 2}, MAP as {k -> 1, l -> 2}, ARRAY as [1, 2]. */
  private static void append(StringBuilder text, @Nullable Object value) {
    if (value instanceof Map<?, ?> fields) {
      String separator = "{";
      for (Map.Entry<?, ?> field : fields.entrySet()) {
        text.append(separator).append(field.getKey()).append(": ");
        append(text, field.getValue());
        separator = ", ";
      }
      text.append('}');
    } else if (value instanceof Entries entries) {
      String separator = "{";
      for (List<@Nullable Object> entry : entries.list()) {
        text.append(separator);
        append(text, entry.get(0));
        text.append(" -> ");
        append(text, entry.get(1));
        separator = ", ";
      }
      text.append(entries.list().isEmpty() ? "{}" : "}");
    } else if (value instanceof List<?> elements) {
      String separator = "[";
      for (Object element : elements) {
        text.append(separator);
        append(text, element);
        separator = ", ";
      }
      text.append(elements.isEmpty() ? "[]" : "]");
    } else {
      text.append(value == null ? NULL : value);
    }
  }

  /**
   * As a number, a boolean, null, or text; ROW as an object, ARRAY as an array, MAP as an array of
   * pairs.
   */
  static @Nullable Object jsonValue(FieldVector vector, int row) {
    return json(value(vector, row));
  }

  private static @Nullable Object json(@Nullable Object value) {
    if (value == null || value instanceof Boolean) {
      return value;
    }
    if (value instanceof Map<?, ?> fields) {
      Map<String, @Nullable Object> object = new LinkedHashMap<>();
      fields.forEach((name, field) -> object.put(String.valueOf(name), json(field)));
      return object;
    }
    if (value instanceof Entries entries) {
      return json(entries.list());
    }
    if (value instanceof List<?> elements) {
      List<@Nullable Object> array = new ArrayList<>(elements.size());
      elements.forEach(element -> array.add(json(element)));
      return array;
    }
    boolean number =
        value instanceof Integer
            || value instanceof Long
            || value instanceof Short
            || value instanceof Byte
            || value instanceof Float
            || value instanceof Double;
    return number ? value : value.toString();
  }

  private static @Nullable Object value(FieldVector vector, int row) {
    if (vector.isNull(row)) {
      return null;
    }
    if (vector instanceof MapVector maps) {
      return entries(maps, row);
    }
    if (vector instanceof ListVector lists) {
      FieldVector elements = lists.getDataVector();
      List<@Nullable Object> list = new ArrayList<>();
      for (int i = lists.getElementStartIndex(row); i < lists.getElementEndIndex(row); i++) {
        list.add(value(elements, i));
      }
      return list;
    }
    if (vector instanceof StructVector rows) {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      rows.getChildrenFromFields().forEach(each -> fields.put(each.getName(), value(each, row)));
      return fields;
    }
    if (vector instanceof TimeStampVector timestamps) {
      return timestamp(timestamps, row);
    }
    if (vector instanceof DateDayVector dates) {
      return LocalDate.ofEpochDay(dates.get(row));
    }
    if (vector instanceof TimeSecVector times) {
      return LocalTime.ofSecondOfDay(times.get(row));
    }
    if (vector instanceof TimeMilliVector times) {
      return LocalTime.ofNanoOfDay(times.get(row) * 1_000_000L);
    }
    if (vector instanceof TimeMicroVector times) {
      return LocalTime.ofNanoOfDay(times.get(row) * 1_000L);
    }
    if (vector instanceof TimeNanoVector times) {
      return LocalTime.ofNanoOfDay(times.get(row));
    }
    Object value = vector.getObject(row);
    return value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value;
  }

  private static Entries entries(MapVector maps, int row) {
    List<FieldVector> pair = ((StructVector) maps.getDataVector()).getChildrenFromFields();
    List<List<@Nullable Object>> list = new ArrayList<>();
    for (int i = maps.getElementStartIndex(row); i < maps.getElementEndIndex(row); i++) {
      List<@Nullable Object> entry = new ArrayList<>(2);
      entry.add(value(pair.get(0), i));
      entry.add(value(pair.get(1), i));
      list.add(entry);
    }
    return new Entries(list);
  }

  /** The entries of a MAP, each a key and a value. */
  private record Entries(List<List<@Nullable Object>> list) {}

  private static String timestamp(TimeStampVector vector, int row) {
    ArrowType.Timestamp type = (ArrowType.Timestamp) vector.getField().getType();
    long perSecond = perSecond(type.getUnit());
    long value = vector.get(row);
    Instant instant =
        Instant.ofEpochSecond(
            Math.floorDiv(value, perSecond),
            Math.floorMod(value, perSecond) * (1_000_000_000L / perSecond));
    if (type.getTimezone() != null) {
      return instant.toString();
    }
    return WALL_CLOCK.format(LocalDateTime.ofInstant(instant, ZoneOffset.UTC));
  }

  private static long perSecond(TimeUnit unit) {
    return switch (unit) {
      case SECOND -> 1L;
      case MILLISECOND -> 1_000L;
      case MICROSECOND -> 1_000_000L;
      case NANOSECOND -> 1_000_000_000L;
    };
  }
}
