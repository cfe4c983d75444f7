package io.sluice.systemtests.clients;

import io.sluice.format.row.Row;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.BinaryType;
import io.sluice.format.schema.DataType.CharType;
import io.sluice.format.schema.DataType.DecimalType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import io.sluice.format.schema.DataType.TimeType;
import io.sluice.format.schema.DataType.TimestampLtzType;
import io.sluice.format.schema.DataType.TimestampType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Types of every kind, nested to some depth, values that fit them, and values as texts. */
final class RandomTables {
  private static final long[] POWERS = new long[10];

  static {
    POWERS[0] = 1;
    for (int i = 1; i < POWERS.length; i++) {
      POWERS[i] = 10 * POWERS[i - 1];
    }
  }

  private final SplittableRandom random;

  RandomTables(SplittableRandom random) {
    this.random = random;
  }

  /** A type with at most so many levels of nesting. */
  DataType type(int depth) {
    int kind = random.nextInt(depth == 0 ? 15 : 18);
    return switch (kind) {
      case 0 -> new DataType.BooleanType();
      case 1 -> new IntegerType(8 << random.nextInt(4));
      case 2 -> new DataType.FloatType();
      case 3 -> new DataType.DoubleType();
      case 4 -> new CharType(1 + random.nextInt(20));
      case 5, 6 -> new DataType.StringType();
      case 7 -> decimal();
      case 8 -> new DataType.DateType();
      case 9 -> new TimeType(random.nextInt(10));
      case 10, 11 -> new TimestampType(random.nextInt(10));
      case 12 -> new TimestampLtzType(random.nextInt(10));
      case 13 -> new BinaryType(1 + random.nextInt(16));
      case 14 -> new DataType.BytesType();
      case 15 -> new ArrayType(type(depth - 1), random.nextBoolean());
      case 16 -> new MapType(new DataType.StringType(), type(depth - 1), random.nextBoolean());
      default -> row(depth);
    };
  }

  private DataType decimal() {
    int precision = 1 + random.nextInt(38);
    return new DecimalType(precision, random.nextInt(precision + 1));
  }

