package io.sluice.format.batch;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;

/**
 * Who wrote a batch and which of the writer's input rows it holds.
 *
 * @param id writer id, -1 when the put is not idempotent
 * @param epoch epoch of the writer, 0 to 65535
 * @param baseSequence sequence of the first input row, -1 without a writer
 * @param sequenceCount input rows accounted for, 0 without a writer
 */
public record BatchWriter(long id, int epoch, long baseSequence, int sequenceCount) {
  /** No writer: the put is not idempotent. */
  public static final BatchWriter NONE = new BatchWriter(-1, 0, -1, 0);

  public BatchWriter {
    boolean valid =
        id == -1
            ? epoch == 0 && baseSequence == -1 && sequenceCount == 0
            : id >= 0 && epoch >= 0 && epoch <= 0xFFFF && baseSequence >= 0 && sequenceCount > 0;
    if (!valid) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Writer "
              + id
              + " cannot have epoch "
              + epoch
              + ", base sequence "
              + baseSequence
              + " and sequence count "
              + sequenceCount);
    }
  }

  /** What the header of a batch says. */
  static BatchWriter of(LogBatchHeader header) {
    if (header.writerId() == -1) {
      return NONE;
    }
    return new BatchWriter(
        header.writerId(), header.writerEpoch(), header.baseSequence(), header.sequenceCount());
  }

  /** The same writer without its first {@code rows} input rows. */
  BatchWriter skip(int rows) {
    if (id == -1) {
      return this;
    }
    return new BatchWriter(id, epoch, baseSequence + rows, sequenceCount - rows);
  }
}
