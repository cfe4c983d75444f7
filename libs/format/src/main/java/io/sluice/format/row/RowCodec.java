package io.sluice.format.row;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.TableSchema;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The compact row value, format 1: a header of 12 bytes with the schema id and the time of the last
 * change, a bitmap of nulls, a slot of fixed width for each column, and the bytes of text, BYTES
 * and nested columns. Any column can be read without its neighbours. The bytes are described in
 * {@code docs/formats/row-encoding.md}. Immutable and thread-safe.
 */
public final class RowCodec {
  /** The format version in the first byte. */
  public static final int FORMAT = 1;

  /** Bytes before the bitmap of nulls. */
  public static final int HEADER_SIZE = 12;

  static final int FLAGS_AT = 1;
  static final int SCHEMA_ID_AT = 2;
  static final int MODIFIED_AT = 4;

  static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final RowLayout layout;

  private RowCodec(RowLayout layout) {
    this.layout = layout;
  }

  /** The codec of rows of that schema. */
  public static RowCodec of(TableSchema schema) {
    return new RowCodec(new RowLayout(schema));
  }

  /**
   * The value of a row.
   *
   * @param modifiedMs time of the change, epoch milliseconds
   * @throws SluiceException INVALID_VALUE naming the column whose value does not fit
   */
  public byte[] encode(Row row, long modifiedMs) {
    ByteAccumulator out = new ByteAccumulator(layout.variableAt() + 16 * layout.size());
    encode(row, modifiedMs, out);
    return out.toByteArray();
  }

  /** As {@link #encode(Row, long)}, appended to {@code out}. */
  public void encode(Row row, long modifiedMs, ByteAccumulator out) {
    if (row.columnCount() != layout.size()) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE,
          "The row has "
              + row.columnCount()
              + " values; the schema has "
              + layout.size()
              + " columns");
    }
    int start = out.extend(layout.variableAt());
    Arrays.fill(out.array(), start, start + layout.variableAt(), (byte) 0);
    out.array()[start] = FORMAT;
    SHORTS.set(out.array(), start + SCHEMA_ID_AT, (short) layout.schema().schemaId());
    LONGS.set(out.array(), start + MODIFIED_AT, modifiedMs);
    for (int i = 0; i < layout.size(); i++) {
      encodeColumn(row, i, start, out);
      if (layout.isVariable(i)) {
        int end = out.length() - start - layout.variableAt();
        INTS.set(out.array(), start + layout.slot(i), end);
      }
    }
  }

  RowLayout layout() {
    return layout;
  }

  /** Writes one column of the value that begins at {@code start}, but not where its bytes end. */
  void encodeColumn(Row row, int index, int start, ByteAccumulator out) {
    if (row.isNull(index)) {
      encodeNull(index, start, out);
    } else if (layout.isVariable(index)) {
      putVariable(row, index, out);
    } else {
      FixedValues.encode(layout.column(index), row, index, out.array(), start + layout.slot(index));
    }
  }

  void encodeNull(int index, int start, ByteAccumulator out) {
    ScalarColumn column = layout.column(index);
    if (!column.rules().column().nullable()) {
      throw column.rules().nullRefused();
    }
    out.array()[start + HEADER_SIZE + index / 8] |= (byte) (1 << index % 8);
  }

  private void putVariable(Row row, int index, ByteAccumulator out) {
    if (layout.column(index).family() == ScalarColumn.Family.NESTED) {
      layout.nested(index).encode(row, index, out);
    } else {
      out.put(layout.column(index).variable(row, index));
    }
  }

  /**
   * The row of a value. Its structure is checked here, its columns are read when asked for; the
   * bytes are not copied and must not change.
   *
   * @throws SluiceException CORRUPT_STORAGE naming position, expected and found; SCHEMA_NOT_FOUND
   *     when the value follows another schema than this codec's
   */
  public CompactRow decode(byte[] value) {
    return CompactRow.of(layout, value);
  }

  /** Schema that the value follows. */
  public static int schemaId(byte[] value) {
    checkHeader(value);
    return (short) SHORTS.get(value, SCHEMA_ID_AT) & 0xFFFF;
  }

  /** Time of the change that wrote the value, epoch milliseconds. */
  public static long modifiedMs(byte[] value) {
    checkHeader(value);
    return (long) LONGS.get(value, MODIFIED_AT);
  }

  /** Replaces the time of the change in a value, for callers that learn it after they encoded. */
  public static void setModifiedMs(byte[] value, long modifiedMs) {
    checkHeader(value);
    LONGS.set(value, MODIFIED_AT, modifiedMs);
  }

  static void checkHeader(byte[] value) {
    if (value.length < HEADER_SIZE) {
      throw damaged(0, "at least " + HEADER_SIZE + " bytes", value.length + " bytes");
    }
    if (value[0] != FORMAT) {
      throw damaged(0, "format " + FORMAT, "format " + (value[0] & 0xFF));
    }
    if (value[FLAGS_AT] != 0) {
      throw damaged(FLAGS_AT, "flags 0", "flags " + (value[FLAGS_AT] & 0xFF));
    }
  }

  static SluiceException damaged(int at, String expected, String found) {
    return new SluiceException(
        ErrorCode.CORRUPT_STORAGE,
        "Row value is damaged at byte " + at + ": expected " + expected + ", found " + found);
  }
}
