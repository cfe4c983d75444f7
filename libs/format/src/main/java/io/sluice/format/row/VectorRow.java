package io.sluice.format.row;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the rows of a root: one object that shows one row after another. The root may be
 * loaded again between two calls; it must not be closed while the row is used. Not thread-safe.
 */
public final class VectorRow implements Row {
  private final VectorSchemaRoot root;
  private final VectorReader[] readers;
  private int row;

  public VectorRow(VectorSchemaRoot root) {
    this.root = root;
    List<FieldVector> vectors = root.getFieldVectors();
    this.readers = new VectorReader[vectors.size()];
    for (int i = 0; i < readers.length; i++) {
      readers[i] = VectorReader.of(vectors.get(i));
    }
  }

  /** Moves to that row, from 0, and returns this object. */
  public VectorRow at(int row) {
    Objects.checkIndex(row, root.getRowCount());
    this.row = row;
    return this;
  }

  /** The row shown now. */
  public int position() {
    return row;
  }

  /** A row of its own with the values shown now, for callers that keep it. */
  public GenericRow copy() {
    Object[] values = new Object[readers.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = readers[i].isNull(row) ? null : readers[i].value(row);
    }
    return GenericRow.of(values);
  }

  @Override
  public int columnCount() {
    return readers.length;
  }

  @Override
  public boolean isNull(int column) {
    return reader(column).isNull(row);
  }

  @Override
  public boolean getBoolean(int column) {
    return present(column).booleanValue(row);
  }

  @Override
  public byte getByte(int column) {
    long value = present(column).longValue(row);
    if (value != (byte) value) {
      throw tooLarge(column, value, "byte");
    }
    return (byte) value;
  }

  @Override
  public short getShort(int column) {
    long value = present(column).longValue(row);
    if (value != (short) value) {
      throw tooLarge(column, value, "short");
    }
    return (short) value;
  }

  @Override
  public int getInt(int column) {
    long value = present(column).longValue(row);
    if (value != (int) value) {
      throw tooLarge(column, value, "int");
    }
    return (int) value;
  }

  @Override
  public long getLong(int column) {
    return present(column).longValue(row);
  }

  @Override
  public float getFloat(int column) {
    return present(column).floatValue(row);
  }

  @Override
  public double getDouble(int column) {
    return present(column).doubleValue(row);
  }

  @Override
  public String getString(int column) {
    return present(column).string(row);
  }

  @Override
  public BigDecimal getDecimal(int column) {
    return present(column).decimal(row);
  }

  @Override
  public byte[] getBytes(int column) {
    return present(column).bytes(row);
  }

  @Override
  public LocalDate getDate(int column) {
    return present(column).date(row);
  }

  @Override
  public LocalTime getTime(int column) {
    return present(column).time(row);
  }

  @Override
  public LocalDateTime getTimestamp(int column) {
    return present(column).timestamp(row);
  }

  @Override
  public Instant getInstant(int column) {
    return present(column).instant(row);
  }

  @Override
  public List<@Nullable Object> getArray(int column) {
    return present(column).array(row);
  }

  @Override
  public Map<Object, @Nullable Object> getMap(int column) {
    return present(column).map(row);
  }

  @Override
  public Row getRow(int column) {
    return present(column).row(row);
  }

  private VectorReader reader(int column) {
    if (column < 0 || column >= readers.length) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Row has " + readers.length + " columns; there is none at position " + column);
    }
    return readers[column];
  }

  private VectorReader present(int column) {
    VectorReader reader = reader(column);
    if (reader.isNull(row)) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE,
          "Column '" + reader.name() + "' is NULL in row " + row + "; ask isNull first");
    }
    return reader;
  }

  private SluiceException tooLarge(int column, long value, String type) {
    return new SluiceException(
        ErrorCode.INVALID_VALUE,
        "Column '"
            + readers[column].name()
            + "' is "
            + value
            + " in row "
            + row
            + ", which does not fit "
            + type);
  }

  @Override
  public String toString() {
    return copy().toString();
  }
}
