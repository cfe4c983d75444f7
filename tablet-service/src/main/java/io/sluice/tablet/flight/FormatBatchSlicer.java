package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.batch.LogBatchSlicer;
import io.sluice.tablet.replica.AppendRequest;
import io.sluice.tablet.replica.BatchSlicer;
import io.sluice.tablet.replica.HostedTable;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;

/** Slices batches in Arrow memory. Thread-safe: every slice works with contexts of its own. */
public final class FormatBatchSlicer implements BatchSlicer {
  private static final int METADATA_SECTION = 2;
  private static final int BODY_SECTION = 4;

  private final BufferAllocator allocator;

  /** The allocator pays for the decoded rows and the new batches. */
  public FormatBatchSlicer(BufferAllocator allocator) {
    this.allocator = allocator;
  }

  @Override
  public Slice dropFirst(HostedTable table, AppendRequest request, int rows) {
    try {
      return new EncodedSlice(slice(table, request, rows));
    } catch (OutOfMemoryException e) {
      throw new SluiceException(
          ErrorCode.BACKPRESSURE,
          "This server has no memory now for the rest of a put whose first "
              + rows
              + " rows are stored; send it again: "
              + e.getMessage(),
          e);
    }
  }

  private EncodedBatch slice(HostedTable table, AppendRequest request, int rows) {
    LogBatchHeader header = request.header();
    List<ByteBuffer> sections = request.sections();
    List<ByteBuffer> pieces = sections.subList(BODY_SECTION, sections.size());
    int length = header.bodyLength();
    try (ArrowBuf body = allocator.buffer(Math.max(1, length));
        LogBatchSlicer slicer = new LogBatchSlicer(allocator)) {
      long at = 0;
      for (ByteBuffer piece : pieces) {
        body.setBytes(at, piece.duplicate());
        at += piece.remaining();
      }
      body.writerIndex(length);
      return slicer.dropFirst(
          rows,
          table.schema(header.schemaId()),
          header,
          sections.get(0).duplicate(),
          sections.get(METADATA_SECTION).duplicate(),
          body);
    }
  }

  private record EncodedSlice(EncodedBatch batch) implements Slice {
    @Override
    public LogBatchHeader header() {
      return batch.header();
    }

    @Override
    public List<ByteBuffer> sections() {
      return batch.sections();
    }

    @Override
    public void close() {
      batch.close();
    }
  }
}
