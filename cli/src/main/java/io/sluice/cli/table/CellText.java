package io.sluice.cli.table;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.HexFormat;
import java.util.Locale;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeSecVector;
import org.apache.arrow.vector.TimeStampVector;
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
    Object value = value(vector, row);
    if (value == null) {
      return NULL;
    }
    return value.toString().replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t");
  }

  /** As a number, a boolean, null, or text. */
  static @Nullable Object jsonValue(FieldVector vector, int row) {
    Object value = value(vector, row);
    if (value == null || value instanceof Boolean) {
      return value;
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
