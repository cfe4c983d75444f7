package io.sluice.client.internal;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A row whose columns are columns of other rows. */
final class ComposedRow implements Row {
  private final Row[] sources;
  private final int[] positions;

  /**
   * @param sources for each column the row that it comes from
   * @param positions for each column its position there
   */
  ComposedRow(Row[] sources, int[] positions) {
    this.sources = sources;
    this.positions = positions;
  }

  private Row source(int column) {
    if (column < 0 || column >= sources.length) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Row has " + sources.length + " columns; there is none at position " + column);
    }
    return sources[column];
  }

  @Override
  public int columnCount() {
    return sources.length;
  }

  @Override
  public boolean isNull(int column) {
    return source(column).isNull(positions[column]);
  }

  @Override
  public boolean getBoolean(int column) {
    return source(column).getBoolean(positions[column]);
  }

  @Override
  public byte getByte(int column) {
    return source(column).getByte(positions[column]);
  }

  @Override
  public short getShort(int column) {
    return source(column).getShort(positions[column]);
  }

  @Override
  public int getInt(int column) {
    return source(column).getInt(positions[column]);
  }

  @Override
  public long getLong(int column) {
    return source(column).getLong(positions[column]);
  }

  @Override
  public float getFloat(int column) {
    return source(column).getFloat(positions[column]);
  }

  @Override
  public double getDouble(int column) {
    return source(column).getDouble(positions[column]);
  }

  @Override
  public String getString(int column) {
    return source(column).getString(positions[column]);
  }

  @Override
  public BigDecimal getDecimal(int column) {
    return source(column).getDecimal(positions[column]);
  }

  @Override
  public byte[] getBytes(int column) {
    return source(column).getBytes(positions[column]);
  }

  @Override
  public LocalDate getDate(int column) {
    return source(column).getDate(positions[column]);
  }

  @Override
  public LocalTime getTime(int column) {
    return source(column).getTime(positions[column]);
  }

  @Override
  public LocalDateTime getTimestamp(int column) {
    return source(column).getTimestamp(positions[column]);
  }

  @Override
  public Instant getInstant(int column) {
    return source(column).getInstant(positions[column]);
  }

  @Override
  public List<@Nullable Object> getArray(int column) {
    return source(column).getArray(positions[column]);
  }

  @Override
  public Map<Object, @Nullable Object> getMap(int column) {
    return source(column).getMap(positions[column]);
  }

  @Override
  public Row getRow(int column) {
    return source(column).getRow(positions[column]);
  }
}
