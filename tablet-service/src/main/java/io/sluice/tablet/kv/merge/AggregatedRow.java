package io.sluice.tablet.kv.merge;

import io.sluice.format.row.Row;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A row each of whose columns is the same column of another row. */
final class AggregatedRow implements Row {
  private final Row[] sources;

  /**
   * @param sources by column, the row that has it; read when the row is read
   */
  AggregatedRow(Row[] sources) {
    this.sources = sources;
  }

  @Override
  public int columnCount() {
    return sources.length;
  }

  @Override
  public boolean isNull(int column) {
    return sources[column].isNull(column);
  }

  @Override
  public boolean getBoolean(int column) {
    return sources[column].getBoolean(column);
  }

  @Override
  public byte getByte(int column) {
    return sources[column].getByte(column);
  }

  @Override
  public short getShort(int column) {
    return sources[column].getShort(column);
  }

  @Override
  public int getInt(int column) {
    return sources[column].getInt(column);
  }

  @Override
  public long getLong(int column) {
    return sources[column].getLong(column);
  }

  @Override
  public float getFloat(int column) {
    return sources[column].getFloat(column);
  }

  @Override
  public double getDouble(int column) {
    return sources[column].getDouble(column);
  }

  @Override
  public String getString(int column) {
    return sources[column].getString(column);
  }

  @Override
  public BigDecimal getDecimal(int column) {
    return sources[column].getDecimal(column);
  }

  @Override
  public byte[] getBytes(int column) {
    return sources[column].getBytes(column);
  }

  @Override
  public LocalDate getDate(int column) {
    return sources[column].getDate(column);
  }

  @Override
  public LocalTime getTime(int column) {
    return sources[column].getTime(column);
  }

  @Override
  public LocalDateTime getTimestamp(int column) {
    return sources[column].getTimestamp(column);
  }

  @Override
  public Instant getInstant(int column) {
    return sources[column].getInstant(column);
  }

  @Override
  public List<@Nullable Object> getArray(int column) {
    return sources[column].getArray(column);
  }

  @Override
  public Map<Object, @Nullable Object> getMap(int column) {
    return sources[column].getMap(column);
  }

  @Override
  public Row getRow(int column) {
    return sources[column].getRow(column);
  }
}
