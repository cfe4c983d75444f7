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
  private final KvSchemas schemas;
  private final @Nullable TableSchema columns;
  private final VectorSchemaRoot root;
  private final @Nullable ColumnWriters writers;
  private final Map<Integer, Stored> storedSchemas = new HashMap<>();
  private int rows;

  /** How rows of a schema are read. */
  private record Stored(RowCodec codec, ColumnMapping mapping) {}

  private RowBatch(
      KvSchemas schemas, @Nullable TableSchema columns, VectorSchemaRoot root, int expectedRows) {
    this.schemas = schemas;
    this.columns = columns;
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
    try {
      return new RowBatch(schemas, columns, root, expectedRows);
    } catch (RuntimeException | Error e) {
      root.close();
      throw e;
    }
  }

  /** Batches without columns, which only count rows. */
  public static RowBatch counting(KvSchemas schemas) {
    return new RowBatch(schemas, null, new VectorSchemaRoot(List.of(), List.of(), 0), 0);
  }

  /** Adds a row; without an encoded value one that does not exist, whose columns are NULL. */
  public void add(byte @Nullable [] value) {
    ColumnWriters into = writers;
    TableSchema wanted = columns;
    if (into != null && wanted != null) {
      if (value == null) {
        into.write(new AbsentRow(wanted.size()));
      } else {
        Stored stored = stored(wanted, RowCodec.schemaId(value));
        into.write(new MappedRow(stored.codec().decode(value), stored.mapping()));
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
