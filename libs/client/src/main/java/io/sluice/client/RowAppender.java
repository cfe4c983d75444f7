package io.sluice.client;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import org.jspecify.annotations.Nullable;

/**
 * Sets the columns of one row, by position from 0, straight in the batch being filled. Columns that
 * are not set have their write default, NULL without one. {@link #append} or {@link #discard} must
 * follow on the same thread: until then other threads wait for this row. A setter whose type or
 * value does not fit the column throws INVALID_VALUE; the row can then be corrected or discarded.
 */
public interface RowAppender {
  RowAppender setNull(int column);

  RowAppender setBoolean(int column, boolean value);

  RowAppender setByte(int column, byte value);

  RowAppender setShort(int column, short value);

  RowAppender setInt(int column, int value);

  RowAppender setLong(int column, long value);

  RowAppender setFloat(int column, float value);

  RowAppender setDouble(int column, double value);

  RowAppender setString(int column, String value);

  RowAppender setDecimal(int column, BigDecimal value);

  RowAppender setBytes(int column, byte[] value);

  RowAppender setDate(int column, LocalDate value);

  RowAppender setTime(int column, LocalTime value);

  RowAppender setTimestamp(int column, LocalDateTime value);

  RowAppender setInstant(int column, Instant value);

  /**
   * Sets a column of any type: an ARRAY by a {@code List} (or an array of objects or floats), a MAP
   * by a {@code Map}, a ROW by a {@code Row}, with such values inside; null is NULL.
   */
  RowAppender setObject(int column, @Nullable Object value);

  /**
   * Adds the row; that of an {@link UpsertWriter} is put in the place of the one with its key.
   * INVALID_VALUE when a NOT NULL column was not set; the row is then discarded. Failures to store
   * it are reported by the writer's {@code flush}.
   */
  void append();

  /** Drops what was set. */
  void discard();
}
