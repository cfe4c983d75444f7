package io.sluice.format.projection;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.BatchLayout;
import io.sluice.format.batch.RecordBatchMessage;
import io.sluice.format.batch.RecordBatchMessageWriter;
import io.sluice.format.schema.ArrowLayout;
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
  private final ConvertedBuffers converted;
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
    this.converted = new ConvertedBuffers(stored.codec());
  }

  /** Takes stored nodes over. */
  void addStored(BatchLayout layout, int firstNode, int endNode) {
    for (int node = firstNode; node < endNode; node++) {
      message.addNode(stored.nodeLength(node), stored.nodeNullCount(node));
    }
    int end = layout.firstNodeBuffer(endNode);
    for (int buffer = layout.firstNodeBuffer(firstNode); buffer < end; buffer++) {
      addBuffer(buffer);
    }
  }

  private void addBuffer(int buffer) {
    int length = (int) stored.bufferLength(buffer);
    if (length > 0) {
      int source = (int) stored.bufferOffset(buffer);
      ranges.add(source, length, at, checksums.getInt(4 * buffer), buffer);
    }
    place(length);
  }

  /** Adds nodes that are NULL everywhere: one with all that belongs to it. */
  void addNulls(BatchLayout layout, ProjectionStep.Nulls step) {
    int start = step.firstNode();
    int end = step.endNode();
    long outer = step.storedParent() < 0 ? rows : stored.nodeLength(step.storedParent());
    long[] lengths = new long[end - start];
    for (int node = start; node < end; node++) {
      long length =
          node == start
              ? outer
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

  /** Adds a column that has the same value in every row. */
  void addConstant(ProjectionStep.Constant step) {
    message.addNode(rows, 0);
    place(0);
    if (step.value() instanceof Boolean bit) {
      synthesized.addBits(at, rows, bit);
      place(synthesized.stored((rows + 7) / 8));
      return;
    }
    byte[] value = DefaultBuffers.bytes(step.type(), step.value());
    if (ArrowLayout.fixedWidth(step.type()) == 0) {
      synthesized.addOffsets(at, rows, value.length);
      place(synthesized.stored(4 * (rows + 1)));
    }
    synthesized.addRepeated(at, rows, value);
    place(synthesized.stored(Math.multiplyExact(rows, value.length)));
  }

  /** Adds a stored node with wider values. */
  void addWidened(BatchLayout layout, ProjectionStep.Widen step) {
    long nulls = stored.nodeNullCount(step.node());
    int values = (int) stored.nodeLength(step.node());
    message.addNode(values, nulls);
    int validity = layout.firstNodeBuffer(step.node());
    int validityAt = at;
    addBuffer(validity);
    int data = validity + 1;
    int length = (int) stored.bufferLength(data);
    if (values > 0) {
      int piece =
          converted.add(
              new ConvertedBuffers.Piece(
                  at,
                  values,
                  nulls,
                  validityAt,
                  (int) stored.bufferLength(validity),
                  step.widening(),
                  step.name()));
      int source = (int) stored.bufferOffset(data);
      ranges.add(source, length, at, checksums.getInt(4 * data), data, piece);
    }
    place(converted.stored(values, step.widening()));
  }

  /** Adds a stored node of fixed width as one with offsets. */
  void addLoosened(BatchLayout layout, ProjectionStep.Loosen step) {
    int values = (int) stored.nodeLength(step.node());
    message.addNode(values, stored.nodeNullCount(step.node()));
    int validity = layout.firstNodeBuffer(step.node());
    addBuffer(validity);
    int offsetBytes = values == 0 ? 0 : 4 * (values + 1);
    if (values > 0) {
      Math.multiplyExact(values, step.valueBytes());
      synthesized.addOffsets(at, values, step.valueBytes());
    }
    place(synthesized.stored(offsetBytes));
    addBuffer(validity + 1);
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
        metadata, at, ranges, ReadPlan.of(ranges, storedBodyLength), synthesized, converted);
  }
}
