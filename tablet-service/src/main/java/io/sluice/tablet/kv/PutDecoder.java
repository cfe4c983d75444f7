package io.sluice.tablet.kv;

import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.format.schema.ArrowSchemas;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** Decodes batches that clients put. One owner, not thread-safe. */
final class PutDecoder implements AutoCloseable {
  private static final int CHANGE_TYPES = 0;
  private static final int METADATA = 2;
  private static final int BODY = 4;

  private final BufferAllocator allocator;
  private final LogBatchDecoder decoder;
  private @Nullable PutShape knownShape;
  private Schema arrow = new Schema(List.of());

  PutDecoder(BufferAllocator allocator) {
    this.allocator = allocator;
    this.decoder = new LogBatchDecoder(allocator);
  }

  /**
   * The rows of a batch.
   *
   * @param sections change types, statistics, metadata, checksums, body in one piece or several;
   *     checked before
   * @param firstRow rows before it are left out
   * @return to be closed by the caller
   */
  VectorSchemaRoot decode(PutShape shape, List<ByteBuffer> sections, int firstRow) {
    if (shape != knownShape) {
      arrow = ArrowSchemas.toArrow(shape.rows());
      knownShape = shape;
    }
    List<ByteBuffer> pieces = sections.subList(BODY, sections.size());
    long length = 0;
    for (ByteBuffer piece : pieces) {
      length += piece.remaining();
    }
    try (ArrowBuf body = allocator.buffer(Math.max(1, length))) {
      long at = 0;
      for (ByteBuffer piece : pieces) {
        body.setBytes(at, piece.duplicate());
        at += piece.remaining();
      }
      body.writerIndex(length);
      VectorSchemaRoot rows = decoder.decode(arrow, sections.get(METADATA), body);
      if (firstRow == 0) {
        return rows;
      }
      try (rows) {
        return rows.slice(firstRow, rows.getRowCount() - firstRow);
      }
    }
  }

  /** The change types of the same rows. */
  static ByteBuffer changeTypes(List<ByteBuffer> sections, int firstRow) {
    ByteBuffer changeTypes = sections.get(CHANGE_TYPES).duplicate();
    return changeTypes.hasRemaining()
        ? changeTypes.position(changeTypes.position() + firstRow)
        : changeTypes;
  }

  /** Gives back codec contexts. */
  @Override
  public void close() {
    decoder.close();
  }
}
