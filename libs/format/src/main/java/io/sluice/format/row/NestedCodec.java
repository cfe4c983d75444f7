package io.sluice.format.row;

import static io.sluice.format.row.RowCodec.INTS;

import io.sluice.format.row.ScalarColumn.Family;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one ARRAY, MAP or ROW value inside of a row value, as {@code
 * docs/formats/row-encoding.md} describes them. Immutable and thread-safe.
 */
final class NestedCodec {
  /** Encodes and decodes values that are not NULL. */
  private interface Part {
    void encode(Row cell, int index, ByteAccumulator out);

    Object decode(Input in);
  }

  private final Part part;

  private NestedCodec(Part part) {
    this.part = part;
  }

  /** The codec of a nested column. */
  static NestedCodec of(Column column) {
    return new NestedCodec(part(column));
  }

  /** Appends the value at a position of a row. INVALID_VALUE naming what does not fit. */
  void encode(Row row, int index, ByteAccumulator out) {
    part.encode(row, index, out);
  }

  /**
   * The value that takes exactly these bytes.
   *
   * @throws io.sluice.common.SluiceException CORRUPT_STORAGE when they are damaged
   */
  Object decode(byte[] bytes, int start, int end) {
    Input in = new Input(bytes, start, end);
    Object value = part.decode(in);
    if (in.at != end) {
      throw RowCodec.damaged(in.at, "the end of a nested value at " + end, "" + in.at);
    }
    return value;
  }

  private static Part part(Column column) {
    DataType type = column.type();
    String name = column.name();
    if (type instanceof ArrayType array) {
      return new ArrayPart(member(name + ".element", array.element(), array.elementNullable()));
    }
    if (type instanceof MapType map) {
      return new MapPart(
          member(name + ".key", map.key(), false),
          member(name + ".value", map.value(), map.valueNullable()));
    }
    if (type instanceof RowType row) {
      Member[] fields = new Member[row.fields().size()];
      for (int i = 0; i < fields.length; i++) {
        RowType.Field field = row.fields().get(i);
        fields[i] = member(name + '.' + field.name(), field.type(), field.nullable());
      }
      return new RowPart(column, fields);
    }
    return new ScalarPart(new ScalarColumn(column));
  }

  private static Member member(String path, DataType type, boolean nullable) {
    Column column = Column.inner(path, type, nullable);
    return new Member(new ValueRules(column), part(column));
  }

  /** An element, key, value or field, which may be NULL. */
  private record Member(ValueRules rules, Part part) {
    /** Appends the value, or sets its bit and appends nothing. */
    void encode(Row row, int index, int bitsAt, int bit, ByteAccumulator out) {
      if (!row.isNull(index)) {
        part.encode(row, index, out);
        return;
      }
      if (!rules.column().nullable()) {
        throw rules.nullRefused();
      }
      out.array()[bitsAt + bit / 8] |= (byte) (1 << bit % 8);
    }

    @Nullable Object decode(Input in, int bitsAt, int bit) {
      return in.isSet(bitsAt, bit) ? null : part.decode(in);
    }
  }

  private static int bits(int count, ByteAccumulator out) {
    int bytes = (count + 7) / 8;
    int at = out.extend(bytes);
    Arrays.fill(out.array(), at, at + bytes, (byte) 0);
    return at;
  }

  private static void putInt(int value, ByteAccumulator out) {
    int at = out.extend(4);
    INTS.set(out.array(), at, value);
  }

  private record ScalarPart(ScalarColumn column) implements Part {
    private boolean variable() {
      return column.family() == Family.TEXT || column.family() == Family.BYTES;
    }

    @Override
    public void encode(Row cell, int index, ByteAccumulator out) {
      if (variable()) {
        byte[] bytes = column.variable(cell, index);
        putInt(bytes.length, out);
        out.put(bytes);
      } else {
        int at = out.extend(FixedValues.width(column));
        FixedValues.encode(column, cell, index, out.array(), at);
      }
    }

    @Override
    public Object decode(Input in) {
      if (!variable()) {
        return FixedValues.decode(column, in.bytes, in.take(FixedValues.width(column)));
      }
      int length = in.count(1);
      int at = in.take(length);
      return column.family() == Family.TEXT
          ? new String(in.bytes, at, length, StandardCharsets.UTF_8)
          : Arrays.copyOfRange(in.bytes, at, at + length);
    }
  }

