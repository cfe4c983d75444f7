package io.sluice.format.row;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
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

/** Values of every scalar type, read from text or drawn at random. */
public final class TestValues {
  public static final List<String> SCALARS =
      List.of(
          "BOOLEAN",
          "TINYINT",
          "SMALLINT",
          "INT",
          "BIGINT",
          "FLOAT",
          "DOUBLE",
          "CHAR(7)",
          "STRING",
          "DECIMAL(4,2)",
          "DECIMAL(18,0)",
          "DECIMAL(38,10)",
          "DATE",
          "TIME(0)",
          "TIME(2)",
          "TIME(6)",
          "TIME(9)",
          "TIMESTAMP(0)",
          "TIMESTAMP(3)",
          "TIMESTAMP(4)",
          "TIMESTAMP(9)",
          "TIMESTAMP_LTZ(0)",
          "TIMESTAMP_LTZ(3)",
          "TIMESTAMP_LTZ(6)",
          "TIMESTAMP_LTZ(8)",
          "BINARY(3)",
          "BYTES");

  private static final String[] CHARACTERS = {
    "a", "Z", "\0", " ", "ß", "\u007f", "日", "\uffff", "😀"
  };

  private TestValues() {}

  /** A schema with a column of each type, named c0, c1 and so on, ids from 1. */
  public static TableSchema schema(boolean nullable, String... types) {
    return schema(1, nullable, types);
  }

  public static TableSchema schema(int schemaId, boolean nullable, String... types) {
    List<Column> columns = new ArrayList<>();
    for (String type : types) {
      columns.add(
          Column.of(
              columns.size() + 1, "c" + columns.size(), DataTypeParser.parse(type), nullable));
    }
    return new TableSchema(schemaId, columns, List.of());
  }

  public static TableSchema allScalars(boolean nullable) {
    return schema(nullable, SCALARS.toArray(new String[0]));
  }

  public static List<String> names(TableSchema schema) {
    return schema.columns().stream().map(Column::name).toList();
  }

  /** The value that test vector files write as this text; binary is hexadecimal. */
  public static Object parse(DataType type, String text) {
    String name = type.toString().replaceAll("\\(.*", "");
    return switch (name) {
      case "BOOLEAN" -> Boolean.valueOf(text);
      case "TINYINT" -> Byte.valueOf(text);
      case "SMALLINT" -> Short.valueOf(text);
      case "INT" -> Integer.valueOf(text);
      case "BIGINT" -> Long.valueOf(text);
      case "FLOAT" -> Float.valueOf(text);
      case "DOUBLE" -> Double.valueOf(text);
      case "CHAR", "STRING" -> text;
      case "DECIMAL" -> new BigDecimal(text);
      case "DATE" -> LocalDate.parse(text);
      case "TIME" -> LocalTime.parse(text);
      case "TIMESTAMP" -> LocalDateTime.parse(text);
      case "TIMESTAMP_LTZ" -> Instant.parse(text);
      default -> HexFormat.of().parseHex(text);
    };
  }

  /** A value of the type; edges are likely. */
  public static Object random(DataType type, SplittableRandom random) {
    if (type instanceof DataType.IntegerType integer) {
      long value = edgy(random) >> (64 - integer.bits());
      return switch (integer.bits()) {
        case 8 -> (Object) (byte) value;
        case 16 -> (Object) (short) value;
        case 32 -> (Object) (int) value;
        default -> (Object) value;
      };
    }
    if (type instanceof DataType.DecimalType decimal) {
      BigInteger limit = BigInteger.TEN.pow(random.nextInt(1, decimal.precision() + 1));
      BigInteger unscaled = new BigInteger(1, bytes(random, 17)).mod(limit).multiply(sign(random));
      return new BigDecimal(unscaled, decimal.scale());
    }
    if (type instanceof DataType.TimeType time) {
      long step = Temporals.nanosPerStep(time.precision());
      return LocalTime.ofNanoOfDay(random.nextLong(86_400_000_000_000L / step) * step);
    }
    if (type instanceof DataType.TimestampType timestamp) {
      return timestamp(timestamp.precision(), random);
    }
    if (type instanceof DataType.TimestampLtzType timestamp) {
      return timestamp(timestamp.precision(), random).toInstant(ZoneOffset.UTC);
    }
    if (type instanceof DataType.BinaryType binary) {
      return bytes(random, binary.length());
    }
    if (type instanceof DataType.CharType text) {
      return text(random, random.nextInt(text.length() + 1));
    }
    return type.isNested() ? nested(type, random) : plain(type, random);
  }

