package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.NestedConversion;
import io.sluice.format.row.Row;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A row whose columns are columns of other rows, or NULL. */
abstract class DelegatingRow implements Row {

  /** The row that has the column, null when the column is NULL. */
  abstract @Nullable Row source(int column);

  /** Position of the column in its source. */
  abstract int position(int column);

  /** What turns the nested values of the source into those of this row, null for nothing. */
  abstract @Nullable NestedConversion conversion(int column);

  @Override
  public final boolean isNull(int column) {
    Row source = source(column);
    return source == null || source.isNull(position(column));
  }

  private Row present(int column) {
    Row source = source(column);
    if (source == null) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE, "The value at position " + column + " is NULL");
    }
    return source;
  }

  @Override
  public final boolean getBoolean(int column) {
    return present(column).getBoolean(position(column));
  }

  @Override
  public final byte getByte(int column) {
    return present(column).getByte(position(column));
  }

  @Override
  public final short getShort(int column) {
    return present(column).getShort(position(column));
  }

  @Override
  public final int getInt(int column) {
    return present(column).getInt(position(column));
  }

  @Override
  public final long getLong(int column) {
    return present(column).getLong(position(column));
  }

  @Override
  public final float getFloat(int column) {
    return present(column).getFloat(position(column));
  }

  @Override
  public final double getDouble(int column) {
    return present(column).getDouble(position(column));
  }

  @Override
  public final String getString(int column) {
    return present(column).getString(position(column));
  }

  @Override
  public final BigDecimal getDecimal(int column) {
    return present(column).getDecimal(position(column));
  }

  @Override
  public final byte[] getBytes(int column) {
    return present(column).getBytes(position(column));
  }

  @Override
  public final LocalDate getDate(int column) {
    return present(column).getDate(position(column));
  }

  @Override
  public final LocalTime getTime(int column) {
    return present(column).getTime(position(column));
  }

  @Override
  public final LocalDateTime getTimestamp(int column) {
    return present(column).getTimestamp(position(column));
  }

  @Override
  public final Instant getInstant(int column) {
    return present(column).getInstant(position(column));
  }

  @Override
  @SuppressWarnings("unchecked")
  public final List<@Nullable Object> getArray(int column) {
    List<@Nullable Object> value = present(column).getArray(position(column));
    NestedConversion conversion = conversion(column);
    return conversion == null ? value : (List<@Nullable Object>) conversion.apply(value);
  }

  @Override
  @SuppressWarnings("unchecked")
  public final Map<Object, @Nullable Object> getMap(int column) {
    Map<Object, @Nullable Object> value = present(column).getMap(position(column));
    NestedConversion conversion = conversion(column);
    return conversion == null ? value : (Map<Object, @Nullable Object>) conversion.apply(value);
  }

  @Override
  public final Row getRow(int column) {
    Row value = present(column).getRow(position(column));
    NestedConversion conversion = conversion(column);
    return conversion == null ? value : (Row) conversion.apply(value);
  }
}