  private record ArrayPart(Member element) implements Part {
    @Override
    public void encode(Row cell, int index, ByteAccumulator out) {
      encodeAll(element, cell.getArray(index).toArray(), out);
    }

    static void encodeAll(Member member, Object[] values, ByteAccumulator out) {
      putInt(values.length, out);
      int bitsAt = bits(values.length, out);
      Row row = GenericRow.wrapping(values);
      for (int i = 0; i < values.length; i++) {
        member.encode(row, i, bitsAt, i, out);
      }
    }

    static List<@Nullable Object> decodeAll(Member member, Input in) {
      int count = in.count(0);
      int bitsAt = in.take((int) ((count + 7L) / 8));
      in.checkUnused(bitsAt, count);
      List<@Nullable Object> values = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        values.add(member.decode(in, bitsAt, i));
      }
      return values;
    }

    @Override
    public Object decode(Input in) {
      return Collections.unmodifiableList(decodeAll(element, in));
    }
  }

  private record MapPart(Member key, Member value) implements Part {
    @Override
    public void encode(Row cell, int index, ByteAccumulator out) {
      Map<Object, @Nullable Object> entries = cell.getMap(index);
      ArrayPart.encodeAll(key, entries.keySet().toArray(), out);
      ArrayPart.encodeAll(value, entries.values().toArray(), out);
    }

    @Override
    public Object decode(Input in) {
      List<@Nullable Object> keys = ArrayPart.decodeAll(key, in);
      int valuesAt = in.at;
      List<@Nullable Object> values = ArrayPart.decodeAll(value, in);
      Map<Object, @Nullable Object> entries = new LinkedHashMap<>();
      for (int i = 0; i < keys.size(); i++) {
        Object each = keys.get(i);
        if (each == null || keys.size() != values.size()) {
          throw RowCodec.damaged(
              valuesAt, keys.size() + " values of keys that are not NULL", "other");
        }
        entries.put(each, values.get(i));
      }
      return Collections.unmodifiableMap(entries);
    }
  }

  private record RowPart(Column column, Member[] fields) implements Part {
    @Override
    public void encode(Row cell, int index, ByteAccumulator out) {
      Row row = cell.getRow(index);
      if (row.columnCount() != fields.length) {
        throw new ValueRules(column)
            .refused(
                "a row of " + row.columnCount() + " values", "it has " + fields.length + " fields");
      }
      int bitsAt = bits(fields.length, out);
      for (int i = 0; i < fields.length; i++) {
        fields[i].encode(row, i, bitsAt, i, out);
      }
    }

    @Override
    public Object decode(Input in) {
      int bitsAt = in.take((fields.length + 7) / 8);
      in.checkUnused(bitsAt, fields.length);
      @Nullable Object[] values = new @Nullable Object[fields.length];
      for (int i = 0; i < values.length; i++) {
        values[i] = fields[i].decode(in, bitsAt, i);
      }
      return GenericRow.wrapping(values);
    }
  }

  /** Bytes of one value, read from front to back and never beyond its end. */
  private static final class Input {
    private final byte[] bytes;
    private final int end;
    private int at;

    Input(byte[] bytes, int start, int end) {
      this.bytes = bytes;
      this.at = start;
      this.end = end;
    }

    /** Start of the next bytes, which are skipped. */
    int take(int count) {
      if (count > end - at) {
        throw RowCodec.damaged(at, count + " bytes of a nested value", (end - at) + " bytes");
      }
      int start = at;
      at += count;
      return start;
    }

    /**
     * A number of things of which each takes at least so many bytes, or a bit of a bitmap for 0.
     */
    int count(int bytesEach) {
      int start = take(4);
      int count = (int) INTS.get(bytes, start);
      long most = bytesEach == 0 ? 8L * (end - at) : (end - at) / bytesEach;
      if (count < 0 || count > most) {
        throw RowCodec.damaged(start, "a count of at most " + most, "" + count);
      }
      return count;
    }

    boolean isSet(int bitsAt, int bit) {
      return (bytes[bitsAt + bit / 8] >> (bit % 8) & 1) != 0;
    }

    void checkUnused(int bitsAt, int count) {
      int last = bitsAt + (count - 1) / 8;
      if (count % 8 != 0 && (bytes[last] & 0xFF) >>> (count % 8) != 0) {
        throw RowCodec.damaged(
            last, "zero bits after the last value", "0x" + Integer.toHexString(bytes[last] & 0xFF));
      }
    }
  }
}
