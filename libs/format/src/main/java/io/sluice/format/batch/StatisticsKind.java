package io.sluice.format.batch;

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
import org.jspecify.annotations.Nullable;

/** How the statistics section writes the bounds of a column. Codes are part of the format. */
public enum StatisticsKind {
  /** Signed 64-bit: booleans as 0 and 1, integers, and temporals as their Arrow integers. */
  INTEGER(1, 8),
  /** IEEE double; FLOAT is widened, which is exact. */
  FLOATING(2, 8),
  /** Signed 128-bit unscaled value. */
  DECIMAL(3, 16),
  /** A length byte and the bytes, compared as unsigned: text in UTF-8, and binary. */
  BYTES(4, -1);

  private static final StatisticsKind[] BY_CODE = values();

  private final int code;
  private final int boundBytes;

  StatisticsKind(int code, int boundBytes) {
    this.code = code;
    this.boundBytes = boundBytes;
  }

  /** The byte in the section. */
  int code() {
    return code;
  }

  /** Bytes of one bound, -1 when they vary. */
  int boundBytes() {
    return boundBytes;
  }

  /** The kind of that code, null when there is none. */
  static @Nullable StatisticsKind of(int code) {
    return code >= 1 && code <= BY_CODE.length ? BY_CODE[code - 1] : null;
  }

  /** The kind for a type, null for nested types, which have no statistics. */
  static @Nullable StatisticsKind of(DataType type) {
    if (type instanceof ArrayType || type instanceof MapType || type instanceof RowType) {
      return null;
    }
    if (type instanceof FloatType || type instanceof DoubleType) {
      return FLOATING;
    }
    if (type instanceof DecimalType) {
      return DECIMAL;
    }
    if (type instanceof CharType
        || type instanceof StringType
        || type instanceof BinaryType
        || type instanceof BytesType) {
      return BYTES;
    }
    if (type instanceof BooleanType
        || type instanceof IntegerType
        || type instanceof DateType
        || type instanceof TimeType
        || type instanceof TimestampType
        || type instanceof TimestampLtzType) {
      return INTEGER;
    }
    throw new IllegalArgumentException("No statistics are defined for " + type);
  }
}
