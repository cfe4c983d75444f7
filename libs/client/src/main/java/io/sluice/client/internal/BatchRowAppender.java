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
import java.time.temporal.TemporalAccessor;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * Writes a row straight into the open batch; where the bucket follows from the row's values, into a
 * buffer of one row first, from which it is copied. One for a writer: the accumulator's lock, held
 * from begin to append or discard, says whose it is.
 */
final class BatchRowAppender implements RowAppender, AutoCloseable {
  /** Values of this length make the batch's size be looked at. */
  private static final int LARGE_VALUE = 4096;

  private final RowSink sink;
  private final RowBuffer single;
  private @Nullable VectorRow singleRow;
  private @Nullable ColumnWriters target;
  private @Nullable RowBatch batch;
  private boolean largeValue;

  /**
   * @param single a buffer for one row, closed with this
   */
  BatchRowAppender(RowSink sink, RowBuffer single) {
    this.sink = sink;
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

  /** Starts a row: takes the accumulator's lock, which the end of the row gives back. */
  RowAppender begin() {
    if (sink.accumulator().isHeldByCaller()) {
      // The row before was neither appended nor discarded.
      discard();
    }
    sink.accumulator().enter();
    largeValue = false;
    if (sink.routing().isFree()) {
      begin(sink.routing().next());
    } else {
      target = single.writers();
    }
    return this;
  }

  private void begin(WriterBucket bucket) {
    try {
      RowBatch open = sink.accumulator().batch(bucket);
      batch = open;
      target = open.rows().writers();
    } catch (RuntimeException | Error e) {
      sink.accumulator().exit();
      throw e;
    }
  }

  @Override
  public void append() {
    ColumnWriters row = target();
    boolean wake;
    try {
      row.endRow();
      RowBatch added = batch;
      wake = sink.rowWritten(added == null ? copied(row) : added, largeValue);
    } catch (RuntimeException | Error e) {
      row.abortRow();
      throw e;
    } finally {
      end();
    }
    if (wake) {
      sink.wake();
    }
  }

  /** Copies the row in the buffer of one row to the batch of its bucket. */
  private RowBatch copied(ColumnWriters row) {
    VectorSchemaRoot root = single.row();
    VectorRow cursor = singleRow;
    if (cursor == null) {
      // The vectors stay the same from row to row.
      cursor = new VectorRow(root);
      singleRow = cursor;
    }
    RowBatch added = sink.accumulator().batch(sink.routing().of(root, 0, cursor.at(0)));
    if (row.isFlat()) {
      added.rows().writers().writeLast(row);
    } else {
      added.rows().writers().write(cursor);
    }
    return added;
  }

  @Override
  public void discard() {
    if (target != null && sink.accumulator().isHeldByCaller()) {
      target.abortRow();
      end();
    }
  }

  private void end() {
    if (batch == null) {
      single.clearRow();
    }
    target = null;
    batch = null;
    sink.accumulator().exit();
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
    largeValue |= mayBeLarge(value);
    target().setObject(column, value);
    return this;
  }

  /** Nobody looks how large nested values are. */
  private static boolean mayBeLarge(@Nullable Object value) {
    if (value instanceof CharSequence text) {
      return text.length() >= LARGE_VALUE;
    }
    if (value instanceof byte[] bytes) {
      return bytes.length >= LARGE_VALUE;
    }
    return !(value == null
        || value instanceof Number
        || value instanceof Boolean
        || value instanceof TemporalAccessor);
  }

  @Override
  public void close() {
    single.close();
  }
}
