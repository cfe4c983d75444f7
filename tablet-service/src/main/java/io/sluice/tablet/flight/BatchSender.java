package io.sluice.tablet.flight;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.projection.ProjectedBatch;
import io.sluice.format.projection.ProjectionPlan;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.flight.v1.ScanMetadata;
import io.sluice.tablet.replica.BatchCursor;
import io.sluice.tablet.replica.HostedTable;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * Makes the frames of a scan. A stored batch is read as far as its columns are wanted, into pooled
 * direct memory that goes to the connection as it is; the sections and every buffer sent are
 * checked against their checksums. Only a batch that has to be cut at a row is decoded. Used by one
 * thread at a time.
 */
final class BatchSender implements AutoCloseable {
  private final ScanSchema schema;
  private final BufferAllocator allocator;
  private final ByteBufAllocator buffers;
  private final LogBatchDecoder decoder;
  private final Map<Integer, ProjectionPlan> plans = new HashMap<>();

  /**
   * @param allocator memory of batches that are decoded
   * @param buffers memory of what is sent
   */
  BatchSender(ScanPlan plan, BufferAllocator allocator, ByteBufAllocator buffers) {
    this.schema = plan.schema();
    this.allocator = allocator;
    this.buffers = buffers;
    this.decoder = new LogBatchDecoder(allocator);
    // Fails here, before anything is sent, when the schema cannot be returned.
    schemaPlan(plan.table(), schema.table().schemaId());
  }

  /** The first message: the schema, without a body. */
  OutboundFrame schemaFrame() {
    return PlainFrames.schema(schema.arrow());
  }

  /**
   * The rows {@code [from, to)} of the batch that the cursor stands on.
   *
   * @throws SluiceException CORRUPT_STORAGE naming file and position when its bytes are damaged
   */
  OutboundFrame batchFrame(
      HostedTable table, BatchCursor cursor, int from, int to, ScanMetadata metadata) {
    LogBatchHeader header = cursor.header();
    ProjectionPlan plan = schemaPlan(table, header.schemaId());
    ByteBuf sections = read(cursor, LogBatchHeader.SIZE, header.sectionsLength());
    ByteBuf body = null;
    try {
      ByteBuffer all = sections.nioBuffer(0, header.sectionsLength());
      header.checkContentCrc(all);
      ByteBuffer changeTypes = all.slice(0, header.changeTypesLength());
      int metadataAt = header.changeTypesLength() + header.statisticsLength();
      ByteBuffer message = all.slice(metadataAt, header.metadataLength());
      ByteBuffer checksums =
          all.slice(metadataAt + header.metadataLength(), header.checksumsLength());
      ProjectedBatch projected = plan.project(header, changeTypes, message, checksums);
      body = body(cursor, projected, LogBatchHeader.SIZE + header.sectionsLength());
      if (from > 0 || to < header.recordCount()) {
        return cut(plan, projected, body, from, to, metadata);
      }
      OutboundFrame frame = OutboundFrame.of(null, projected.metadata(), metadata, body);
      body = null;
      return frame;
    } catch (SluiceException e) {
      throw e.code() == ErrorCode.CORRUPT_BATCH ? corrupt(cursor, e) : e;
    } finally {
      sections.release();
      if (body != null) {
        body.release();
      }
    }
  }

  private ProjectionPlan schemaPlan(HostedTable table, int schemaId) {
    return plans.computeIfAbsent(schemaId, id -> schema.from(table.schema(id)));
  }

  private ByteBuf read(BatchCursor cursor, int position, int length) {
    ByteBuf bytes = buffers.directBuffer(length, Math.max(1, length));
    try {
      if (length > 0) {
        cursor.read(position, bytes.nioBuffer(0, length));
      }
      return bytes.writerIndex(length);
    } catch (RuntimeException | Error e) {
      bytes.release();
      throw e;
    }
  }

  private ByteBuf body(BatchCursor cursor, ProjectedBatch projected, int bodyAt) {
    int length = projected.bodyLength();
    ByteBuf body = buffers.directBuffer(length, Math.max(1, length));
    try {
      ByteBuffer target = body.nioBuffer(0, length);
      for (int read = 0; read < projected.readCount(); read++) {
        int at = bodyAt + projected.readOffset(read);
        int bytes = projected.readLength(read);
        int direct = projected.directTarget(read);
        if (direct >= 0) {
          cursor.read(at, target.slice(direct, bytes));
          projected.checkDirect(read, target);
        } else {
          place(cursor, projected, read, at, bytes, target);
        }
      }
      projected.complete(target);
      return body.writerIndex(length);
    } catch (RuntimeException | Error e) {
      body.release();
      throw e;
    }
  }

  private void place(
      BatchCursor cursor,
      ProjectedBatch projected,
      int read,
      int at,
      int bytes,
      ByteBuffer target) {
    ByteBuf scratch = read(cursor, at, bytes);
    try {
      projected.place(read, scratch.nioBuffer(0, bytes), target);
    } finally {
      scratch.release();
    }
  }

  /** Decodes the wanted columns and sends the wanted rows uncompressed. */
  private OutboundFrame cut(
      ProjectionPlan plan,
      ProjectedBatch projected,
      ByteBuf body,
      int from,
      int to,
      ScanMetadata metadata) {
    int length = body.readableBytes();
    try (ArrowBuf copy = allocator.buffer(Math.max(1, length))) {
      copy.setBytes(0, body.nioBuffer(0, length));
      copy.writerIndex(length);
      try (VectorSchemaRoot all = decoder.decode(plan.arrowSchema(), projected.metadata(), copy);
          VectorSchemaRoot rows = all.slice(from, to - from)) {
        rows.setRowCount(to - from);
        return PlainFrames.rows(rows, metadata, buffers);
      }
    }
  }

  /** Takes the replica offline; the failure names file and position. */
  private static SluiceException corrupt(BatchCursor cursor, SluiceException found) {
    return cursor.reportCorruption(
        0, "a batch that fits its checksums", String.valueOf(found.getMessage()));
  }

  @Override
  public void close() {
    decoder.close();
  }
}
