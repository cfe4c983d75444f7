package io.sluice.format.batch;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * Drops rows from the start of a batch, for a put whose first rows are stored already. One owner,
 * not thread-safe; {@link #close} twice is harmless.
 */
public final class LogBatchSlicer implements AutoCloseable {
  private final BufferAllocator allocator;
  private final LogBatchDecoder decoder;
  private final Map<BatchCodec, LogBatchEncoder> encoders = new EnumMap<>(BatchCodec.class);

  /** The allocator pays for the decoded rows and the new batches. */
  public LogBatchSlicer(BufferAllocator allocator) {
    this.allocator = allocator;
    this.decoder = new LogBatchDecoder(allocator);
  }

  /**
   * The batch without its first {@code rows} rows: same codec, schema and writer, the base sequence
   * that many higher, leader fields zero. INVALID_ARGUMENT unless every row has its own sequence
   * and at least one row stays.
   *
   * @param body the readable bytes are the body; borrowed
   * @return the batch, to be closed by the caller
   */
  public EncodedBatch dropFirst(
      int rows,
      TableSchema schema,
      LogBatchHeader header,
      ByteBuffer changeTypes,
      ByteBuffer metadata,
      ArrowBuf body) {
    boolean sliceable = header.writerId() == -1 || header.sequenceCount() == header.recordCount();
    if (rows < 1 || rows >= header.recordCount() || !sliceable) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Cannot drop "
              + rows
              + " rows from a batch of "
              + header.recordCount()
              + " rows and "
              + header.sequenceCount()
              + " sequences");
    }
    ByteBuffer keptChanges = changeTypes.duplicate();
    if (keptChanges.hasRemaining()) {
      keptChanges.position(keptChanges.position() + rows);
    }
    try (VectorSchemaRoot all = decoder.decode(ArrowSchemas.toArrow(schema), metadata, body);
        VectorSchemaRoot kept = all.slice(rows, all.getRowCount() - rows)) {
      return encoder(BatchCodec.of(header.codecId()))
          .encode(kept, schema, keptChanges, BatchWriter.of(header).skip(rows));
    }
  }

  private LogBatchEncoder encoder(BatchCodec codec) {
    return encoders.computeIfAbsent(
        codec, key -> new LogBatchEncoder(allocator, CompressionSettings.of(key)));
  }

  /** Gives back scratch memory and codec contexts. */
  @Override
  public void close() {
    encoders.values().forEach(LogBatchEncoder::close);
    encoders.clear();
    decoder.close();
  }
}
