package io.sluice.format.row;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;

/**
 * Writes the values of one column into its vector. Writers keep the addresses of the vector's
 * buffers, so nobody else may grow or move the vector between {@link #bind} and {@link #finish}. A
 * value may be written again while its row is the last one.
 */
abstract class ColumnWriter {
  final ValueRules rules;

  /** The last row that has a value, -1 when none. */
  int writtenRow = -1;

  ColumnWriter(ValueRules rules) {
    this.rules = rules;
  }

  /** Allocates the vector if it has no memory and takes its buffer addresses; no row is written. */
  abstract void bind(int expectedRows);

  /**
   * Gives the vector its length and forgets its addresses: it may be closed or moved from now on,
   * and a setter throws until the next {@link #bind}.
   */
  abstract void finish(int rows);

  /** Writes NULL whatever the column allows. */
  abstract void putNull(int row);

  /** Reads the value by the getter of this column's type and writes it. */
  abstract void putFrom(int row, Row source, int sourceColumn);

  /** Bytes of the first {@code rows} values that are not of a fixed width. */
  long variableBytes(int rows) {
    return 0;
  }

  /** Bytes of the first {@code rows} values in Arrow, without padding. */
  final long bytes(int rows) {
    return ((long) ColumnWriters.fixedBits(rules.column().type()) * rows + 7) / 8
        + variableBytes(rows);
  }

  /**
   * Writes a value of another writer of the same column as it is.
   *
   * @param source not finished; its row may not change meanwhile
   */
  void copyFrom(int row, ColumnWriter source, int sourceRow) {
    throw new IllegalStateException(
        "Column '" + rules.column().name() + "' is nested; its values are written as rows");
  }

  /** Whether values can be copied by {@link #copyFrom}. */
  boolean isFlat() {
    return false;
  }

  final void setNull(int row) {
    if (!rules.column().nullable()) {
      throw rules.nullRefused();
    }
    putNull(row);
  }

  final void setFrom(int row, Row source, int sourceColumn) {
    try {
      if (source.isNull(sourceColumn)) {
        setNull(row);
      } else {
        putFrom(row, source, sourceColumn);
      }
    } catch (SluiceException e) {
      String message = String.valueOf(e.getMessage());
      if (message.startsWith("Column '")) {
        throw e;
      }
      throw new SluiceException(
          e.code(),
          "Column '" + rules.column().name() + "' (" + rules.column().type() + "): " + message,
          e);
    }
  }

  /** A setter was called between {@link #finish} and {@link #bind}. */
  final SluiceException finished() {
    return new SluiceException(
        ErrorCode.INVALID_ARGUMENT,
        "Column '"
            + rules.column().name()
            + "' is written after finish(); call reset() to start the next batch");
  }

  void setBoolean(int row, boolean value) {
    throw rules.mismatch("boolean");
  }

  void setLong(int row, long value) {
    throw rules.mismatch("integer");
  }

  void setFloat(int row, float value) {
    throw rules.mismatch("float");
  }

  void setDouble(int row, double value) {
    throw rules.mismatch("double");
  }

  void setString(int row, String value) {
    throw rules.mismatch("String");
  }

  void setBytes(int row, byte[] value) {
    throw rules.mismatch("byte[]");
  }

  void setDecimal(int row, BigDecimal value) {
    throw rules.mismatch("BigDecimal");
  }

  void setDate(int row, LocalDate value) {
    throw rules.mismatch("LocalDate");
  }

  void setTime(int row, LocalTime value) {
    throw rules.mismatch("LocalTime");
  }

  void setTimestamp(int row, LocalDateTime value) {
    throw rules.mismatch("LocalDateTime");
  }

  void setInstant(int row, Instant value) {
    throw rules.mismatch("Instant");
  }
}
