package io.sluice.tablet.flight;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchLimits;
import io.sluice.format.batch.BatchStatistics;
import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.filter.BoundFilter;
import io.sluice.format.filter.Selection;
import io.sluice.format.projection.ProjectedBatch;
import io.sluice.format.projection.ProjectionPlan;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.flight.v1.ScanMetadata;
import io.sluice.protocol.flight.v1.ScanMetadataOrBuilder;
import io.sluice.tablet.replica.BatchCursor;
import io.sluice.tablet.replica.HostedTable;
import java.util.HashMap;
import java.util.Map;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * Makes the frames of a scan. A stored batch is read as far as its columns are wanted, into pooled
 * direct memory that goes to the connection as it is; the sections and every buffer sent are
 * checked against their checksums. Of a batch that its statistics rule out only the sections are
 * read. Only a batch that has to be cut at a row, or of which single rows are chosen, is decoded.
 * Used by one thread at a time.
 */
final class BatchSender implements AutoCloseable {
  /** Most that is sent uncompressed at once: many clients take in no message above 4 MiB. */
  private static final int MAX_PIECE_BYTES = BatchLimits.MAX_BATCH_BYTES;

  private final ScanSchema schema;
  private final @Nullable BoundFilter filter;
  private final @Nullable RowFilter rowFilter;
  private final BufferAllocator allocator;
  private final ByteBufAllocator buffers;
  private final BodyReads bodies;
  private final LogBatchDecoder decoder;
  private final BatchStatistics statistics = new BatchStatistics();
  private final Map<Integer, ProjectionPlan> plans = new HashMap<>();

  /**
   * What of a batch goes out.
   *
   * @param frame the message, null when no row is wanted
   * @param rows rows in it
   * @param nextOffset where the scan goes on
   */
  record Piece(@Nullable OutboundFrame frame, int rows, long nextOffset) {}

  /**
   * @param allocator memory of batches that are decoded
   * @param buffers memory of what is sent
   */
  BatchSender(ScanPlan plan, BufferAllocator allocator, ByteBufAllocator buffers) {
    this.schema = plan.schema();
    this.filter = plan.filter().filter();
    this.allocator = allocator;
    this.buffers = buffers;
    this.bodies = new BodyReads(buffers);
    this.decoder = new LogBatchDecoder(allocator);
    this.rowFilter =
        filter == null || !plan.filter().exact() || filter.isAlwaysTrue()
            ? null
            : new RowFilter(filter, schema.table(), allocator, bodies);
    // Fails here, before anything is sent, when the schema cannot be returned.
    plans.put(schema.table().schemaId(), schema.from(schema.table()));
  }

  /** The first message: the schema, without a body. */
  OutboundFrame schemaFrame() {
    return PlainFrames.schema(schema.arrow());
  }

  /**
   * The wanted rows among {@code [from, to)} of the batch that the cursor stands on; only the first
   * of them when they have to be decoded and are more than a message should have. The rest is read
   * and decoded again for the next message: that happens to large batches alone.
   *
   * @param limit at most so many rows, at least 1
   * @param metadata names the bucket and gets the offsets
   * @throws SluiceException CORRUPT_STORAGE naming file and position when its bytes are damaged,
   *     CORRUPT_BATCH with the detail {@code next_offset} when they are as they were put but cannot
   *     be decoded, SCHEMA_CHANGED with that detail when the batch cannot be returned in the schema
   *     of the scan
   */
  Piece piece(
      HostedTable table,
      BatchCursor cursor,
      int from,
      int to,
      long limit,
      ScanMetadata.Builder metadata) {
    LogBatchHeader header = cursor.header();
    try (BatchSections sections = BatchSections.read(cursor, buffers)) {
      BoundFilter condition = filter;
      if (condition != null
          && !condition.mayMatch(
              statistics.read(sections.statistics()),
              header.recordCount(),
              table.schema(header.schemaId()))) {
        return new Piece(null, 0, after(header, to));
      }
      RowFilter exact = rowFilter;
      if (exact != null) {
        Selection chosen = exact.select(table.schema(header.schemaId()), cursor, sections);
        return chosenRows(table, cursor, sections, chosen, from, to, limit, metadata);
      }
      int end = (int) (from + Math.min(to - from, limit));
      return rows(table, cursor, sections, from, end, metadata);
    } catch (SluiceException e) {
      throw explained(table, metadata, header, from, e);
    }
  }

  /** Offset after a row of the batch, counted without that row. */
  private static long after(LogBatchHeader header, int row) {
    return row == header.recordCount() ? header.nextOffset() : header.baseOffset() + row;
  }

