package io.sluice.lake.duck;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Struct;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.temporal.Temporal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.duckdb.DuckDBStruct;
import org.jspecify.annotations.Nullable;

/**
 * Values of a result as plain Java: Boolean, Byte, Short, Integer, Long, BigInteger, BigDecimal,
 * Float, Double, String, byte[], LocalDate, LocalTime, LocalDateTime, Instant, {@link StructValue},
 * List and Map. NULL is null; the engine's infinite times are the texts infinity and -infinity.
 */
public final class ResultValues {
  private static final Instant INFINITY = Instant.EPOCH.plus(Long.MAX_VALUE, ChronoUnit.MICROS);
  private static final Instant INFINITY_PAST =
      Instant.EPOCH.minus(Long.MAX_VALUE, ChronoUnit.MICROS);
  private static final LocalDateTime TIMESTAMP_INFINITY =
      LocalDateTime.ofInstant(INFINITY, ZoneOffset.UTC);
  private static final LocalDateTime TIMESTAMP_PAST =
      LocalDateTime.ofInstant(INFINITY_PAST, ZoneOffset.UTC);
  private static final LocalDate DATE_INFINITY = LocalDate.ofEpochDay(Integer.MAX_VALUE);
  private static final LocalDate DATE_PAST = LocalDate.ofEpochDay(-Integer.MAX_VALUE);

  private final boolean[] wallClock;

  ResultValues(ResultSetMetaData metadata) throws SQLException {
    wallClock = new boolean[metadata.getColumnCount()];
    for (int i = 0; i < wallClock.length; i++) {
      String type = metadata.getColumnTypeName(i + 1).toUpperCase(Locale.ROOT);
      wallClock[i] =
          type.equals("TIMESTAMP") || (type.startsWith("TIMESTAMP_") && !type.contains("TZ"));
    }
  }

  /**
   * A struct.
   *
   * @param fields its fields in order
   */
  public record StructValue(Map<String, @Nullable Object> fields) {
    private static final String UNNAMED = "EXPR$";

    /** Whether its fields were written without names. */
    public boolean unnamed() {
      return fields.keySet().stream().allMatch(name -> name.startsWith(UNNAMED));
    }

    public StructValue {
      fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }
  }

  @Nullable Object[] read(ResultSet rows) throws SQLException {
    @Nullable Object[] row = new @Nullable Object[wallClock.length];
    for (int i = 0; i < row.length; i++) {
      try {
        // A java.sql.Timestamp knows no hour that the zone of this process leaves out.
        row[i] =
            wallClock[i]
                ? finite(rows.getObject(i + 1, LocalDateTime.class))
                : plain(rows.getObject(i + 1));
      } catch (DateTimeException | ArithmeticException e) {
        throw new SluiceException(
            ErrorCode.INVALID_VALUE,
            "Column "
                + (i + 1)
                + " of the result has a value that cannot be given out: "
                + e.getMessage()
                + "; CAST it to VARCHAR",
            e);
      }
    }
    return row;
  }

  /** The engine's infinite times are its largest numbers; as dates they would be mere nonsense. */
  private static @Nullable Object finite(@Nullable Object time) {
    if (time == null) {
      return null;
    }
    if (time.equals(TIMESTAMP_INFINITY) || time.equals(DATE_INFINITY) || time.equals(INFINITY)) {
      return "infinity";
    }
    boolean past =
        time.equals(TIMESTAMP_PAST) || time.equals(DATE_PAST) || time.equals(INFINITY_PAST);
    return past ? "-infinity" : time;
  }

  private static @Nullable Object plain(@Nullable Object value) throws SQLException {
    if (value == null
        || value instanceof Number
        || value instanceof Boolean
        || value instanceof String) {
      return value;
    }
    if (value instanceof OffsetDateTime instant) {
      return finite(instant.toInstant());
    }
    if (value instanceof Blob blob) {
      return blob.getBytes(1, Math.toIntExact(blob.length()));
    }
    if (value instanceof Timestamp timestamp) {
      return finite(timestamp.toLocalDateTime());
    }
    if (value instanceof Date date) {
      return finite(date.toLocalDate());
    }
    if (value instanceof Time time) {
      return time.toLocalTime();
    }
    if (value instanceof Temporal) {
      return finite(value);
    }
    if (value instanceof byte[]) {
      return value;
    }
    return nested(value);
  }

  private static @Nullable Object nested(Object value) throws SQLException {
    if (value instanceof Array array) {
      Object elements = array.getArray();
      List<@Nullable Object> list = new ArrayList<>();
      for (Object element : (Object[]) elements) {
        list.add(plain(element));
      }
      return list;
    }
    if (value instanceof DuckDBStruct struct) {
      return struct(struct);
    }
    if (value instanceof Struct struct) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "A value of type " + struct.getSQLTypeName() + " cannot be given out");
    }
    if (value instanceof Map<?, ?> map) {
      Map<@Nullable Object, @Nullable Object> plain = new LinkedHashMap<>();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        plain.put(plain(entry.getKey()), plain(entry.getValue()));
      }
      return plain;
    }
    // UUID, INTERVAL, JSON, BIT and their like: their text says all.
    return value.toString();
  }

  /** ROW(1, 'a') has no names, which a map would take for one name: Flink's stand for them. */
  private static StructValue struct(DuckDBStruct struct) throws SQLException {
    Object[] values = struct.getAttributes();
    List<String> names = List.copyOf(struct.getMap().keySet());
    boolean named = names.size() == values.length && !names.contains("");
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    for (int i = 0; i < values.length; i++) {
      fields.put(named ? names.get(i) : StructValue.UNNAMED + i, plain(values[i]));
    }
    return new StructValue(fields);
  }
}
