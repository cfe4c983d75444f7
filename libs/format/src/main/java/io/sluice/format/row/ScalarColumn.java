package io.sluice.format.row;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.ArrowLayout;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.BinaryType;
import io.sluice.format.schema.DataType.BooleanType;
import io.sluice.format.schema.DataType.BytesType;
import io.sluice.format.schema.DataType.CharType;
import io.sluice.format.schema.DataType.DateType;
import io.sluice.format.schema.DataType.DecimalType;
import io.sluice.format.schema.DataType.DoubleType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.StringType;
import io.sluice.format.schema.DataType.TimeType;
import io.sluice.format.schema.DataType.TimestampType;
import java.nio.charset.StandardCharsets;

/** How the values of one column are stored: which family, how many bytes, which integer. */
final class ScalarColumn {

  /** Families of types that are encoded alike. */
  enum Family {
    BOOLEAN,
    INTEGER,
    DATE,
    TIME,
    TIMESTAMP,
    INSTANT,
    FLOAT,
    DOUBLE,
    DECIMAL,
    TEXT,
    BYTES,
    BINARY,
    /** ARRAY, MAP and ROW. */
    NESTED
  }

  private final ValueRules rules;
  private final Family family;
  private final int width;

  ScalarColumn(Column column) {
    this.rules = new ValueRules(column);
    this.family = family(column.type());
    this.width = family == Family.BOOLEAN ? 1 : ArrowLayout.fixedWidth(column.type());
  }

  private static Family family(DataType type) {
    if (type.isNested()) {
      return Family.NESTED;
    }
    if (type instanceof BooleanType) {
      return Family.BOOLEAN;
    }
    if (type instanceof IntegerType) {
      return Family.INTEGER;
    }
    if (type instanceof FloatType) {
      return Family.FLOAT;
    }
    if (type instanceof DoubleType) {
      return Family.DOUBLE;
    }
    if (type instanceof CharType || type instanceof StringType) {
      return Family.TEXT;
    }
    if (type instanceof DecimalType) {
      return Family.DECIMAL;
    }
    if (type instanceof DateType) {
      return Family.DATE;
    }
    if (type instanceof TimeType) {
      return Family.TIME;
    }
    if (type instanceof BytesType) {
      return Family.BYTES;
    }
    if (type instanceof BinaryType) {
      return Family.BINARY;
    }
    return type instanceof TimestampType ? Family.TIMESTAMP : Family.INSTANT;
  }

  ValueRules rules() {
    return rules;
  }

  Family family() {
    return family;
  }

  String name() {
    return rules.column().name();
  }

  /** Bytes of a value as in Arrow, 1 for BOOLEAN; 0 for text and BYTES. */
  int width() {
    return width;
  }

  /** The bytes of a text or BYTES value. INVALID_VALUE when the column cannot hold it. */
  byte[] variable(Row row, int at) {
    if (family == Family.BYTES) {
      return row.getBytes(at);
    }
    String text = row.getString(at);
    rules.text(text);
    rules.wholeCharacters(text);
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The value of a row as the integer that is stored. */
  long units(Row row, int at) {
    return switch (family) {
      case INTEGER -> rules.integer(row.getLong(at));
      case DATE -> rules.date(row.getDate(at));
      case TIME -> rules.time(row.getTime(at));
      case TIMESTAMP -> rules.timestamp(row.getTimestamp(at));
      case INSTANT -> rules.instant(row.getInstant(at));
      default -> throw noInteger();
    };
  }

  /** The Java object of a stored integer. */
  Object value(long units) {
    return switch (family) {
      case INTEGER ->
          switch (width) {
            case 1 -> (Object) (byte) units;
            case 2 -> (Object) (short) units;
            case 4 -> (Object) (int) units;
            default -> (Object) units;
          };
      case DATE -> Temporals.date(units);
      case TIME -> Temporals.time(units, rules.unitsPerSecond());
      case TIMESTAMP -> Temporals.timestamp(units, rules.unitsPerSecond());
      case INSTANT -> Temporals.instant(units, rules.unitsPerSecond());
      default -> throw noInteger();
    };
  }

  private SluiceException noInteger() {
    return new SluiceException(
        ErrorCode.INTERNAL, "Column '" + name() + "' of family " + family + " is no integer");
  }
}