  private Piece chosenRows(
      HostedTable table,
      BatchCursor cursor,
      BatchSections sections,
      Selection chosen,
      int from,
      int to,
      long limit,
      ScanMetadata.Builder metadata) {
    LogBatchHeader header = cursor.header();
    int first = chosen.next(from);
    if (first >= to) {
      return new Piece(null, 0, after(header, to));
    }
    int end = first;
    int rows = 0;
    for (int row = first; row < to && rows < limit; row = chosen.next(row + 1)) {
      rows++;
      end = row + 1;
    }
    // Without a limit in the way, what follows the last chosen row is done with too.
    long next = after(header, chosen.next(end) >= to ? to : end);
    if (rows == end - first) {
      return rows(table, cursor, sections, first, end, metadata.setNextOffset(next));
    }
    ProjectionPlan plan = schemaPlan(table, header.schemaId());
    try (VectorSchemaRoot all = decoded(plan, cursor, sections)) {
      int fits = PieceSizes.chosenEnd(all, chosen, first, end, MAX_PIECE_BYTES);
      if (fits < end) {
        end = fits;
        next = after(header, end);
        rows = count(chosen, first, end);
      }
      metadata
          .setBaseOffset(header.baseOffset() + first)
          .setNextOffset(next)
          .setAppendTimeMs(header.appendTimeMs());
      try (VectorSchemaRoot some = ChosenRows.copy(all, chosen, first, end, rows, allocator)) {
        return new Piece(PlainFrames.rows(some, metadata.build(), buffers), rows, next);
      }
    }
  }

  private static int count(Selection chosen, int from, int to) {
    int count = 0;
    for (int row = chosen.next(from); row < to; row = chosen.next(row + 1)) {
      count++;
    }
    return count;
  }

  /** These rows, or the first of them; behind the last the offset that was set before, if any. */
  private Piece rows(
      HostedTable table,
      BatchCursor cursor,
      BatchSections sections,
      int from,
      int to,
      ScanMetadata.Builder metadata) {
    LogBatchHeader header = cursor.header();
    ProjectionPlan plan = schemaPlan(table, header.schemaId());
    metadata
        .setBaseOffset(header.baseOffset() + from)
        .setNextOffset(Math.max(after(header, to), metadata.getNextOffset()))
        .setAppendTimeMs(header.appendTimeMs());
    if (from > 0 || to < header.recordCount()) {
      return cut(plan, cursor, sections, from, to, metadata);
    }
    ProjectedBatch projected = project(plan, header, sections);
    ByteBuf body = bodies.body(cursor, projected);
    OutboundFrame frame = OutboundFrame.of(null, projected.metadata(), metadata.build(), body);
    return new Piece(frame, to - from, metadata.getNextOffset());
  }

  private ProjectionPlan schemaPlan(HostedTable table, int schemaId) {
    return plans.computeIfAbsent(schemaId, id -> schema.from(table.schema(id)));
  }

  private static ProjectedBatch project(
      ProjectionPlan plan, LogBatchHeader header, BatchSections sections) {
    return plan.project(header, sections.changeTypes(), sections.metadata(), sections.checksums());
  }

  /** Decodes the wanted columns and sends the first wanted rows, as many as fit, uncompressed. */
  private Piece cut(
      ProjectionPlan plan,
      BatchCursor cursor,
      BatchSections sections,
      int from,
      int to,
      ScanMetadata.Builder metadata) {
    try (VectorSchemaRoot all = decoded(plan, cursor, sections)) {
      int end = PieceSizes.end(all, from, to, MAX_PIECE_BYTES);
      if (end < to) {
        metadata.setNextOffset(after(cursor.header(), end));
      }
      try (VectorSchemaRoot rows = all.slice(from, end - from)) {
        rows.setRowCount(end - from);
        OutboundFrame frame = PlainFrames.rows(rows, metadata.build(), buffers);
        return new Piece(frame, end - from, metadata.getNextOffset());
      }
    }
  }

  private VectorSchemaRoot decoded(
      ProjectionPlan plan, BatchCursor cursor, BatchSections sections) {
    ProjectedBatch projected = project(plan, cursor.header(), sections);
    int length = projected.bodyLength();
    try (ArrowBuf body = allocator.buffer(Math.max(1, length))) {
      bodies.fill(cursor, projected, body.nioBuffer(0, length));
      body.writerIndex(length);
      return decoder.decode(plan.arrowSchema(), projected.metadata(), body);
    }
  }

  private static SluiceException explained(
      HostedTable table,
      ScanMetadataOrBuilder metadata,
      LogBatchHeader header,
      int from,
      SluiceException found) {
    if (found.code() == ErrorCode.CORRUPT_BATCH) {
      // Its checksums are right: it was put like that, and every replica has the same bytes.
      long next = header.nextOffset();
      return new SluiceException(
          ErrorCode.CORRUPT_BATCH,
          "The batch of "
              + table.path()
              + ", bucket "
              + metadata.getBucket()
              + (metadata.getPartitionId() == 0 ? "" : " of partition " + metadata.getPartitionId())
              + ", at offset "
              + header.baseOffset()
              + " cannot be decoded, though its bytes are those that were put: "
              + found.getMessage()
              + ". Scan on from offset "
              + next,
          Map.of(
              "partition_id", Long.toString(metadata.getPartitionId()),
              "bucket", Integer.toString(metadata.getBucket()),
              "next_offset", Long.toString(next)),
          found);
    }
    if (found.code() == ErrorCode.SCHEMA_CHANGED) {
      long next = header.baseOffset() + from;
      return new SluiceException(
          ErrorCode.SCHEMA_CHANGED,
          found.getMessage() + ". Open the scan again at offset " + next + " with a newer schema",
          Map.of("next_offset", Long.toString(next)),
          found);
    }
    return found;
  }

  @Override
  public void close() {
    decoder.close();
    if (rowFilter != null) {
      rowFilter.close();
    }
  }
}