  private static Object nested(DataType type, SplittableRandom random) {
    int size = random.nextInt(8) == 0 ? random.nextInt(40) : random.nextInt(4);
    if (type instanceof DataType.ArrayType array) {
      List<Object> elements = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        elements.add(orNull(array.element(), array.elementNullable(), random));
      }
      return elements;
    }
    if (type instanceof DataType.MapType map) {
      Map<Object, Object> entries = new LinkedHashMap<>();
      for (int i = 0; i < size; i++) {
        entries.put(random(map.key(), random), orNull(map.value(), map.valueNullable(), random));
      }
      return entries;
    }
    List<Object> fields = new ArrayList<>();
    for (DataType.RowType.Field field : ((DataType.RowType) type).fields()) {
      fields.add(orNull(field.type(), field.nullable(), random));
    }
    return GenericRow.of(fields.toArray());
  }

  private static Object orNull(DataType type, boolean nullable, SplittableRandom random) {
    return nullable && random.nextInt(4) == 0 ? null : random(type, random);
  }

  /** A type with up to so many levels of nesting; fields have no ids. */
  public static DataType randomType(SplittableRandom random, int depth) {
    int choice = depth == 0 ? 9 : random.nextInt(10);
    if (choice < 2) {
      return new DataType.ArrayType(randomType(random, depth - 1), random.nextBoolean());
    }
    if (choice == 2) {
      String key = new String[] {"STRING", "INT", "DATE", "DECIMAL(20,3)"}[random.nextInt(4)];
      DataType value = randomType(random, depth - 1);
      return new DataType.MapType(DataTypeParser.parse(key), value, random.nextBoolean());
    }
    if (choice < 6) {
      List<DataType.RowType.Field> fields = new ArrayList<>();
      for (int i = random.nextInt(4); i >= 0; i--) {
        DataType type = randomType(random, depth - 1);
        fields.add(new DataType.RowType.Field(0, "f" + i, type, random.nextInt(3) > 0));
      }
      return new DataType.RowType(fields);
    }
    return DataTypeParser.parse(SCALARS.get(random.nextInt(SCALARS.size())));
  }

  /** A schema of nested and scalar columns. */
  public static TableSchema randomSchema(SplittableRandom random, int maxColumns, int depth) {
    List<Column> columns = new ArrayList<>();
    for (int i = random.nextInt(maxColumns); i >= 0; i--) {
      int id = columns.size() + 1;
      columns.add(Column.of(id, "c" + id, randomType(random, depth), random.nextInt(3) > 0));
    }
    return new TableSchema(1, columns, List.of());
  }

  private static Object plain(DataType type, SplittableRandom random) {
    return switch (type.toString()) {
      case "BOOLEAN" -> random.nextBoolean();
      case "FLOAT" -> floating(random);
      case "DOUBLE" -> random.nextBoolean() ? (double) floating(random) : random.nextDouble();
      case "STRING" -> text(random, random.nextInt(20));
      case "DATE" -> LocalDate.ofEpochDay(random.nextInt(-1_000_000, 1_000_000));
      case "BYTES" -> bytes(random, random.nextInt(9));
      default -> throw new IllegalArgumentException(type.toString());
    };
  }

  private static float floating(SplittableRandom random) {
    float[] edges = {
      0f, -0f, Float.NaN, Float.MIN_VALUE, Float.MAX_VALUE, Float.NEGATIVE_INFINITY, 1.5f, -2f
    };
    return random.nextBoolean()
        ? edges[random.nextInt(edges.length)]
        : Float.intBitsToFloat(random.nextInt());
  }

  private static long edgy(SplittableRandom random) {
    return switch (random.nextInt(5)) {
      case 0 -> Long.MIN_VALUE;
      case 1 -> Long.MAX_VALUE;
      case 2 -> 0;
      default -> random.nextLong();
    };
  }

  private static BigInteger sign(SplittableRandom random) {
    return random.nextBoolean() ? BigInteger.ONE : BigInteger.ONE.negate();
  }

  private static LocalDateTime timestamp(int precision, SplittableRandom random) {
    long bound = precision > 6 ? 9_000_000_000L : 60_000_000_000L;
    int step = Temporals.nanosPerStep(precision);
    int nano = random.nextInt(1_000_000_000 / step) * step;
    return LocalDateTime.ofEpochSecond(random.nextLong(-bound, bound), nano, ZoneOffset.UTC);
  }

  static byte[] bytes(SplittableRandom random, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (random.nextInt(3) == 0 ? 0 : random.nextInt());
    }
    return bytes;
  }

  private static String text(SplittableRandom random, int characters) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < characters; i++) {
      text.append(CHARACTERS[random.nextInt(random.nextBoolean() ? 2 : CHARACTERS.length)]);
    }
    return text.toString();
  }

  /** A row of the schema; nullable columns are NULL at times. */
  public static GenericRow randomRow(TableSchema schema, SplittableRandom random) {
    Object[] values = new Object[schema.size()];
    for (int i = 0; i < values.length; i++) {
      Column column = schema.columns().get(i);
      boolean isNull = column.nullable() && random.nextInt(4) == 0;
      values[i] = isNull ? null : random(column.type(), random);
    }
    return GenericRow.of(values);
  }

  /** Entries of a file of test vectors, relative to the module. */
  public static List<JsonNode> vectors(String path) {
    try {
      List<JsonNode> entries = new ArrayList<>();
      new ObjectMapper().readTree(Files.readAllBytes(Path.of(path))).forEach(entries::add);
      return entries;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The schema of the entry's columns. */
  public static TableSchema schemaOf(JsonNode entry, boolean nullableByDefault) {
    List<Column> columns = new ArrayList<>();
    for (JsonNode each : entry.get("columns")) {
      boolean nullable =
          each.has("nullable") ? each.get("nullable").asBoolean() : nullableByDefault;
      DataType type = DataTypeParser.parse(each.get("type").asText());
      columns.add(Column.of(columns.size() + 1, "c" + columns.size(), type, nullable));
    }
    int schemaId = entry.has("schemaId") ? entry.get("schemaId").asInt() : 1;
    return new TableSchema(schemaId, columns, List.of());
  }

  /** The row of the entry's values. */
  public static GenericRow rowOf(JsonNode entry) {
    List<Object> values = new ArrayList<>();
    for (JsonNode each : entry.get("columns")) {
      DataType type = DataTypeParser.parse(each.get("type").asText());
      JsonNode value = each.get("value");
      values.add(value.isNull() ? null : parse(type, value.asText()));
    }
    return GenericRow.of(values.toArray());
  }
}
