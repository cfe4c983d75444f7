package io.sluice.format.row;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import org.jspecify.annotations.Nullable;

/**
 * One row, read by column position from 0. A getter fits the column's type: BOOLEAN, TINYINT,
 * SMALLINT, INT, BIGINT, FLOAT, DOUBLE by the getter of that width (a wider one of the same kind
 * serves too), CHAR and STRING by {@link #getString}, BINARY and BYTES by {@link #getBytes},
 * TIMESTAMP by {@link #getTimestamp}, TIMESTAMP_LTZ by {@link #getInstant}. Values of ARRAY, MAP
 * and ROW columns cannot be read through a row yet.
 *
 * <p>A getter throws a {@code SluiceException}: INVALID_ARGUMENT when the position does not exist
 * or the getter does not fit the type, INVALID_VALUE when the value is NULL or too large for the
 * getter, UNSUPPORTED for nested types.
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
}
