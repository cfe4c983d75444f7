package io.sluice.format.projection;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.BatchLayout;
import io.sluice.format.batch.RecordBatchMessage;
import io.sluice.format.batch.RecordBatchMessageWriter;
import java.nio.ByteBuffer;

/** Collects the columns of one new batch in order. Used once. */
final class ProjectedBatchBuilder {
  private static final int CHANGE_TEXT_BYTES = 2;

  private final RecordBatchMessage stored;
  private final int storedBodyLength;
  private final ByteBuffer checksums;
  private final int rows;
  private final RecordBatchMessageWriter message = new RecordBatchMessageWriter();
  private final BufferRanges ranges = new BufferRanges();
  private final SynthesizedBuffers synthesized;
  private int at;

  /**
   * @param stored the stored message, checked against its layout
   * @param checksums little endian, from index 0, one for each stored buffer
   */
  ProjectedBatchBuilder(RecordBatchMessage stored, int storedBodyLength, ByteBuffer checksums) {
    this.stored = stored;
    this.storedBodyLength = storedBodyLength;
    this.checksums = checksums;
    this.rows = stored.rows();
    this.synthesized = new SynthesizedBuffers(stored.codec() != BatchCodec.NONE);
  }

  /** Takes stored columns over. */
  void addStored(BatchLayout layout, int firstColumn, int endColumn) {
    for (int node = layout.firstNode(firstColumn); node < layout.firstNode(endColumn); node++) {
      message.addNode(stored.nodeLength(node), stored.nodeNullCount(node));
    }
    int end = layout.firstBuffer(endColumn);
    for (int buffer = layout.firstBuffer(firstColumn); buffer < end; buffer++) {
      int length = (int) stored.bufferLength(buffer);
      if (length > 0) {
        int source = (int) stored.bufferOffset(buffer);
        ranges.add(source, length, at, checksums.getInt(4 * buffer), buffer);
      }
      place(length);
    }
  }

  /** Adds a column that is NULL in every row. */
  void addNulls(BatchLayout layout, int column) {
    int start = layout.firstNode(column);
    int end = layout.firstNode(column + 1);
    long[] lengths = new long[end - start];
    for (int node = start; node < end; node++) {
      long length =
          node == start
              ? rows
              : Math.max(0, layout.lengthFromParent(node, lengths[layout.parent(node) - start]));
      lengths[node - start] = length;
      message.addNode(length, length);
    }
    for (int node = start; node < end; node++) {
      for (int b = layout.firstNodeBuffer(node); b < layout.firstNodeBuffer(node + 1); b++) {
        long length = lengths[node - start];
        int bytes = Math.toIntExact(layout.minimalBytes(b, length, length));
        synthesized.addZeros(at, bytes);
        place(synthesized.stored(bytes));
      }
    }
  }

  /** Adds the offset column. */
  void addOffsets(long baseOffset) {
    addLongs(baseOffset, 1);
  }

  /** Adds the timestamp column. */
  void addTimestamps(long appendTimeMs) {
    addLongs(appendTimeMs, 0);
  }

  private void addLongs(long first, long step) {
    message.addNode(rows, 0);
    place(0);
    synthesized.addLongs(at, rows, first, step);
    place(synthesized.stored(8 * rows));
  }

  /** Adds the change type column. */
  void addChangeTypes(ByteBuffer changeTypes) {
    if (changeTypes.hasRemaining() && changeTypes.remaining() != rows) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BATCH,
          "Batch is damaged: " + changeTypes.remaining() + " change types for " + rows + " rows");
    }
    message.addNode(rows, 0);
    place(0);
    synthesized.addOffsets(at, rows, CHANGE_TEXT_BYTES);
    place(synthesized.stored(4 * (rows + 1)));
    synthesized.addChangeTexts(at, rows, changeTypes);
    place(synthesized.stored(CHANGE_TEXT_BYTES * rows));
  }

  private void place(int length) {
    message.addBuffer(at, length);
    at = Math.addExact(at, length + 7 & -8);
  }

  /** The new batch. */
  ProjectedBatch build() {
    return build(message.write(rows, stored.codec(), at));
  }

  /** The batch under the message it is stored with, when all columns were added in their order. */
  ProjectedBatch buildIdentity(ByteBuffer metadata) {
    return build(metadata);
  }

  private ProjectedBatch build(ByteBuffer metadata) {
    return new ProjectedBatch(
        metadata, at, ranges, ReadPlan.of(ranges, storedBodyLength), synthesized);
  }
}