  private DataType row(int depth) {
    List<RowType.Field> fields = new ArrayList<>();
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      fields.add(new RowType.Field(0, "f" + i, type(depth - 1), random.nextBoolean()));
    }
    return new RowType(fields);
  }

  /** A value, or null in one of four cases where that is allowed. */
  Object valueOrNull(DataType type, boolean nullable) {
    return nullable && random.nextInt(4) == 0 ? null : value(type);
  }

  private Object value(DataType type) {
    if (type instanceof IntegerType integer) {
      long bits = random.nextLong() >> (64 - integer.bits());
      return switch (integer.bits()) {
        case 8 -> (Object) (byte) bits;
        case 16 -> (short) bits;
        case 32 -> (int) bits;
        default -> bits;
      };
    }
    if (type instanceof DecimalType decimal) {
      BigInteger bound = BigInteger.TEN.pow(decimal.precision());
      BigInteger unscaled = new BigInteger(127, new java.util.Random(random.nextLong())).mod(bound);
      return new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), decimal.scale());
    }
    if (type instanceof CharType character) {
      return text(random.nextInt(character.length() + 1));
    }
    if (type instanceof BinaryType binary) {
      return bytes(binary.length());
    }
    if (type.isNested()) {
      return nested(type);
    }
    return simple(type);
  }

  private Object simple(DataType type) {
    if (type instanceof TimeType time) {
      long step = POWERS[9 - time.precision()];
      return LocalTime.ofNanoOfDay(random.nextLong(LocalTime.MAX.toNanoOfDay()) / step * step);
    }
    if (type instanceof TimestampType timestamp) {
      return dateTime(timestamp.precision());
    }
    if (type instanceof TimestampLtzType timestamp) {
      return dateTime(timestamp.precision()).toInstant(ZoneOffset.UTC);
    }
    return switch (type.toString()) {
      case "BOOLEAN" -> random.nextBoolean();
      case "FLOAT" -> Float.intBitsToFloat(random.nextInt() & 0xFF7FFFFF);
      case "DOUBLE" -> random.nextInt(5) == 0 ? Double.NaN : random.nextDouble() * 1e300;
      case "DATE" -> LocalDate.ofEpochDay(random.nextLong(-700_000, 2_900_000));
      case "BYTES" -> bytes(random.nextInt(40));
      default -> text(random.nextInt(60));
    };
  }

  private LocalDateTime dateTime(int precision) {
    // Nanoseconds fit from 1677 to 2262 only.
    long seconds =
        precision > 6
            ? random.nextLong(-9_000_000_000L, 9_000_000_000L)
            : random.nextLong(-60_000_000_000L, 250_000_000_000L);
    long step = POWERS[9 - precision];
    int nanos = (int) (random.nextInt(1_000_000_000) / step * step);
    return LocalDateTime.ofEpochSecond(seconds, nanos, ZoneOffset.UTC);
  }

  private Object nested(DataType type) {
    if (type instanceof ArrayType array) {
      List<Object> elements = new ArrayList<>();
      for (int left = random.nextInt(5); left > 0; left--) {
        elements.add(valueOrNull(array.element(), array.elementNullable()));
      }
      return elements;
    }
    if (type instanceof MapType map) {
      Map<Object, Object> entries = new LinkedHashMap<>();
      for (int left = random.nextInt(4); left > 0; left--) {
        entries.put("k" + left, valueOrNull(map.value(), map.valueNullable()));
      }
      return entries;
    }
    List<RowType.Field> fields = ((RowType) type).fields();
    Object[] values = new Object[fields.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = valueOrNull(fields.get(i).type(), fields.get(i).nullable());
    }
    return Row.of(values);
  }

  private String text(int characters) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < characters; i++) {
      text.append(
          (char) (random.nextInt(6) == 0 ? 0xE0 + random.nextInt(40) : ' ' + random.nextInt(90)));
    }
    return text.toString();
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /** One column of a row as text; equal values give equal texts. */
  static String text(Row row, int column, DataType type) {
    return row.isNull(column) ? "NULL" : text(get(row, column, type), type);
  }

  private static Object get(Row row, int column, DataType type) {
    if (type instanceof IntegerType) {
      return row.getLong(column);
    }
    if (type instanceof DecimalType) {
      return row.getDecimal(column);
    }
    if (type instanceof ArrayType) {
      return row.getArray(column);
    }
    if (type instanceof MapType) {
      return row.getMap(column);
    }
    if (type instanceof RowType) {
      return row.getRow(column);
    }
    if (type instanceof TimeType) {
      return row.getTime(column);
    }
    if (type instanceof TimestampType) {
      return row.getTimestamp(column);
    }
    if (type instanceof TimestampLtzType) {
      return row.getInstant(column);
    }
    return getPlain(row, column, type);
  }

  private static Object getPlain(Row row, int column, DataType type) {
    return switch (type.toString()) {
      case "BOOLEAN" -> row.getBoolean(column);
      case "FLOAT" -> row.getFloat(column);
      case "DOUBLE" -> row.getDouble(column);
      case "DATE" -> row.getDate(column);
      default ->
          type instanceof BinaryType || type instanceof DataType.BytesType
              ? row.getBytes(column)
              : row.getString(column);
    };
  }

  private static String text(Object value, DataType type) {
    if (value == null) {
      return "NULL";
    }
    if (value instanceof byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
    if (value instanceof BigDecimal decimal) {
      return decimal.toPlainString();
    }
    if (value instanceof Instant instant) {
      return instant.getEpochSecond() + "." + instant.getNano();
    }
    if (type instanceof ArrayType array) {
      List<String> texts = new ArrayList<>();
      ((List<?>) value).forEach(each -> texts.add(text(each, array.element())));
      return texts.toString();
    }
    if (type instanceof MapType map) {
      List<String> texts = new ArrayList<>();
      ((Map<?, ?>) value).forEach((key, each) -> texts.add(key + "=" + text(each, map.value())));
      return texts.toString();
    }
    if (type instanceof RowType rowType) {
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < rowType.fields().size(); i++) {
        texts.add(text((Row) value, i, rowType.fields().get(i).type()));
      }
      return texts.toString();
    }
    return value.toString();
  }
}
