package io.sluice.format.schema;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.List;

/**
 * A column type of Sluice. Nullability belongs to the {@link Column} (or to the element, value or
 * field position of a nested type), not to the type. {@link #toString()} gives the SQL text, which
 * {@link DataTypeParser} reads back.
 */
public sealed interface DataType {

  /** TRUE or FALSE. Arrow Bool. */
  record BooleanType() implements DataType {
    @Override
    public String toString() {
      return "BOOLEAN";
    }
  }

  /** Signed integers of 8, 16, 32 and 64 bits. Arrow Int. */
  record IntegerType(int bits) implements DataType {
    public IntegerType {
      if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
        throw invalid("An integer type has 8, 16, 32 or 64 bits, not " + bits);
      }
    }

    @Override
    public String toString() {
      return switch (bits) {
        case 8 -> "TINYINT";
        case 16 -> "SMALLINT";
        case 32 -> "INT";
        default -> "BIGINT";
      };
    }
  }

  /** IEEE 754 single precision. */
  record FloatType() implements DataType {
    @Override
    public String toString() {
      return "FLOAT";
    }
  }

  /** IEEE 754 double precision. */
  record DoubleType() implements DataType {
    @Override
    public String toString() {
      return "DOUBLE";
    }
  }

  /** Text of at most {@code length} characters. Arrow Utf8. */
  record CharType(int length) implements DataType {
    public CharType {
      if (length < 1) {
        throw invalid("CHAR length is " + length + "; it must be at least 1");
      }
    }

    @Override
    public String toString() {
      return "CHAR(" + length + ")";
    }
  }

  /** Text without a length limit but that of a row. Arrow Utf8. */
  record StringType() implements DataType {
    @Override
    public String toString() {
      return "STRING";
    }
  }

  /** Exact numbers. Arrow Decimal128. */
  record DecimalType(int precision, int scale) implements DataType {
    public DecimalType {
      if (precision < 1 || precision > 38) {
        throw invalid("DECIMAL precision is " + precision + "; it must be between 1 and 38");
      }
      if (scale < 0 || scale > precision) {
        throw invalid(
            "DECIMAL scale is " + scale + "; it must be between 0 and the precision " + precision);
      }
    }

    @Override
    public String toString() {
      return "DECIMAL(" + precision + "," + scale + ")";
    }
  }

  /** Days since 1970-01-01. Arrow Date32. */
  record DateType() implements DataType {
    @Override
    public String toString() {
      return "DATE";
    }
  }

  /** Time of day; the unit follows the precision as for timestamps. Arrow Time32 or Time64. */
  record TimeType(int precision) implements DataType {
    public TimeType {
      checkPrecision("TIME", precision);
    }

    @Override
    public String toString() {
      return "TIME(" + precision + ")";
    }
  }

  /**
   * A wall clock without zone. Precision 0 is stored in seconds, 1 to 3 in milliseconds, 4 to 6 in
   * microseconds, 7 to 9 in nanoseconds. Arrow Timestamp without zone.
   */
  record TimestampType(int precision) implements DataType {
    public TimestampType {
      checkPrecision("TIMESTAMP", precision);
    }

    @Override
    public String toString() {
      return "TIMESTAMP(" + precision + ")";
    }
  }

  /** An instant; units as {@link TimestampType}. Arrow Timestamp with zone UTC. */
  record TimestampLtzType(int precision) implements DataType {
    public TimestampLtzType {
      checkPrecision("TIMESTAMP_LTZ", precision);
    }

    @Override
    public String toString() {
      return "TIMESTAMP_LTZ(" + precision + ")";
    }
  }

  /** Exactly {@code length} bytes. Arrow FixedSizeBinary. */
  record BinaryType(int length) implements DataType {
    public BinaryType {
      if (length < 1) {
        throw invalid("BINARY length is " + length + "; it must be at least 1");
      }
    }

    @Override
    public String toString() {
      return "BINARY(" + length + ")";
    }
  }

  /** Bytes of any length. Arrow Binary. */
  record BytesType() implements DataType {
    @Override
    public String toString() {
      return "BYTES";
    }
  }

  /** A list. Arrow List. */
  record ArrayType(DataType element, boolean elementNullable) implements DataType {
    @Override
    public String toString() {
      return "ARRAY<" + element + (elementNullable ? "" : " NOT NULL") + ">";
    }
  }

  /** A map with keys that are not null. Arrow Map. */
  record MapType(DataType key, DataType value, boolean valueNullable) implements DataType {
    @Override
    public String toString() {
      return "MAP<" + key + "," + value + (valueNullable ? "" : " NOT NULL") + ">";
    }
  }

  /** A struct. Arrow Struct. */
  record RowType(List<Field> fields) implements DataType {
    public RowType {
      fields = List.copyOf(fields);
      if (fields.isEmpty()) {
        throw invalid("ROW has no fields; it needs at least one");
      }
    }

    /** One field of a row, with a stable id inside the table. */
    public record Field(int id, String name, DataType type, boolean nullable) {}

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder("ROW<");
      for (Field field : fields) {
        if (text.length() > 4) {
          text.append(", ");
        }
        text.append('`').append(field.name().replace("`", "``")).append("` ").append(field.type());
        if (!field.nullable()) {
          text.append(" NOT NULL");
        }
      }
      return text.append('>').toString();
    }
  }

  /** Whether this is ARRAY, MAP or ROW. */
  default boolean isNested() {
    return this instanceof ArrayType || this instanceof MapType || this instanceof RowType;
  }

  private static void checkPrecision(String type, int precision) {
    if (precision < 0 || precision > 9) {
      throw invalid(type + " precision is " + precision + "; it must be between 0 and 9");
    }
  }

  private static SluiceException invalid(String message) {
    return new SluiceException(ErrorCode.INVALID_SCHEMA, message);
  }
}
