package io.sluice.client.internal;

import io.sluice.client.RowAppender;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.VectorRow;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * Writes a row straight into the open batch; where the bucket follows from the row's values, into a
 * buffer of one row first. One for a writer: the accumulator's lock, held from begin to append or
 * discard, says whose it is.
 */
final class BatchRowAppender implements RowAppender, AutoCloseable {
  /** Values of this length make the batch's size be looked at. */
  private static final int LARGE_VALUE = 4096;

  private final BufferingAppendWriter writer;
  private final RowBuffer single;
  private @Nullable VectorRow singleRow;
  private @Nullable ColumnWriters target;
  private @Nullable RowBatch batch;
  private boolean largeValue;

  BatchRowAppender(BufferingAppendWriter writer, RowBuffer single) {
    this.writer = writer;
    this.single = single;
  }

  static boolean hasVariableWidth(TableSchema schema) {
    for (Column column : schema.columns()) {
      DataType type = column.type();
      if (type.isNested()
          || type instanceof DataType.StringType
          || type instanceof DataType.CharType
          || type instanceof DataType.BytesType) {
        return true;
      }
    }
    return false;
  }

  /** Starts a row; the accumulator's lock was just taken. */
  void begin() {
    largeValue = false;
    if (writer.routing().isFree()) {
      batch = writer.accumulator().batch(writer.routing().next());
      target = batch.rows().writers();
    } else {
      target = single.writers();
    }
  }

  @Override
  public void append() {
    ColumnWriters row = target();
    try {
      row.endRow();
      RowBatch added = batch;
      if (added == null) {
        VectorSchemaRoot root = single.finish();
        VectorRow cursor = cursor(root);
        added = writer.accumulator().batch(writer.routing().of(root, 0, cursor));
        added.rows().writers().write(cursor);
      }
      writer.rowWritten(added, largeValue);
    } catch (SluiceException e) {
      row.abortRow();
      throw e;
    } finally {
      end();
    }
  }

  /** The row in the buffer of one row; its vectors stay the same from row to row. */
  private VectorRow cursor(VectorSchemaRoot root) {
    if (singleRow == null) {
      singleRow = new VectorRow(root);
    }
    return singleRow.at(0);
  }

  @Override
  public void discard() {
    if (target != null && writer.accumulator().isHeldByCaller()) {
      target.abortRow();
      end();
    }
  }

  private void end() {
    if (batch == null) {
      single.reset();
    }
    target = null;
    batch = null;
    writer.accumulator().exit();
  }

  private ColumnWriters target() {
    ColumnWriters row = target;
    if (row == null) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, "No row is started; call row() before setting columns");
    }
    return row;
  }

  @Override
  public RowAppender setNull(int column) {
    target().setNull(column);
    return this;
  }

  @Override
  public RowAppender setBoolean(int column, boolean value) {
    target().setBoolean(column, value);
    return this;
  }

  @Override
  public RowAppender setByte(int column, byte value) {
    target().setByte(column, value);
    return this;
  }

  @Override
  public RowAppender setShort(int column, short value) {
    target().setShort(column, value);
    return this;
  }

  @Override
  public RowAppender setInt(int column, int value) {
    target().setInt(column, value);
    return this;
  }

  @Override
  public RowAppender setLong(int column, long value) {
    target().setLong(column, value);
    return this;
  }

  @Override
  public RowAppender setFloat(int column, float value) {
    target().setFloat(column, value);
    return this;
  }

  @Override
  public RowAppender setDouble(int column, double value) {
    target().setDouble(column, value);
    return this;
  }

  @Override
  public RowAppender setString(int column, String value) {
    largeValue |= value.length() >= LARGE_VALUE;
    target().setString(column, value);
    return this;
  }

  @Override
  public RowAppender setDecimal(int column, BigDecimal value) {
    target().setDecimal(column, value);
    return this;
  }

  @Override
  public RowAppender setBytes(int column, byte[] value) {
    largeValue |= value.length >= LARGE_VALUE;
    target().setBytes(column, value);
    return this;
  }

  @Override
  public RowAppender setDate(int column, LocalDate value) {
    target().setDate(column, value);
    return this;
  }

  @Override
  public RowAppender setTime(int column, LocalTime value) {
    target().setTime(column, value);
    return this;
  }

  @Override
  public RowAppender setTimestamp(int column, LocalDateTime value) {
    target().setTimestamp(column, value);
    return this;
  }

  @Override
  public RowAppender setInstant(int column, Instant value) {
    target().setInstant(column, value);
    return this;
  }

  @Override
  public RowAppender setObject(int column, @Nullable Object value) {
    target().setObject(column, value);
    return this;
  }

  @Override
  public void close() {
    single.close();
  }
}
