package io.sluice.tablet.kv.merge;

import io.sluice.common.SluiceException;
import io.sluice.format.merge.MergeRules;
import io.sluice.format.row.Row;
import io.sluice.format.row.RowCodec;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One row of a table with the key {@code k INT}, kept as a store keeps it: encoded. */
final class MergeFixture {
  final TableSchema schema;
  final RowMerger merger;
  private final RowCodec codec;
  private byte @Nullable [] stored;

  /**
   * @param columns text of the columns behind the key: name, type
   * @param options key, value
   */
  MergeFixture(List<String> columns, String... options) {
    this(schema(columns), options);
  }

  MergeFixture(TableSchema schema, String... options) {
    this.schema = schema;
    this.codec = RowCodec.of(schema);
    Map<String, String> map = new HashMap<>();
    for (int i = 0; i < options.length; i += 2) {
      map.put(options[i], options[i + 1]);
    }
    this.merger = RowMerger.of(schema, MergeRules.of(schema, map));
  }

  /** An aggregation table with the one column {@code v}. */
  static MergeFixture aggregating(String type, String function, String... options) {
    List<String> all = new ArrayList<>(List.of(options));
    all.addAll(List.of("table.merge-engine", "aggregation", "fields.v.agg", function));
    return new MergeFixture(List.of("v " + type), all.toArray(String[]::new));
  }

  static TableSchema schema(List<String> columns) {
    List<Column> all = new ArrayList<>();
    all.add(Column.of(1, "k", DataTypeParser.parse("INT"), false));
    for (String column : columns) {
      int space = column.indexOf(' ');
      DataType type = DataTypeParser.parse(column.substring(space + 1));
      all.add(Column.of(all.size() + 1, column.substring(0, space), type, true));
    }
    return new TableSchema(1, all, List.of("k"));
  }

  /**
   * Puts all columns.
   *
   * @param values of the columns behind the key
   * @return whether the row changed
   */
  boolean put(@Nullable Object... values) {
    BitSet written = new BitSet();
    written.set(0, schema.size());
    return putSome(written, values);
  }

  /** Puts some columns; the other values given are what an upsert would leave there. */
  boolean putSome(BitSet written, @Nullable Object... values) {
    Object[] all = new Object[values.length + 1];
    all[0] = 1;
    System.arraycopy(values, 0, all, 1, values.length);
    Row before = stored == null ? null : codec.decode(stored);
    Row after = merger.merge(before, Row.of(all), written);
    if (after == null) {
      return false;
    }
    byte[] encoded = codec.encode(after, 0);
    boolean changed = !Arrays.equals(encoded, stored);
    stored = encoded;
    return changed;
  }

  /** What a put is refused with, null when it is taken. */
  @Nullable SluiceException refused(@Nullable Object... values) {
    try {
      put(values);
      return null;
    } catch (SluiceException e) {
      return e;
    }
  }

  /** The value of a column as an object of its type, null for NULL. */
  @Nullable Object value(int column) {
    Row row = codec.decode(stored);
    return row.isNull(column)
        ? null
        : MergeFixture.read(row, column, schema.columns().get(column).type());
  }

  /** The value of column {@code v}. */
  @Nullable Object value() {
    return value(1);
  }

  static Object read(Row row, int column, DataType type) {
    String name = type.toString().replaceAll("\\(.*", "");
    return switch (name) {
      case "BOOLEAN" -> row.getBoolean(column);
      case "TINYINT" -> row.getByte(column);
      case "SMALLINT" -> row.getShort(column);
      case "INT" -> row.getInt(column);
      case "BIGINT" -> row.getLong(column);
      case "FLOAT" -> row.getFloat(column);
      case "DOUBLE" -> row.getDouble(column);
      case "CHAR", "STRING" -> row.getString(column);
      case "DECIMAL" -> row.getDecimal(column);
      case "DATE" -> row.getDate(column);
      case "TIME" -> row.getTime(column);
      case "TIMESTAMP" -> row.getTimestamp(column);
      case "TIMESTAMP_LTZ" -> row.getInstant(column);
      case "BINARY", "BYTES" -> row.getBytes(column);
      default -> row.getArray(column);
    };
  }
}
