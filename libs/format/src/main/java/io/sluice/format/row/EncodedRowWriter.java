package io.sluice.format.row;

import static io.sluice.format.row.RowCodec.INTS;
import static io.sluice.format.row.RowCodec.LONGS;
import static io.sluice.format.row.RowCodec.SHORTS;

import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * Writes row values, as a {@link RowCodec} encodes them, into the vectors of a root, without making
 * an object of any scalar. {@link #finish} gives the root its length.
 *
 * <p>Not thread-safe. The root belongs to the caller, who closes it.
 */
public final class EncodedRowWriter {

  /** How a column gets from the value into its vector. */
  private enum Kind {
    FIXED,
    BOOLEAN,
    SHORT_DECIMAL,
    VARIABLE,
    NESTED
  }

  private final RowCodec codec;
  private final RowLayout layout;
  private final VectorSchemaRoot root;
  private final ColumnWriter[] writers;
  private final Kind[] kinds;
  private final boolean nested;
  private int fixedRowBits;
  private int row;

  /**
   * @param codec of the values
   * @param root vectors of the same schema
   * @param expectedRows rows to make room for at first; vectors grow beyond it
   */
  public EncodedRowWriter(RowCodec codec, VectorSchemaRoot root, int expectedRows) {
    this.codec = codec;
    this.layout = codec.layout();
    this.root = root;
    this.writers = new ColumnWriter[layout.size()];
    this.kinds = new Kind[writers.length];
    boolean anyNested = false;
    for (int i = 0; i < writers.length; i++) {
      var column = layout.schema().columns().get(i);
      writers[i] = ColumnWriters.writer(column, root.getVector(i));
      writers[i].bind(Math.max(1, expectedRows));
      kinds[i] = kind(layout.column(i));
      anyNested |= kinds[i] == Kind.NESTED;
      fixedRowBits += ColumnWriters.fixedBits(column.type());
    }
    this.nested = anyNested;
  }

  private static Kind kind(ScalarColumn column) {
    return switch (column.family()) {
      case BOOLEAN -> Kind.BOOLEAN;
      case TEXT, BYTES -> Kind.VARIABLE;
      case NESTED -> Kind.NESTED;
      case DECIMAL ->
          FixedValues.isShortDecimal(column.rules().column()) ? Kind.SHORT_DECIMAL : Kind.FIXED;
      default -> Kind.FIXED;
    };
  }

  /** Writes the row of a value, which must be whole: it was encoded here or decoded before. */
  public void write(byte[] value) {
    int at = row;
    Row decoded = nested ? codec.decode(value) : null;
    for (int i = 0; i < kinds.length; i++) {
      ColumnWriter writer = writers[i];
      if ((value[RowCodec.HEADER_SIZE + i / 8] >> (i % 8) & 1) != 0) {
        writer.putNull(at);
        continue;
      }
      switch (kinds[i]) {
        case FIXED ->
            putFixed(value, layout.slot(i), layout.width(i), ((FixedColumnWriter) writer).slot(at));
        case BOOLEAN -> writer.setBoolean(at, value[layout.slot(i)] != 0);
        case SHORT_DECIMAL -> {
          long low = (long) LONGS.get(value, layout.slot(i));
          long slot = ((FixedColumnWriter) writer).slot(at);
          MemoryUtil.putLong(slot, low);
          MemoryUtil.putLong(slot + 8, low >> 63);
        }
        case VARIABLE -> {
          int from = layout.variableStart(i, value);
          ((VariableColumnWriter) writer)
              .putStored(at, value, from, layout.variableEnd(i, value) - from);
        }
        case NESTED -> {
          if (decoded != null) {
            writer.setFrom(at, decoded, i);
          }
        }
      }
    }
    row = at + 1;
  }

  private static void putFixed(byte[] value, int from, int width, long slot) {
    switch (width) {
      case 8 -> MemoryUtil.putLong(slot, (long) LONGS.get(value, from));
      case 4 -> MemoryUtil.putInt(slot, (int) INTS.get(value, from));
      case 2 -> MemoryUtil.putShort(slot, (short) SHORTS.get(value, from));
      case 1 -> MemoryUtil.putByte(slot, value[from]);
      default -> MemoryUtil.copyToMemory(value, from, slot, width);
    }
  }

  /** Rows written. */
  public int rowCount() {
    return row;
  }

  /** Bytes that the rows take in Arrow, without padding and compression. */
  public long bytes() {
    long bytes = ((long) fixedRowBits * row + 7) / 8;
    for (ColumnWriter writer : writers) {
      bytes += writer.variableBytes(row);
    }
    return bytes;
  }

  /** Gives the vectors and the root their length; nothing may be written afterwards. */
  public void finish() {
    for (ColumnWriter writer : writers) {
      writer.finish(row);
    }
    root.setRowCount(row);
  }
}
