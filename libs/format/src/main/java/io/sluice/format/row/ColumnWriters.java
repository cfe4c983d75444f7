package io.sluice.format.row;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.FixedColumnWriters.BinaryWriter;
import io.sluice.format.row.FixedColumnWriters.BooleanWriter;
import io.sluice.format.row.FixedColumnWriters.DateWriter;
import io.sluice.format.row.FixedColumnWriters.DecimalWriter;
import io.sluice.format.row.FixedColumnWriters.DoubleWriter;
import io.sluice.format.row.FixedColumnWriters.FloatWriter;
import io.sluice.format.row.FixedColumnWriters.InstantWriter;
import io.sluice.format.row.FixedColumnWriters.IntWriter;
import io.sluice.format.row.FixedColumnWriters.LongWriter;
import io.sluice.format.row.FixedColumnWriters.SmallIntegerWriter;
import io.sluice.format.row.FixedColumnWriters.TimeWriter;
import io.sluice.format.row.FixedColumnWriters.TimestampWriter;
import io.sluice.format.schema.ArrowLayout;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.BinaryType;
import io.sluice.format.schema.DataType.BooleanType;
import io.sluice.format.schema.DataType.DateType;
import io.sluice.format.schema.DataType.DecimalType;
import io.sluice.format.schema.DataType.DoubleType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.TimeType;
import io.sluice.format.schema.DataType.TimestampLtzType;
import io.sluice.format.schema.DataType.TimestampType;
import io.sluice.format.schema.DefaultValues;
import io.sluice.format.schema.TableSchema;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * Typed setters, by column position from 0, straight into the vectors of a root.
 *
 * <p>Write the values of a row in any order, then call {@link #endRow}; columns without a value get
 * their write default, NULL when they have none. A setter refuses with INVALID_VALUE, naming column
 * and value, what the column cannot hold exactly; the row can then be corrected or dropped with
 * {@link #abortRow}. {@link #finish} gives the root its length; {@link #reset} starts the next
 * batch in the same root, whose memory may meanwhile have been given away or kept. Nobody else may
 * change the root in between.
 *
 * <p>Not thread-safe. The root belongs to the caller, who closes it.
 */
public final class ColumnWriters {
  private final VectorSchemaRoot root;
  private final ColumnWriter[] writers;
  private final int expectedRows;
  private final int fixedRowBits;
  private final boolean flat;

  /** What columns without a value get, null when that is NULL in every column. */
  private final @Nullable Row defaults;

  private int row;

  private ColumnWriters(
      VectorSchemaRoot root,
      ColumnWriter[] writers,
      int expectedRows,
      int fixedRowBits,
      @Nullable Row defaults) {
    this.root = root;
    this.writers = writers;
    this.defaults = defaults;
    this.expectedRows = expectedRows;
    this.fixedRowBits = fixedRowBits;
    boolean allFlat = true;
    for (ColumnWriter writer : writers) {
      allFlat &= writer.isFlat();
    }
    this.flat = allFlat;
    reset();
  }

  /**
   * Writers for a root of {@link ArrowSchemas#toArrow(TableSchema)}; what the root holds is
   * overwritten.
   *
   * @param expectedRows rows to make room for at first; vectors grow beyond it
   * @throws SluiceException INVALID_SCHEMA when a vector is not of its column's type
   */
  public static ColumnWriters of(TableSchema schema, VectorSchemaRoot root, int expectedRows) {
    if (root.getFieldVectors().size() != schema.size()) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "The root has "
              + root.getFieldVectors().size()
              + " vectors, the schema "
              + schema.size()
              + " columns");
    }
    ColumnWriter[] writers = new ColumnWriter[schema.size()];
    int bits = 0;
    for (int i = 0; i < writers.length; i++) {
      Column column = schema.columns().get(i);
      writers[i] = writer(column, root.getVector(i));
      bits += fixedBits(column.type());
    }
    return new ColumnWriters(root, writers, Math.max(1, expectedRows), bits, writeDefaults(schema));
  }

  private static @Nullable Row writeDefaults(TableSchema schema) {
    @Nullable Object[] values = new @Nullable Object[schema.size()];
    boolean any = false;
    for (int i = 0; i < values.length; i++) {
      Column column = schema.columns().get(i);
      String text = column.writeDefault();
      if (text != null) {
        values[i] = DefaultValues.parse(column.type(), text);
        any = true;
      }
    }
    return any ? GenericRow.of(values) : null;
  }

  /** Bits that a value takes in the buffers of its own node, those of a variable length apart. */
  static int fixedBits(DataType type) {
    int bits = 0;
    for (ArrowLayout.Buffer buffer : ArrowLayout.ownBuffers(type)) {
      bits += (int) (buffer.kind() == ArrowLayout.BufferKind.FIXED ? buffer.width() * 8L : 0);
      bits += buffer.kind() == ArrowLayout.BufferKind.OFFSETS ? 32 : 0;
      bits += buffer.width() == 0 && buffer.kind() != ArrowLayout.BufferKind.DATA ? 1 : 0;
    }
    return bits;
  }

  static ColumnWriter writer(Column column, FieldVector vector) {
    if (!ArrowSchemas.arrowType(column.type()).equals(vector.getField().getType())) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "Column '"
              + column.name()
              + "' ("
              + column.type()
              + ") has a vector of Arrow type "
              + vector.getField().getType()
              + "; it must be "
              + ArrowSchemas.arrowType(column.type()));
    }
    ValueRules rules = new ValueRules(column);
    if (column.type().isNested()) {
      return NestedColumnWriters.of(rules, vector);
    }
    if (vector instanceof BaseVariableWidthVector variable) {
      return new VariableColumnWriter(rules, variable);
    }
    return fixed(column.type(), rules, (BaseFixedWidthVector) vector);
  }

  private static ColumnWriter fixed(DataType type, ValueRules rules, BaseFixedWidthVector vector) {
    int width = ArrowLayout.fixedWidth(type);
    if (type instanceof BooleanType) {
      return new BooleanWriter(rules, vector);
    }
    if (type instanceof IntegerType) {
      return switch (width) {
        case 1, 2 -> new SmallIntegerWriter(rules, vector, width);
        case 4 -> new IntWriter(rules, vector);
        default -> new LongWriter(rules, vector);
      };
    }
    if (type instanceof FloatType) {
      return new FloatWriter(rules, vector);
    }
    if (type instanceof DoubleType) {
      return new DoubleWriter(rules, vector);
    }
    if (type instanceof DecimalType) {
      return new DecimalWriter(rules, vector);
    }
    if (type instanceof DateType) {
      return new DateWriter(rules, vector);
    }
    if (type instanceof TimeType) {
      return new TimeWriter(rules, vector, width);
    }
    if (type instanceof TimestampType) {
      return new TimestampWriter(rules, vector);
    }
    if (type instanceof TimestampLtzType) {
      return new InstantWriter(rules, vector);
    }
    if (type instanceof BinaryType) {
      return new BinaryWriter(rules, vector, width);
    }
    throw new SluiceException(ErrorCode.INTERNAL, "Type " + type + " has no column writer");
  }

  /** Starts a new batch: no rows, the vectors' memory is used again if they still have it. */
  public void reset() {
    for (ColumnWriter writer : writers) {
      writer.bind(expectedRows);
    }
    row = 0;
  }

  /** Forgets all rows of the batch; the vectors stay where they are. Not after {@link #finish}. */
  public void clear() {
    for (ColumnWriter writer : writers) {
      writer.writtenRow = -1;
    }
    row = 0;
  }

  /** Whether no column is nested, so that rows can be copied by {@link #writeLast}. */
  public boolean isFlat() {
    return flat;
  }

  /** Number of complete rows. */
  public int rowCount() {
    return row;
  }

  /** Number of columns. */
  public int columnCount() {
    return writers.length;
  }

  /** Bytes that the complete rows take in Arrow, without padding and compression. */
  public long bytes() {
    long bytes = ((long) fixedRowBits * row + 7) / 8;
    for (ColumnWriter writer : writers) {
      bytes += writer.variableBytes(row);
    }
    return bytes;
  }

  /**
   * Completes the row.
   *
   * @throws SluiceException INVALID_VALUE when a NOT NULL column has no value; the row stays open
   */
  public void endRow() {
    int current = row;
    Row unset = defaults;
    for (int i = 0; i < writers.length; i++) {
      ColumnWriter writer = writers[i];
      if (writer.writtenRow != current) {
        if (unset == null) {
          writer.setNull(current);
        } else {
          writer.setFrom(current, unset, i);
        }
      }
    }
    row = current + 1;
  }

  /** Forgets the values set since the last {@link #endRow}. */
  public void abortRow() {
    for (ColumnWriter writer : writers) {
      if (writer.writtenRow == row) {
        writer.writtenRow = row - 1;
      }
    }
  }

  /** Writes a whole row and completes it; when that fails no value of it stays. */
  public void write(Row source) {
    if (source.columnCount() != writers.length) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE,
          "The row has "
              + source.columnCount()
              + " values; the table has "
              + writers.length
              + " columns");
    }
    try {
      for (int i = 0; i < writers.length; i++) {
        writers[i].setFrom(row, source, i);
      }
    } catch (RuntimeException | Error e) {
      abortRow();
      throw e;
    }
    row++;
  }

  /**
   * Writes the last complete row of other writers as it is and completes it; when that fails no
   * value of it stays.
   *
   * @param source writers of the same schema, {@link #isFlat flat} and not finished
   */
  public void writeLast(ColumnWriters source) {
    int last = source.row - 1;
    try {
      for (int i = 0; i < writers.length; i++) {
        writers[i].copyFrom(row, source.writers[i], last);
      }
    } catch (RuntimeException | Error e) {
      abortRow();
      throw e;
    }
    row++;
  }

  /**
   * Gives the vectors and the root the length {@link #rowCount()} and returns the root, whose
   * memory nobody here touches until {@link #reset}. Setters throw in between.
   */
  public VectorSchemaRoot finish() {
    abortRow();
    for (ColumnWriter writer : writers) {
      writer.finish(row);
    }
    root.setRowCount(row);
    return root;
  }

  public void setNull(int column) {
    writers[column].setNull(row);
  }

  public void setBoolean(int column, boolean value) {
    writers[column].setBoolean(row, value);
  }

  /** As {@link #setLong}. */
  public void setByte(int column, byte value) {
    writers[column].setLong(row, value);
  }

  /** As {@link #setLong}. */
  public void setShort(int column, short value) {
    writers[column].setLong(row, value);
  }

  /** As {@link #setLong}. */
  public void setInt(int column, int value) {
    writers[column].setLong(row, value);
  }

  /** TINYINT, SMALLINT, INT and BIGINT, as far as the value fits. */
  public void setLong(int column, long value) {
    writers[column].setLong(row, value);
  }

  /** FLOAT and DOUBLE. */
  public void setFloat(int column, float value) {
    writers[column].setFloat(row, value);
  }

  /** DOUBLE, and FLOAT when the value is exact there. */
  public void setDouble(int column, double value) {
    writers[column].setDouble(row, value);
  }

  /** CHAR and STRING; null is NULL. */
  public void setString(int column, @Nullable String value) {
    if (value == null) {
      writers[column].setNull(row);
    } else {
      writers[column].setString(row, value);
    }
  }

  /** BINARY and BYTES; null is NULL. The bytes are copied. */
  public void setBytes(int column, byte @Nullable [] value) {
    if (value == null) {
      writers[column].setNull(row);
    } else {
      writers[column].setBytes(row, value);
    }
  }

  /** DECIMAL, in any scale that the column's holds exactly; null is NULL. */
  public void setDecimal(int column, @Nullable BigDecimal value) {
    if (value == null) {
      writers[column].setNull(row);
    } else {
      writers[column].setDecimal(row, value);
    }
  }

  /** DATE; null is NULL. */
  public void setDate(int column, @Nullable LocalDate value) {
    if (value == null) {
      writers[column].setNull(row);
    } else {
      writers[column].setDate(row, value);
    }
  }

  /** TIME; null is NULL. */
  public void setTime(int column, @Nullable LocalTime value) {
    if (value == null) {
      writers[column].setNull(row);
    } else {
      writers[column].setTime(row, value);
    }
  }

  /** TIMESTAMP; null is NULL. */
  public void setTimestamp(int column, @Nullable LocalDateTime value) {
    if (value == null) {
      writers[column].setNull(row);
    } else {
      writers[column].setTimestamp(row, value);
    }
  }

  /**
   * A value of any type, as the object that {@link GenericRow} holds for it: a List for ARRAY, a
   * Map for MAP, a Row for ROW; null is NULL.
   */
  public void setObject(int column, @Nullable Object value) {
    writers[column].setFrom(row, GenericRow.of(value), 0);
  }

  /** TIMESTAMP_LTZ; null is NULL. */
  public void setInstant(int column, @Nullable Instant value) {
    if (value == null) {
      writers[column].setNull(row);
    } else {
      writers[column].setInstant(row, value);
    }
  }
}
