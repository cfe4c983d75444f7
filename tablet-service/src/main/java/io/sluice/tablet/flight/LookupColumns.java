package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.tablet.kv.KvSchemas;
import io.sluice.tablet.kv.RowBatch;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The columns of the rows that an exchange answers: those asked for, all nullable, with one that
 * says whose row it is. It belongs to no table and carries no column id.
 */
final class LookupColumns {
  /** Last column of the rows of keys: whether the row exists, or did before it was made. */
  static final String FOUND = "_found";

  /** First column of the rows of prefixes: the position of the prefix in its batch. */
  static final String KEY = "_key";

  private final TableSchema wanted;
  private final Schema stored;
  private final Schema arrow;
  private final boolean prefixes;

  /**
   * @param names the columns in the order wanted, empty for all
   * @throws SluiceException COLUMN_NOT_FOUND; INVALID_ARGUMENT for a column named twice, or one
   *     that has the name of the column that is added
   */
  LookupColumns(TableSchema schema, List<String> names, boolean prefixes) {
    this.wanted = wanted(schema, names);
    requireFree(wanted, prefixes ? KEY : FOUND);
    this.stored = ArrowSchemas.toArrow(wanted);
    this.prefixes = prefixes;
    List<Field> fields = new ArrayList<>(stored.getFields());
    if (prefixes) {
      fields.add(0, new Field(KEY, FieldType.notNullable(new ArrowType.Int(32, true)), List.of()));
    } else {
      fields.add(new Field(FOUND, FieldType.notNullable(ArrowType.Bool.INSTANCE), List.of()));
    }
    this.arrow = new Schema(fields, stored.getCustomMetadata());
  }

  private static TableSchema wanted(TableSchema schema, List<String> names) {
    List<Column> columns = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    List<String> all =
        names.isEmpty() ? schema.columns().stream().map(Column::name).toList() : names;
    for (String name : all) {
      if (!seen.add(name)) {
        throw new SluiceException(
            ErrorCode.INVALID_ARGUMENT, "The lookup names column '" + name + "' twice");
      }
      Column column = schema.column(name);
      columns.add(
          new Column(
              column.id(),
              name,
              column.type(),
              true,
              column.comment(),
              column.initialDefault(),
              column.writeDefault()));
    }
    return new TableSchema(schema.schemaId(), columns, List.of());
  }

  /** Two columns of one name would be taken for each other. */
  private static void requireFree(TableSchema wanted, String added) {
    if (wanted.hasColumn(added)) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "The answers of the exchange have a column '"
              + added
              + "' of their own, so the column '"
              + added
              + "' of the table cannot be among those looked up; name the other columns in the field"
              + " \"columns\", use the Java client, or rename the column");
    }
  }

  /** The schema of the answers. */
  Schema arrow() {
    return arrow;
  }

  /**
   * The answer to a batch of keys.
   *
   * @param values encoded rows in the order of the keys, null for no row
   * @param found for each key whether its row existed
   */
  OutboundFrame ofKeys(
      KvSchemas schemas, FlightContext context, byte[] @Nullable [] values, boolean[] found) {
    BufferAllocator allocator = context.allocator();
    try (BitVector flags = (BitVector) arrow.findField(FOUND).createVector(allocator);
        RowBatch rows = rows(schemas, allocator, values.length)) {
      flags.allocateNew(Math.max(1, values.length));
      for (int i = 0; i < values.length; i++) {
        rows.add(values[i]);
        flags.set(i, found[i] ? 1 : 0);
      }
      flags.setValueCount(values.length);
      return frame(rows, flags, context);
    }
  }

  /**
   * The answer to a batch of prefixes.
   *
   * @param values for each prefix its encoded rows
   */
  OutboundFrame ofPrefixes(
      KvSchemas schemas, FlightContext context, List<List<byte @Nullable []>> values) {
    int count = 0;
    for (List<byte @Nullable []> each : values) {
      count += each.size();
    }
    BufferAllocator allocator = context.allocator();
    try (IntVector keys = (IntVector) arrow.findField(KEY).createVector(allocator);
        RowBatch rows = rows(schemas, allocator, count)) {
      keys.allocateNew(Math.max(1, count));
      int row = 0;
      for (int key = 0; key < values.size(); key++) {
        for (byte[] value : values.get(key)) {
          rows.add(value);
          keys.set(row++, key);
        }
      }
      keys.setValueCount(count);
      return frame(rows, keys, context);
    }
  }

  private RowBatch rows(KvSchemas schemas, BufferAllocator allocator, int expected) {
    return RowBatch.of(schemas, wanted, stored, allocator, Math.max(1, expected));
  }

  private OutboundFrame frame(RowBatch rows, FieldVector extra, FlightContext context) {
    VectorSchemaRoot root = rows.finish();
    List<FieldVector> vectors = new ArrayList<>(root.getFieldVectors());
    vectors.add(prefixes ? 0 : vectors.size(), extra);
    // Only a view: the vectors stay with their owners.
    VectorSchemaRoot all = new VectorSchemaRoot(arrow.getFields(), vectors, root.getRowCount());
    return PlainFrames.rows(all, null, context.scanBuffers());
  }
}
