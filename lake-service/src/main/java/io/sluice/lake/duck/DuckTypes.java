package io.sluice.lake.duck;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.BinaryType;
import io.sluice.format.schema.DataType.BooleanType;
import io.sluice.format.schema.DataType.BytesType;
import io.sluice.format.schema.DataType.CharType;
import io.sluice.format.schema.DataType.DateType;
import io.sluice.format.schema.DataType.DecimalType;
import io.sluice.format.schema.DataType.DoubleType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import io.sluice.format.schema.DataType.StringType;
import io.sluice.format.schema.DataType.TimeType;
import io.sluice.format.schema.DataType.TimestampLtzType;
import io.sluice.format.schema.DataType.TimestampType;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/** The types of DuckDB that columns of Sluice and of its lake have, and back for results. */
final class DuckTypes {
  private static final int MICROSECOND_DIGITS = 6;

  private DuckTypes() {}

  /**
   * The engine's type of a column.
   *
   * @throws SluiceException UNSUPPORTED when the engine would lose digits
   */
  static String of(DataType type) {
    if (type instanceof BooleanType) {
      return "BOOLEAN";
    }
    if (type instanceof IntegerType integer) {
      return integer.bits() == 32 ? "INTEGER" : integer.toString();
    }
    if (type instanceof FloatType || type instanceof DoubleType || type instanceof DateType) {
      return type.toString();
    }
    if (type instanceof CharType || type instanceof StringType) {
      return "VARCHAR";
    }
    if (type instanceof DecimalType decimal) {
      return decimal.toString();
    }
    if (type instanceof BinaryType || type instanceof BytesType) {
      return "BLOB";
    }
    return isNested(type) ? nested(type) : temporal(type);
  }

  private static boolean isNested(DataType type) {
    return type instanceof ArrayType || type instanceof MapType || type instanceof RowType;
  }

  private static String temporal(DataType type) {
    if (type instanceof TimeType time && time.precision() <= MICROSECOND_DIGITS) {
      return "TIME";
    }
    if (type instanceof TimestampType timestamp) {
      return timestamp.precision() <= MICROSECOND_DIGITS ? "TIMESTAMP" : "TIMESTAMP_NS";
    }
    if (type instanceof TimestampLtzType timestamp && timestamp.precision() <= MICROSECOND_DIGITS) {
      return "TIMESTAMP WITH TIME ZONE";
    }
    throw new SluiceException(
        ErrorCode.UNSUPPORTED,
        "Columns of type "
            + type
            + " cannot be read by SQL in this build: its engine has microseconds there");
  }

  private static String nested(DataType type) {
    if (type instanceof ArrayType array) {
      return of(array.element()) + "[]";
    }
    if (type instanceof MapType map) {
      return "MAP(" + of(map.key()) + ", " + of(map.value()) + ")";
    }
    RowType row = (RowType) type;
    return row.fields().stream()
        .map(field -> Names.quote(field.name()) + " " + of(field.type()))
        .collect(Collectors.joining(", ", "STRUCT(", ")"));
  }

  /** The engine's type of a lake column. */
  static String of(Type type) {
    return switch (type.typeId()) {
      case BOOLEAN -> "BOOLEAN";
      case INTEGER -> "INTEGER";
      case LONG -> "BIGINT";
      case FLOAT -> "FLOAT";
      case DOUBLE -> "DOUBLE";
      case DATE -> "DATE";
      case TIME -> "TIME";
      case TIMESTAMP ->
          ((Types.TimestampType) type).shouldAdjustToUTC()
              ? "TIMESTAMP WITH TIME ZONE"
              : "TIMESTAMP";
      case STRING -> "VARCHAR";
      case FIXED, BINARY -> "BLOB";
      case DECIMAL -> {
        Types.DecimalType decimal = (Types.DecimalType) type;
        yield "DECIMAL(" + decimal.precision() + "," + decimal.scale() + ")";
      }
      case LIST -> of(((Types.ListType) type).elementType()) + "[]";
      case MAP -> {
        Types.MapType map = (Types.MapType) type;
        yield "MAP(" + of(map.keyType()) + ", " + of(map.valueType()) + ")";
      }
      case STRUCT ->
          ((Types.StructType) type)
              .fields().stream()
                  .map(field -> Names.quote(field.name()) + " " + of(field.type()))
                  .collect(Collectors.joining(", ", "STRUCT(", ")"));
      default ->
          throw new SluiceException(
              ErrorCode.UNSUPPORTED,
              "Lake columns of type " + type + " cannot be read by SQL in this build");
    };
  }

  /** How a result says the type of a column: in Sluice's names where it has one. */
  static String resultType(String duckType) {
    String type = duckType.toUpperCase(Locale.ROOT);
    if (type.endsWith("]")) {
      int open = duckType.lastIndexOf('[');
      return "ARRAY<" + resultType(duckType.substring(0, open)) + ">";
    }
    List<String> map = arguments(duckType, "MAP(");
    if (map.size() == 2) {
      return "MAP<" + resultType(map.get(0)) + "," + resultType(map.get(1)) + ">";
    }
    List<String> fields = arguments(duckType, "STRUCT(");
    if (!fields.isEmpty()) {
      return fields.stream()
          .map(DuckTypes::resultField)
          .collect(Collectors.joining(", ", "ROW<", ">"));
    }
    return switch (type) {
      case "INTEGER" -> "INT";
      case "VARCHAR", "UUID", "JSON", "ENUM", "INTERVAL", "BIT" -> "STRING";
      case "BLOB" -> "BYTES";
      // What SUM makes of whole numbers.
      case "HUGEINT", "UHUGEINT" -> "DECIMAL(38,0)";
      case "UBIGINT" -> "DECIMAL(20,0)";
      case "UINTEGER" -> "BIGINT";
      case "USMALLINT" -> "INT";
      case "UTINYINT" -> "SMALLINT";
      case "TIME" -> "TIME(6)";
      case "TIMESTAMP" -> "TIMESTAMP(6)";
      case "TIMESTAMP_S" -> "TIMESTAMP(0)";
      case "TIMESTAMP_MS" -> "TIMESTAMP(3)";
      case "TIMESTAMP_NS" -> "TIMESTAMP(9)";
      case "TIMESTAMP WITH TIME ZONE" -> "TIMESTAMP_LTZ(6)";
      default -> type;
    };
  }

  private static String resultField(String field) {
    int end = field.startsWith("\"") ? field.indexOf('"', 1) + 1 : field.indexOf(' ');
    if (end <= 0 || end >= field.length()) {
      // ROW(1, 'a') has no names.
      return resultType(field);
    }
    String name = field.substring(0, end).replace("\"", "");
    return "`" + name + "` " + resultType(field.substring(end).strip());
  }

  /** The arguments of {@code NAME(a, b)} at the top level; none when it is something else. */
  private static List<String> arguments(String type, String opening) {
    if (!type.regionMatches(true, 0, opening, 0, opening.length()) || !type.endsWith(")")) {
      return List.of();
    }
    List<String> found = new java.util.ArrayList<>();
    int depth = 0;
    boolean quoted = false;
    int start = opening.length();
    for (int i = start; i < type.length() - 1; i++) {
      char c = type.charAt(i);
      quoted ^= c == '"';
      if (quoted) {
        continue;
      }
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ',' && depth == 0) {
        found.add(type.substring(start, i).strip());
        start = i + 1;
      }
    }
    found.add(type.substring(start, type.length() - 1).strip());
    return found;
  }
}
