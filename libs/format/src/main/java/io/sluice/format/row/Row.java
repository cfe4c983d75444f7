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
import org.jspecify.annotations.Nullable;

/**
 * One row, read by column position from 0. A getter fits the column's type: BOOLEAN, TINYINT,
 * SMALLINT, INT, BIGINT, FLOAT, DOUBLE by the getter of that width (a wider one of the same kind
 * serves too), CHAR and STRING by {@link #getString}, BINARY and BYTES by {@link #getBytes},
 * TIMESTAMP by {@link #getTimestamp}, TIMESTAMP_LTZ by {@link #getInstant}, ARRAY by {@link
 * #getArray}, MAP by {@link #getMap}, ROW by {@link #getRow}; inside of those three, values are the
 * objects that {@link GenericRow} holds.
 *
 * <p>A getter throws a {@code SluiceException}: INVALID_ARGUMENT when the position does not exist
 * or the getter does not fit the type, INVALID_VALUE when the value is NULL or too large for the
 * getter, UNSUPPORTED for nested types where the row has none.
 */
public interface Row {

  /** A row of these values, see {@link GenericRow}. */
  static Row of(@Nullable Object... values) {
    return GenericRow.of(values);
  }

  /** Number of columns. */
  int columnCount();

  /** Whether the value is NULL. */
  boolean isNull(int column);

  boolean getBoolean(int column);

  byte getByte(int column);

  short getShort(int column);

  int getInt(int column);

  long getLong(int column);

  float getFloat(int column);

  double getDouble(int column);

  String getString(int column);

  /** The number with the scale of its column. */
  BigDecimal getDecimal(int column);

  /** A copy of the bytes. */
  byte[] getBytes(int column);

  LocalDate getDate(int column);

  LocalTime getTime(int column);

  /** The wall clock of a TIMESTAMP column. */
  LocalDateTime getTimestamp(int column);

  /** The instant of a TIMESTAMP_LTZ column. */
  Instant getInstant(int column);

  /** The elements of an ARRAY column, null for NULL. Not to be changed. */
  default List<@Nullable Object> getArray(int column) {
    throw noNested(column);
  }

  /**
   * The entries of a MAP column in their order, null for NULL. Of entries with equal keys the last
   * one is there. Not to be changed.
   */
  default Map<Object, @Nullable Object> getMap(int column) {
    throw noNested(column);
  }

  /** The fields of a ROW column by position. */
  default Row getRow(int column) {
    throw noNested(column);
  }

  private SluiceException noNested(int column) {
    return new SluiceException(
        ErrorCode.UNSUPPORTED,
        "A " + getClass().getSimpleName() + " has no nested value at position " + column);
  }
}
