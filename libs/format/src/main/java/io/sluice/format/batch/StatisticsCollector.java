package io.sluice.format.batch;

import io.sluice.common.StatisticsColumns;
import io.sluice.common.StatisticsColumns.Choice;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.BooleanType;
import io.sluice.format.schema.DataType.CharType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.StringType;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.FieldVector;
import org.jspecify.annotations.Nullable;

/**
 * Computes minimum, maximum and null count of columns in tight loops over their buffers and writes
 * the statistics section. Reusable; not thread-safe.
 */
final class StatisticsCollector {
  /** Buffers of up to so many bytes are copied: Arrow makes a view of any size by reflection. */
  private static final int COPIED_BYTES = 1024;

  private final StatisticsColumns chosen;
  private final ByteBuffer validityCopy = copyTarget();
  private final ByteBuffer offsetsCopy = copyTarget();
  private final ByteBuffer dataCopy = copyTarget();
  private @Nullable TableSchema schema;
  private int[] positions = {};
  private ByteBuffer out = ByteBuffer.allocate(0);
  private final BytesBounds bytesBounds = new BytesBounds();

  private int flags;
  private long min;
  private long max;

  /**
   * @param chosen which columns have statistics; unset, the first {@link
   *     StatisticsFormat#DEFAULT_COLUMNS} scalar ones
   */
  StatisticsCollector(StatisticsColumns chosen) {
    this.chosen = chosen;
  }

  /**
   * The section for the chosen columns.
   *
   * @param vectors the columns of the schema, in order
   * @return a heap buffer of its own, empty when no column has statistics
   */
  ByteBuffer collect(List<FieldVector> vectors, TableSchema schema) {
    choose(schema);
    if (positions.length == 0) {
      return ByteBuffer.allocate(0);
    }
    out.clear().position(StatisticsFormat.HEADER_BYTES);
    for (int position : positions) {
      Column column = schema.columns().get(position);
      StatisticsKind kind = StatisticsKind.of(column.type());
      if (kind != null) {
        writeColumn(column, kind, vectors.get(position));
      }
    }
    out.put(0, (byte) StatisticsFormat.VERSION).put(1, (byte) 0);
    out.putShort(2, (short) positions.length);
    return ByteBuffer.allocate(out.position())
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(out.flip())
        .flip();
  }

  private void choose(TableSchema next) {
    if (schema != null && schema.equals(next)) {
      return;
    }
    schema = next;
    positions =
        IntStream.range(0, next.size())
            .filter(position -> isChosen(next.columns().get(position)))
            .limit(
                chosen.choice() == Choice.DEFAULT
                    ? StatisticsFormat.DEFAULT_COLUMNS
                    : StatisticsFormat.MAX_COLUMNS)
            .toArray();
    out =
        ByteBuffer.allocate(StatisticsFormat.maxBytes(positions.length))
            .order(ByteOrder.LITTLE_ENDIAN);
  }

  private boolean isChosen(Column column) {
    return switch (chosen.choice()) {
      case DEFAULT, ALL -> StatisticsKind.of(column.type()) != null;
      case NONE -> false;
      case NAMED ->
          StatisticsKind.of(column.type()) != null && chosen.names().contains(column.name());
    };
  }

  private void writeColumn(Column column, StatisticsKind kind, FieldVector vector) {
    int start = out.position();
    int rows = vector.getValueCount();
    int nulls = vector.getNullCount();
    out.putInt(column.id()).put((byte) kind.code()).put((byte) 0).putShort((short) 0).putInt(nulls);
    if (nulls == rows) {
      return;
    }
    flags = 0;
    ByteBuffer validity =
        nulls == 0 ? null : bytes(vector.getValidityBuffer(), (rows + 7) / 8, validityCopy);
    switch (kind) {
      case INTEGER -> writeIntegers(column.type(), vector, rows, validity);
      case FLOATING -> writeFloating(column.type(), vector, rows, validity);
      case DECIMAL -> writeDecimals(vector, rows, validity);
      case BYTES -> writeBytes(column.type(), vector, rows, validity);
    }
    out.put(start + 5, (byte) flags);
  }

  private void writeIntegers(
      DataType type, FieldVector vector, int rows, @Nullable ByteBuffer validity) {
    min = Long.MAX_VALUE;
    max = Long.MIN_VALUE;
    if (type instanceof BooleanType) {
      scanBits(data(vector, (rows + 7) / 8), rows, validity);
    } else {
      int width = ((BaseFixedWidthVector) vector).getTypeWidth();
      ByteBuffer data = data(vector, rows * width);
      switch (width) {
        case 1 -> scanBytes(data, rows, validity);
        case 2 -> scanShorts(data, rows, validity);
        case 4 -> scanInts(data, rows, validity);
        default -> scanLongs(data, rows, validity);
      }
    }
    flags = StatisticsFormat.HAS_MIN | StatisticsFormat.HAS_MAX;
    out.putLong(min).putLong(max);
  }

  private void scanBits(ByteBuffer data, int rows, @Nullable ByteBuffer validity) {
    boolean anyTrue = false;
    boolean anyFalse = false;
    for (int i = 0; i < rows && !(anyTrue && anyFalse); i++) {
      if (validity == null || isSet(validity, i)) {
        if (isSet(data, i)) {
          anyTrue = true;
        } else {
          anyFalse = true;
        }
      }
    }
    min = anyFalse ? 0 : 1;
    max = anyTrue ? 1 : 0;
  }

