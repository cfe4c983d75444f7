package io.sluice.tablet.kv;

import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.RowCodec;
import io.sluice.format.schema.TableSchema;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Stored rows as Arrow: chosen columns, matched by id with the columns each row was written with;
 * those it was written without have their initial default. Add rows, {@link #finish}, use the root,
 * {@link #reset}. One owner, not thread-safe.
 */
public final class RowBatch implements AutoCloseable {
  /** Id of a column that no table has: of the flag that says whether a row exists. */
  public static final int NO_COLUMN_ID = Integer.MAX_VALUE;

  private static final int NO_FLAG = -1;

  private final KvSchemas schemas;
  private final @Nullable TableSchema columns;
  private final int flagColumn;
  private final VectorSchemaRoot root;
  private final @Nullable ColumnWriters writers;
  private final Map<Integer, Stored> storedSchemas = new HashMap<>();
  private int rows;

  /** How rows of a schema are read. */
  private record Stored(RowCodec codec, ColumnMapping mapping) {}

  private RowBatch(
      KvSchemas schemas,
      @Nullable TableSchema columns,
      int flagColumn,
      VectorSchemaRoot root,
      int expectedRows) {
    this.schemas = schemas;
    this.columns = columns;
    this.flagColumn = flagColumn;
    this.root = root;
    this.writers = columns == null ? null : ColumnWriters.of(columns, root, expectedRows);
  }

  /** Batches of these columns, which must be able to hold what the rows have. */
  public static RowBatch of(
      KvSchemas schemas,
      TableSchema columns,
      Schema arrow,
      BufferAllocator allocator,
      int expectedRows) {
    VectorSchemaRoot root = VectorSchemaRoot.create(arrow, allocator);
    return new RowBatch(schemas, columns, NO_FLAG, root, expectedRows);
  }

  /** The same, with a last column, BOOLEAN, that says whether the row exists. */
  public static RowBatch withFlag(
      KvSchemas schemas,
      TableSchema columns,
      Schema arrow,
      BufferAllocator allocator,
      int expectedRows) {
    VectorSchemaRoot root = VectorSchemaRoot.create(arrow, allocator);
    return new RowBatch(schemas, columns, columns.size() - 1, root, expectedRows);
  }

  /** Batches without columns, which only count rows. */
  public static RowBatch counting(KvSchemas schemas) {
    return new RowBatch(schemas, null, NO_FLAG, new VectorSchemaRoot(List.of(), List.of(), 0), 0);
  }

  /** Adds a row; without an encoded value one that does not exist. */
  public void add(byte @Nullable [] value) {
    ColumnWriters into = writers;
    TableSchema wanted = columns;
    if (into != null && wanted != null) {
      if (value == null) {
        into.write(new FlaggedRow(null, wanted.size(), flagColumn));
      } else {
        Stored stored = stored(wanted, RowCodec.schemaId(value));
        MappedRow row = new MappedRow(stored.codec().decode(value), stored.mapping());
        into.write(new FlaggedRow(row, wanted.size(), flagColumn));
      }
    }
    rows++;
  }

  private Stored stored(TableSchema wanted, int schemaId) {
    Stored known = storedSchemas.get(schemaId);
    if (known == null) {
      TableSchema schema = schemas.schema(schemaId);
      known = new Stored(RowCodec.of(schema), ColumnMapping.ofStored(wanted, schema));
      storedSchemas.put(schemaId, known);
    }
    return known;
  }

  /** Rows added since the last reset. */
  public int rowCount() {
    return rows;
  }

  /** Arrow bytes of these rows, about. */
  public long bytes() {
    return writers == null ? 0 : writers.bytes();
  }

  /** The rows, until {@link #reset}. */
  public VectorSchemaRoot finish() {
    if (writers != null) {
      writers.finish();
    }
    root.setRowCount(rows);
    return root;
  }

  /** Starts the next batch. */
  public void reset() {
    rows = 0;
    if (writers != null) {
      writers.reset();
    }
  }

  @Override
  public void close() {
    root.close();
  }
}
