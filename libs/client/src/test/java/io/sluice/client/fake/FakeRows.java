package io.sluice.client.fake;

import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.Row;
import io.sluice.format.row.RowCodec;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.util.Text;
import org.jspecify.annotations.Nullable;

/** The current rows of one bucket of a primary-key table, by their encoded keys. */
public final class FakeRows {
  private final TableSchema schema;
  private final BufferAllocator allocator;
  private final Map<ByteBuffer, GenericRow> rows = new LinkedHashMap<>();

  FakeRows(TableSchema schema, BufferAllocator allocator) {
    this.schema = schema;
    this.allocator = allocator;
  }

  /** All rows. */
  public synchronized List<GenericRow> all() {
    return List.copyOf(rows.values());
  }

  /** The value of an encoded key, empty for none. */
  synchronized byte[] value(byte[] key) {
    GenericRow row = rows.get(ByteBuffer.wrap(key));
    return row == null ? new byte[0] : RowCodec.of(schema).encode(row, 1234);
  }

  /** The values of the encoded keys that begin with the prefix, in key order; limit 0 = all. */
  synchronized List<byte[]> values(byte[] prefix, int limit) {
    return rows.keySet().stream()
        .map(ByteBuffer::array)
        .filter(
            key ->
                key.length >= prefix.length
                    && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length))
        .sorted(Arrays::compareUnsigned)
        .limit(limit == 0 ? Long.MAX_VALUE : limit)
        .map(this::value)
        .toList();
  }

  /** Makes the row of an encoded key, its other columns NULL; false when it exists. */
  synchronized boolean insertMissing(byte[] key) {
    GenericRow keyRow = KeyEncoder.of(schema).decode(key);
    @Nullable Object[] values = new @Nullable Object[schema.size()];
    for (int i = 0; i < keyRow.columnCount(); i++) {
      values[schema.position(schema.primaryKey().get(i))] = keyRow.value(i);
    }
    return rows.putIfAbsent(ByteBuffer.wrap(key), GenericRow.of(values)) == null;
  }

  /** Number of rows. */
  synchronized int count() {
    return rows.size();
  }

  /** Does what a put asks for. */
  synchronized void put(
      List<Integer> targetColumns, byte[] changeTypes, ByteBuffer metadata, byte[] body) {
    TableSchema put = targets(targetColumns);
    try (LogBatchDecoder decoder = new LogBatchDecoder(allocator);
        ArrowBuf buffer = allocator.buffer(Math.max(body.length, 1))) {
      buffer.writeBytes(body);
      try (VectorSchemaRoot root =
          decoder.decode(ArrowSchemas.toArrow(put), metadata.duplicate(), buffer)) {
        for (int i = 0; i < root.getRowCount(); i++) {
          boolean delete =
              changeTypes.length > 0 && ChangeType.of(changeTypes[i]) == ChangeType.DELETE;
          change(put, root, i, delete, !targetColumns.isEmpty());
        }
      }
    }
  }

  private TableSchema targets(List<Integer> ids) {
    if (ids.isEmpty()) {
      return schema;
    }
    List<Column> columns = new ArrayList<>();
    for (int id : ids) {
      columns.addAll(schema.columns().stream().filter(column -> column.id() == id).toList());
    }
    return new TableSchema(schema.schemaId(), columns, schema.primaryKey());
  }

  private void change(
      TableSchema put, VectorSchemaRoot root, int at, boolean delete, boolean partial) {
    @Nullable Object[] values = new @Nullable Object[put.size()];
    for (int i = 0; i < values.length; i++) {
      Object value = root.getVector(i).getObject(at);
      values[i] = value instanceof Text ? value.toString() : value;
    }
    ByteBuffer key = ByteBuffer.wrap(KeyEncoder.of(put).encode(GenericRow.of(values)));
    GenericRow before = rows.get(key);
    if (delete && !partial) {
      rows.remove(key);
    } else if (!delete || before != null) {
      rows.put(key, merged(put, values, before, delete));
    }
  }

  private GenericRow merged(
      TableSchema put, @Nullable Object[] values, @Nullable GenericRow before, boolean clear) {
    @Nullable Object[] merged = new @Nullable Object[schema.size()];
    for (int i = 0; i < merged.length; i++) {
      String name = schema.columns().get(i).name();
      boolean key = schema.primaryKey().contains(name);
      if (put.hasColumn(name)) {
        merged[i] = clear && !key ? null : values[put.position(name)];
      } else {
        merged[i] = before == null ? null : before.value(i);
      }
    }
    return GenericRow.of(merged);
  }

  /** Gives all rows as one encoded batch, when there are any. */
  synchronized void encode(Consumer<EncodedBatch> receiver) {
    if (rows.isEmpty()) {
      return;
    }
    try (VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator);
        LogBatchEncoder encoder = new LogBatchEncoder(allocator, CompressionSettings.defaults())) {
      ColumnWriters writers = ColumnWriters.of(schema, root, rows.size());
      for (Row row : rows.values()) {
        writers.write(row);
      }
      try (EncodedBatch batch = encoder.encode(writers.finish(), schema, BatchWriter.NONE)) {
        receiver.accept(batch);
      }
    }
  }
}
