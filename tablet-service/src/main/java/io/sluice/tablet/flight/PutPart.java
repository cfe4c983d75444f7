package io.sluice.tablet.flight;

import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * Rows of an uploaded message for one bucket, as a batch that is put.
 *
 * @param batch the batch, closed with the part
 * @param sequences by row its sequence, empty without a writer
 */
record PutPart(EncodedBatch batch, long[] sequences) implements AutoCloseable {
  /** Frames rows as a batch, to be closed by the caller. */
  interface Framing {
    EncodedBatch encode(VectorSchemaRoot rows, ByteBuffer changeTypes, BatchWriter writer);
  }

  int rows() {
    return batch.header().recordCount();
  }

  /**
   * The same rows in two parts, which together account for the same sequences; the cut lies at a
   * row. This part stays as it is.
   *
   * @param schema columns of the rows
   * @param framing frames the parts
   */
  List<PutPart> halves(BufferAllocator allocator, TableSchema schema, Framing framing) {
    int rows = rows();
    int half = rows / 2;
    try (LogBatchDecoder decoder = new LogBatchDecoder(allocator);
        VectorSchemaRoot root =
            decoder.decode(ArrowSchemas.toArrow(schema), batch.metadata(), batch.body())) {
      PutPart first = part(framing, root, 0, half);
      try {
        return List.of(first, part(framing, root, half, rows));
      } catch (RuntimeException | Error e) {
        first.close();
        throw e;
      }
    }
  }

  private PutPart part(Framing framing, VectorSchemaRoot root, int from, int to) {
    ByteBuffer types = batch.changeTypes().duplicate();
    ByteBuffer own = types.hasRemaining() ? types.slice(types.position() + from, to - from) : types;
    long[] part = sequences.length == 0 ? sequences : Arrays.copyOfRange(sequences, from, to);
    try (VectorSchemaRoot rows = root.slice(from, to - from)) {
      return new PutPart(framing.encode(rows, own, writer(from, to)), part);
    }
  }

  private BatchWriter writer(int from, int to) {
    LogBatchHeader header = batch.header();
    if (sequences.length == 0) {
      return BatchWriter.NONE;
    }
    long base = from == 0 ? header.baseSequence() : sequences[from];
    long end = to == sequences.length ? header.lastSequence() + 1 : sequences[to];
    return new BatchWriter(
        header.writerId(), header.writerEpoch(), base, Math.toIntExact(end - base));
  }

  @Override
  public void close() {
    batch.close();
  }
}
