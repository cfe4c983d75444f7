package io.sluice.format.row;

import static io.sluice.format.row.RowCodec.INTS;
import static io.sluice.format.row.RowCodec.LONGS;
import static io.sluice.format.row.RowCodec.SHORTS;

import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.BinaryType;
import io.sluice.format.schema.DataType.BooleanType;
import io.sluice.format.schema.DataType.BytesType;
import io.sluice.format.schema.DataType.CharType;
import io.sluice.format.schema.DataType.DateType;
import io.sluice.format.schema.DataType.DoubleType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.StringType;
import io.sluice.format.schema.DataType.TimestampLtzType;
import io.sluice.format.schema.DataType.TimestampType;
import io.sluice.format.schema.TableSchema;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * Encodes rows whose columns lie in Arrow vectors, or in the value of an older row, without making
 * an object of any value: the bytes are those that {@link RowCodec#encode(Row, long)} gives. What
 * must be checked or converted is asked of a {@link Row}.
 *
 * <p>Made for the vectors of one root, which must not be changed or closed while this is used. Not
 * thread-safe.
 */
public final class VectorRowEncoder {
  /** Position of a column that is not in the vectors. */
  public static final int ABSENT = -1;

  /** {@code 0x80} in each of 8 bytes: set somewhere when they are not all ASCII. */
  private static final long NOT_ASCII = 0x8080808080808080L;

  private enum Source {
    /** In the vectors, as the value has it. */
    FIXED,
    BOOLEAN,
    TEXT,
    BYTES,
    /** Asked of the row, which checks and converts. */
    ROW,
    /** In the older value, or asked of the row when there is none. */
    OLDER
  }

  private final RowLayout layout;
  private final RowCodec codec;
  private final Source[] sources;
  private final @Nullable FieldVector[] vectors;
  private final int[] textLimits;

  private VectorRowEncoder(
      RowCodec codec, Source[] sources, @Nullable FieldVector[] vectors, int[] textLimits) {
    this.codec = codec;
    this.layout = codec.layout();
    this.sources = sources;
    this.vectors = vectors;
    this.textLimits = textLimits;
  }

  /**
   * An encoder of rows of the codec's schema.
   *
   * @param columns the columns of the root, in its order
   * @param positions for each column of the rows its position in the root, {@link #ABSENT} when the
   *     older value has it
   */
  public static VectorRowEncoder of(
      RowCodec codec, List<Column> columns, VectorSchemaRoot root, int[] positions) {
    TableSchema schema = codec.layout().schema();
    int size = schema.size();
    Source[] sources = new Source[size];
    @Nullable FieldVector[] vectors = new @Nullable FieldVector[size];
    int[] textLimits = new int[size];
    for (int i = 0; i < size; i++) {
      DataType type = schema.columns().get(i).type();
      textLimits[i] = type instanceof CharType text ? text.length() : Integer.MAX_VALUE;
      if (positions[i] == ABSENT) {
        sources[i] = Source.OLDER;
        continue;
      }
      vectors[i] = root.getVector(positions[i]);
      boolean same = columns.get(positions[i]).type().equals(type);
      sources[i] = same ? source(type) : Source.ROW;
    }
    return new VectorRowEncoder(codec, sources, vectors, textLimits);
  }

  /** Types whose every stored value is allowed are copied; of text only ASCII is. */
  private static Source source(DataType type) {
    if (type instanceof BooleanType) {
      return Source.BOOLEAN;
    }
    if (type instanceof StringType || type instanceof CharType) {
      return Source.TEXT;
    }
    if (type instanceof BytesType) {
      return Source.BYTES;
    }
    boolean free =
        type instanceof IntegerType
            || type instanceof FloatType
            || type instanceof DoubleType
            || type instanceof DateType
            || type instanceof BinaryType
            || (type instanceof TimestampType timestamp && isWholeUnit(timestamp.precision()))
            || (type instanceof TimestampLtzType instant && isWholeUnit(instant.precision()));
    return free ? Source.FIXED : Source.ROW;
  }

  /** Whether each integer is a timestamp of the precision: seconds reach farther than dates do. */
  private static boolean isWholeUnit(int precision) {
    return precision == 3 || precision == 6 || precision == 9;
  }

  /**
   * Appends the value of a row with time 0.
   *
   * @param row position in the vectors
   * @param older value of the codec's schema that has the columns the vectors do not have; null
   *     when {@code whole} has them
   * @param whole the same row as an object, every column of it
   * @throws io.sluice.common.SluiceException INVALID_VALUE naming the column
   */
  public void encode(int row, byte @Nullable [] older, Row whole, ByteAccumulator out) {
    int start = out.extend(layout.variableAt());
    Arrays.fill(out.array(), start, start + layout.variableAt(), (byte) 0);
    out.array()[start] = RowCodec.FORMAT;
    SHORTS.set(out.array(), start + RowCodec.SCHEMA_ID_AT, (short) layout.schema().schemaId());
    for (int i = 0; i < sources.length; i++) {
      Source source = sources[i];
      if (source == Source.ROW || (source == Source.OLDER && older == null)) {
        codec.encodeColumn(whole, i, start, out);
      } else if (source == Source.OLDER && older != null) {
        copyOlder(i, older, start, out);
      } else {
        FieldVector vector = vectors[i];
        if (vector == null || vector.isNull(row)) {
          codec.encodeNull(i, start, out);
        } else {
          copy(source, vector, row, i, whole, start, out);
        }
      }
      if (layout.isVariable(i)) {
        int end = out.length() - start - layout.variableAt();
        INTS.set(out.array(), start + layout.slot(i), end);
      }
    }
  }

  private void copyOlder(int column, byte[] older, int start, ByteAccumulator out) {
    int nullAt = RowCodec.HEADER_SIZE + column / 8;
    int bit = 1 << column % 8;
    if ((older[nullAt] & bit) != 0) {
      codec.encodeNull(column, start, out);
      return;
    }
    int slot = layout.slot(column);
    if (layout.isVariable(column)) {
      int from = layout.variableStart(column, older);
      int to = layout.variableEnd(column, older);
      out.put(older, from, to - from);
    } else {
      System.arraycopy(older, slot, out.array(), start + slot, layout.width(column));
    }
  }

  private void copy(
      Source source,
      FieldVector vector,
      int row,
      int column,
      Row whole,
      int start,
      ByteAccumulator out) {
    switch (source) {
      case FIXED ->
          copyFixed(
              ((BaseFixedWidthVector) vector).getDataBuffer().memoryAddress(),
              row,
              layout.width(column),
              out.array(),
              start + layout.slot(column));
      case BOOLEAN -> {
        long bits = ((BaseFixedWidthVector) vector).getDataBuffer().memoryAddress();
        int value = MemoryUtil.getByte(bits + (row >>> 3)) >> (row & 7) & 1;
        out.array()[start + layout.slot(column)] = (byte) value;
      }
      default -> {
        BaseVariableWidthVector variable = (BaseVariableWidthVector) vector;
        long offsets = variable.getOffsetBuffer().memoryAddress() + 4L * row;
        int from = MemoryUtil.getInt(offsets);
        int length = MemoryUtil.getInt(offsets + 4) - from;
        long at = variable.getDataBuffer().memoryAddress() + from;
        if (source == Source.TEXT && (length > textLimits[column] || !isAscii(at, length))) {
          codec.encodeColumn(whole, column, start, out);
        } else {
          int to = out.extend(length);
          MemoryUtil.copyFromMemory(at, out.array(), to, length);
        }
      }
    }
  }

  private static void copyFixed(long data, int row, int width, byte[] out, int at) {
    switch (width) {
      case 8 -> LONGS.set(out, at, MemoryUtil.getLong(data + 8L * row));
      case 4 -> INTS.set(out, at, MemoryUtil.getInt(data + 4L * row));
      case 2 -> SHORTS.set(out, at, MemoryUtil.getShort(data + 2L * row));
      case 1 -> out[at] = MemoryUtil.getByte(data + row);
      default -> MemoryUtil.copyFromMemory(data + (long) width * row, out, at, width);
    }
  }

  private static boolean isAscii(long address, int length) {
    int i = 0;
    long seen = 0;
    for (; i + 8 <= length; i += 8) {
      seen |= MemoryUtil.getLong(address + i);
    }
    for (; i < length; i++) {
      seen |= (long) MemoryUtil.getByte(address + i);
    }
    return (seen & NOT_ASCII) == 0;
  }
}
