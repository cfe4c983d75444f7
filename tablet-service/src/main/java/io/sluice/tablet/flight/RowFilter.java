package io.sluice.tablet.flight;

import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.format.filter.BoundFilter;
import io.sluice.format.filter.Selection;
import io.sluice.format.projection.ColumnSelection;
import io.sluice.format.projection.MetadataColumns;
import io.sluice.format.projection.ProjectedBatch;
import io.sluice.format.projection.ProjectionPlan;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.replica.BatchCursor;
import java.util.HashMap;
import java.util.Map;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * Finds the rows of stored batches that fulfil a condition; reads and decodes the columns it names
 * and no other. Used by one thread at a time.
 */
final class RowFilter implements AutoCloseable {
  private final BoundFilter filter;
  private final ColumnSelection columns;
  private final BufferAllocator allocator;
  private final BodyReads bodies;
  private final LogBatchDecoder decoder;
  private final Selection selection = new Selection();
  private final Map<Integer, ProjectionPlan> plans = new HashMap<>();

  /**
   * @param schema the schema that the filter is bound to
   * @param allocator memory of the decoded columns
   */
  RowFilter(BoundFilter filter, TableSchema schema, BufferAllocator allocator, BodyReads bodies) {
    this.filter = filter;
    this.columns = ColumnSelection.ofIds(schema, filter.columnIds());
    this.allocator = allocator;
    this.bodies = bodies;
    this.decoder = new LogBatchDecoder(allocator);
  }

  /** The rows of the batch that the cursor stands on; valid until the next call. */
  Selection select(TableSchema stored, BatchCursor cursor, BatchSections sections) {
    ProjectionPlan plan =
        plans.computeIfAbsent(
            stored.schemaId(), any -> ProjectionPlan.of(stored, columns, MetadataColumns.NONE));
    ProjectedBatch projected =
        plan.project(
            cursor.header(), sections.changeTypes(), sections.metadata(), sections.checksums());
    int length = projected.bodyLength();
    try (ArrowBuf body = allocator.buffer(Math.max(1, length))) {
      bodies.fill(cursor, projected, body.nioBuffer(0, length));
      body.writerIndex(length);
      try (VectorSchemaRoot root = decoder.decode(plan.arrowSchema(), projected.metadata(), body)) {
        filter.select(root.getFieldVectors(), cursor.header().recordCount(), selection);
        return selection;
      }
    }
  }

  @Override
  public void close() {
    decoder.close();
  }
}
