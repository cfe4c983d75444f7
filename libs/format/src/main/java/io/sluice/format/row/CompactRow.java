package io.sluice.format.row;

import static io.sluice.format.row.RowCodec.HEADER_SIZE;
import static io.sluice.format.row.RowCodec.INTS;
import static io.sluice.format.row.RowCodec.LONGS;
import static io.sluice.format.row.RowCodec.damaged;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.ScalarColumn.Family;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A row read from the bytes of a row value, column by column as asked for; see {@link RowCodec}.
 */
public final class CompactRow implements Row {
  private final RowLayout layout;
  private final byte[] bytes;

  private CompactRow(RowLayout layout, byte[] bytes) {
    this.layout = layout;
    this.bytes = bytes;
  }

  static CompactRow of(RowLayout layout, byte[] value) {
    int schemaId = RowCodec.schemaId(value);
    if (schemaId != layout.schema().schemaId()) {
      throw new SluiceException(
          ErrorCode.SCHEMA_NOT_FOUND,
          "Row value follows schema "
              + schemaId
              + "; it is read with schema "
              + layout.schema().schemaId());
    }
    if (value.length < layout.variableAt()) {
      throw damaged(
          value.length, "at least " + layout.variableAt() + " bytes", value.length + " bytes");
    }
    CompactRow row = new CompactRow(layout, value);
    row.checkStructure();
    return row;
  }

  private void checkStructure() {
    int unused = layout.size() % 8;
    int lastNulls = bytes[HEADER_SIZE + (layout.size() - 1) / 8] & 0xFF;
    if (unused != 0 && lastNulls >>> unused != 0) {
      throw damaged(
          HEADER_SIZE + (layout.size() - 1) / 8,
          "zero bits after the last column",
          "0x" + Integer.toHexString(lastNulls));
    }
    int end = 0;
    for (int i = 0; i < layout.size(); i++) {
      if (isNull(i) && !layout.column(i).rules().column().nullable()) {
        throw damaged(HEADER_SIZE + i / 8, "no NULL in column '" + name(i) + "'", "NULL");
      }
      if (layout.isVariable(i)) {
        int next = intAt(layout.slot(i));
        if (next < end || next > bytes.length - layout.variableAt() || (isNull(i) && next != end)) {
          throw damaged(
              layout.slot(i), "an end of column '" + name(i) + "' from " + end + " on", "" + next);
        }
        end = next;
      }
    }
    if (layout.variableAt() + end != bytes.length) {
      throw damaged(
          layout.variableAt() + end,
          (layout.variableAt() + end) + " bytes in all",
          bytes.length + " bytes");
    }
  }

  /** Time of the change that wrote the value, epoch milliseconds. */
  public long modifiedMs() {
    return RowCodec.modifiedMs(bytes);
  }

  @Override
  public int columnCount() {
    return layout.size();
  }

  @Override
  public boolean isNull(int column) {
    checkPosition(column);
    return (bytes[HEADER_SIZE + column / 8] >> (column % 8) & 1) != 0;
  }

  @Override
  public boolean getBoolean(int column) {
    return bytes[slot(column, Family.BOOLEAN)] != 0;
  }

  @Override
  public byte getByte(int column) {
    return (byte) integer(column, 1);
  }

  @Override
  public short getShort(int column) {
    return (short) integer(column, 2);
  }

  @Override
  public int getInt(int column) {
    return (int) integer(column, 4);
  }

  @Override
  public long getLong(int column) {
    return integer(column, 8);
  }

  @Override
  public float getFloat(int column) {
    return Float.intBitsToFloat(intAt(slot(column, Family.FLOAT)));
  }

  @Override
  public double getDouble(int column) {
    checkPosition(column);
    if (layout.column(column).family() == Family.FLOAT) {
      return getFloat(column);
    }
    return Double.longBitsToDouble((long) LONGS.get(bytes, slot(column, Family.DOUBLE)));
  }

  @Override
  public String getString(int column) {
    slot(column, Family.TEXT);
    int start = variableStart(column);
    return new String(bytes, start, variableEnd(column) - start, StandardCharsets.UTF_8);
  }

  @Override
  public byte[] getBytes(int column) {
    checkPosition(column);
    if (layout.column(column).family() == Family.BINARY) {
      int at = slot(column, Family.BINARY);
      return Arrays.copyOfRange(bytes, at, at + layout.column(column).width());
    }
    slot(column, Family.BYTES);
    return Arrays.copyOfRange(bytes, variableStart(column), variableEnd(column));
  }

  @Override
  public BigDecimal getDecimal(int column) {
    int at = slot(column, Family.DECIMAL);
    return FixedValues.decimal(layout.column(column), bytes, at);
  }

  @Override
  public LocalDate getDate(int column) {
    return (LocalDate) temporal(column, Family.DATE);
  }

  @Override
  public LocalTime getTime(int column) {
    return (LocalTime) temporal(column, Family.TIME);
  }

  @Override
  public LocalDateTime getTimestamp(int column) {
    return (LocalDateTime) temporal(column, Family.TIMESTAMP);
  }

  @Override
  public Instant getInstant(int column) {
    return (Instant) temporal(column, Family.INSTANT);
  }

  @Override
  @SuppressWarnings("unchecked")
  public List<@Nullable Object> getArray(int column) {
    return (List<@Nullable Object>) nested(column, List.class);
  }

  @Override
  @SuppressWarnings("unchecked")
  public Map<Object, @Nullable Object> getMap(int column) {
    return (Map<Object, @Nullable Object>) nested(column, Map.class);
  }

  @Override
  public Row getRow(int column) {
    return nested(column, Row.class);
  }

  private <T> T nested(int column, Class<T> kind) {
    slot(column, Family.NESTED);
    Object value = layout.nested(column).decode(bytes, variableStart(column), variableEnd(column));
    if (!kind.isInstance(value)) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Column '"
              + name(column)
              + "' ("
              + layout.column(column).rules().column().type()
              + ") is not read as a "
              + kind.getSimpleName());
    }
    return kind.cast(value);
  }

  private Object temporal(int column, Family family) {
    int at = slot(column, family);
    return layout
        .column(column)
        .value(FixedValues.signed(bytes, at, layout.column(column).width()));
  }

  private long integer(int column, int maxWidth) {
    int at = slot(column, Family.INTEGER);
    long value = FixedValues.signed(bytes, at, layout.column(column).width());
    int shift = 64 - 8 * maxWidth;
    if (((value << shift) >> shift) != value) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE,
          "Column '" + name(column) + "' is " + value + ", which needs a wider getter");
    }
    return value;
  }

  private int intAt(int at) {
    return (int) INTS.get(bytes, at);
  }

  private int variableStart(int column) {
    int previous = layout.previousVariable(column);
    return previous < 0 ? layout.variableAt() : variableEnd(previous);
  }

  private int variableEnd(int column) {
    return layout.variableAt() + intAt(layout.slot(column));
  }

  /** Position of the slot of a column that is not NULL and of that family. */
  private int slot(int column, Family family) {
    if (isNull(column)) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE, "Column '" + name(column) + "' is NULL; ask isNull first");
    }
    if (layout.column(column).family() != family) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Column '"
              + name(column)
              + "' ("
              + layout.column(column).rules().column().type()
              + ") is not read by the getter for "
              + family);
    }
    return layout.slot(column);
  }

  private void checkPosition(int column) {
    if (column < 0 || column >= layout.size()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Row has " + layout.size() + " columns; there is none at position " + column);
    }
  }

  private String name(int column) {
    return layout.column(column).name();
  }
}