  private void scanBytes(ByteBuffer data, int rows, @Nullable ByteBuffer validity) {
    int low = Integer.MAX_VALUE;
    int high = Integer.MIN_VALUE;
    for (int i = 0; i < rows; i++) {
      if (validity == null || isSet(validity, i)) {
        int value = data.get(i);
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    min = low;
    max = high;
  }

  private void scanShorts(ByteBuffer data, int rows, @Nullable ByteBuffer validity) {
    int low = Integer.MAX_VALUE;
    int high = Integer.MIN_VALUE;
    for (int i = 0; i < rows; i++) {
      if (validity == null || isSet(validity, i)) {
        int value = data.getShort(2 * i);
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    min = low;
    max = high;
  }

  private void scanInts(ByteBuffer data, int rows, @Nullable ByteBuffer validity) {
    int low = Integer.MAX_VALUE;
    int high = Integer.MIN_VALUE;
    for (int i = 0; i < rows; i++) {
      if (validity == null || isSet(validity, i)) {
        int value = data.getInt(4 * i);
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    min = low;
    max = high;
  }

  private void scanLongs(ByteBuffer data, int rows, @Nullable ByteBuffer validity) {
    long low = Long.MAX_VALUE;
    long high = Long.MIN_VALUE;
    for (int i = 0; i < rows; i++) {
      if (validity == null || isSet(validity, i)) {
        long value = data.getLong(8 * i);
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    min = low;
    max = high;
  }

  /** Bounds leave NaN out and take zero as -0.0 below and as +0.0 above. */
  private void writeFloating(
      DataType type, FieldVector vector, int rows, @Nullable ByteBuffer validity) {
    boolean single = type instanceof FloatType;
    ByteBuffer data = data(vector, rows * (single ? 4 : 8));
    double low = Double.POSITIVE_INFINITY;
    double high = Double.NEGATIVE_INFINITY;
    boolean nan = false;
    boolean any = false;
    for (int i = 0; i < rows; i++) {
      if (validity == null || isSet(validity, i)) {
        double value = single ? data.getFloat(4 * i) : data.getDouble(8 * i);
        if (Double.isNaN(value)) {
          nan = true;
        } else {
          any = true;
          low = value < low ? value : low;
          high = value > high ? value : high;
        }
      }
    }
    flags = nan ? StatisticsFormat.HAS_NAN : 0;
    if (any) {
      flags |= StatisticsFormat.HAS_MIN | StatisticsFormat.HAS_MAX;
      out.putDouble(low == 0 ? -0.0 : low).putDouble(high == 0 ? 0.0 : high);
    }
  }

  private void writeDecimals(FieldVector vector, int rows, @Nullable ByteBuffer validity) {
    ByteBuffer data = data(vector, rows * 16);
    long lowHead = Long.MAX_VALUE;
    long lowTail = -1;
    long highHead = Long.MIN_VALUE;
    long highTail = 0;
    for (int i = 0; i < rows; i++) {
      if (validity == null || isSet(validity, i)) {
        long tail = data.getLong(16 * i);
        long head = data.getLong(16 * i + 8);
        if (head < lowHead || (head == lowHead && Long.compareUnsigned(tail, lowTail) < 0)) {
          lowHead = head;
          lowTail = tail;
        }
        if (head > highHead || (head == highHead && Long.compareUnsigned(tail, highTail) > 0)) {
          highHead = head;
          highTail = tail;
        }
      }
    }
    flags = StatisticsFormat.HAS_MIN | StatisticsFormat.HAS_MAX;
    out.putLong(lowTail).putLong(lowHead).putLong(highTail).putLong(highHead);
  }

  private void writeBytes(
      DataType type, FieldVector vector, int rows, @Nullable ByteBuffer validity) {
    if (vector instanceof BaseFixedWidthVector fixed) {
      int width = fixed.getTypeWidth();
      bytesBounds.scanFixed(data(vector, rows * width), width, rows, validity);
    } else {
      ByteBuffer offsets = bytes(vector.getOffsetBuffer(), 4 * (rows + 1), offsetsCopy);
      ByteBuffer data = data(vector, offsets.getInt(4 * rows));
      bytesBounds.scanVariable(data, offsets, rows, validity);
    }
    boolean text = type instanceof StringType || type instanceof CharType;
    flags = bytesBounds.write(text, out);
  }

  private ByteBuffer data(FieldVector vector, int length) {
    return bytes(vector.getDataBuffer(), length, dataCopy);
  }

  /** The first bytes of a buffer, which may be those in the copy until the next column. */
  private static ByteBuffer bytes(ArrowBuf buffer, int length, ByteBuffer copy) {
    if (length > COPIED_BYTES) {
      return buffer.nioBuffer(0, length).order(ByteOrder.LITTLE_ENDIAN);
    }
    buffer.getBytes(0, copy.clear().limit(length));
    return copy.flip();
  }

  /** Direct as the views are, so that the loops see one kind of buffer. */
  private static ByteBuffer copyTarget() {
    return ByteBuffer.allocateDirect(COPIED_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  }

  static boolean isSet(ByteBuffer bits, int index) {
    return (bits.get(index >> 3) >> (index & 7) & 1) != 0;
  }
}
