package io.sluice.format.row;

import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType.DecimalType;
import io.sluice.format.schema.TableSchema;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Turns key columns into bytes whose unsigned order is the order of the values, column by column:
 * {@code docs/formats/key-encoding.md} has the bytes. Text is ordered by code point; NaN is larger
 * than every other float, -0.0 is 0.0.
 *
 * <p>Immutable; {@link #encode(Row, ByteAccumulator)} may be called by many threads with an
 * accumulator each.
 */
public final class KeyEncoder {
  /** First byte of every row key. */
  public static final int ROW_PREFIX = 0x01;

  static final int ESCAPED_ZERO = 0xFF;

  private static final int EXPECTED_COLUMN_BYTES = 12;
  private static final int CANONICAL_FLOAT_NAN = 0x7FC00000;
  private static final long CANONICAL_DOUBLE_NAN = 0x7FF8000000000000L;

  private final ScalarColumn[] columns;
  private final int[] positions;

  private KeyEncoder(ScalarColumn[] columns, int[] positions) {
    this.columns = columns;
    this.positions = positions;
  }

  /** The encoder of a table's primary key, reading rows of that schema. */
  public static KeyEncoder of(TableSchema schema) {
    return of(schema, schema.primaryKey());
  }

  /**
   * An encoder of these columns in this order, reading rows of the schema.
   *
   * @throws SluiceException COLUMN_NOT_FOUND; UNSUPPORTED for ARRAY, MAP and ROW columns
   */
  public static KeyEncoder of(TableSchema schema, List<String> keyColumns) {
    ScalarColumn[] columns = new ScalarColumn[keyColumns.size()];
    int[] positions = new int[columns.length];
    for (int i = 0; i < columns.length; i++) {
      positions[i] = schema.position(keyColumns.get(i));
      columns[i] = new ScalarColumn(schema.columns().get(positions[i]));
      if (columns[i].family() == ScalarColumn.Family.NESTED) {
        throw columns[i].rules().noKey();
      }
    }
    return new KeyEncoder(columns, positions);
  }

  /** The row key: {@link #ROW_PREFIX} and the key columns in key order. */
  public byte[] encode(Row row) {
    ByteAccumulator out = new ByteAccumulator(1 + columns.length * EXPECTED_COLUMN_BYTES);
    encode(row, out);
    return out.toByteArray();
  }

  /**
   * Appends the row key.
   *
   * @throws SluiceException INVALID_VALUE when a key column is NULL or its value does not fit
   */
  public void encode(Row row, ByteAccumulator out) {
    out.putByte(ROW_PREFIX);
    for (int i = 0; i < columns.length; i++) {
      if (row.isNull(positions[i])) {
        throw columns[i].rules().refused("NULL", "it is a key column; give it a value");
      }
      encodeColumn(columns[i], row, positions[i], out);
    }
  }

  /**
   * The key columns of a row key, in key order.
   *
   * @throws SluiceException INVALID_VALUE naming column and position when the bytes are no row key
   */
  public GenericRow decode(byte[] key) {
    return new KeyDecoder(key).decode(columns);
  }

  private static void encodeColumn(ScalarColumn column, Row row, int at, ByteAccumulator out) {
    switch (column.family()) {
      case BOOLEAN -> out.putByte(row.getBoolean(at) ? 1 : 0);
      case INTEGER, DATE, TIME, TIMESTAMP, INSTANT ->
          out.putBigEndian(column.units(row, at) ^ signBit(column.width()), column.width());
      case FLOAT -> out.putBigEndian(orderedBits(row.getFloat(at)), 4);
      case DOUBLE -> out.putBigEndian(orderedBits(row.getDouble(at)), 8);
      case DECIMAL -> encodeDecimal(column, row, at, out);
      case TEXT -> encodeText(column, row.getString(at), out);
      case BYTES -> encodeEscaped(row.getBytes(at), out);
      case BINARY -> {
        byte[] value = row.getBytes(at);
        column.rules().fixedBytes(value);
        out.put(value);
      }
      case NESTED -> throw column.rules().noKey();
    }
  }

  static long signBit(int width) {
    return 1L << (8 * width - 1);
  }

  private static int orderedBits(float value) {
    if (value == 0) {
      return Integer.MIN_VALUE;
    }
    int bits = Float.isNaN(value) ? CANONICAL_FLOAT_NAN : Float.floatToRawIntBits(value);
    return bits < 0 ? ~bits : bits ^ Integer.MIN_VALUE;
  }

  private static long orderedBits(double value) {
    if (value == 0) {
      return Long.MIN_VALUE;
    }
    long bits = Double.isNaN(value) ? CANONICAL_DOUBLE_NAN : Double.doubleToRawLongBits(value);
    return bits < 0 ? ~bits : bits ^ Long.MIN_VALUE;
  }

  /** Bytes of the unscaled value in the key: the fewest that hold {@code precision} digits. */
  static int decimalWidth(int precision) {
    return BigInteger.TEN.pow(precision).subtract(BigInteger.ONE).bitLength() / 8 + 1;
  }

  static int decimalWidth(ScalarColumn column) {
    return decimalWidth(((DecimalType) column.rules().column().type()).precision());
  }

  private static void encodeDecimal(ScalarColumn column, Row row, int at, ByteAccumulator out) {
    BigInteger unscaled = column.rules().unscaled(row.getDecimal(at));
    int width = decimalWidth(column);
    byte[] shortest = unscaled.toByteArray();
    int padding = width - shortest.length;
    int start = out.extend(width);
    byte[] array = out.array();
    for (int i = 0; i < padding; i++) {
      array[start + i] = (byte) (unscaled.signum() < 0 ? 0xFF : 0);
    }
    System.arraycopy(shortest, 0, array, start + padding, shortest.length);
    array[start] ^= (byte) 0x80;
  }

  private static void encodeText(ScalarColumn column, String value, ByteAccumulator out) {
    column.rules().text(value);
    column.rules().wholeCharacters(value);
    encodeEscaped(value.getBytes(StandardCharsets.UTF_8), out);
  }

  private static void encodeEscaped(byte[] value, ByteAccumulator out) {
    for (byte b : value) {
      out.putByte(b);
      if (b == 0) {
        out.putByte(ESCAPED_ZERO);
      }
    }
    out.putByte(0);
    out.putByte(0);
  }
}
