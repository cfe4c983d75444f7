package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchEncoders;
import io.sluice.format.batch.BatchFormat;
import io.sluice.format.batch.BatchLimits;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.EncodedBatch;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Turns an evaluated changelog into one log batch, as a log is cut between batches after a crash:
 * so a put is there wholly or not at all, with all of its sequences. A put whose changelog does not
 * fit a batch must be sent in parts. One for all buckets of a server. Thread-safe.
 */
public final class ChangelogEncoder {
  private final BatchEncoders encoders;
  private final int maxBatchBytes;

  /** With the limit {@link BatchLimits#MAX_BATCH_BYTES}. */
  public ChangelogEncoder(BatchEncoders encoders) {
    this(encoders, BatchLimits.MAX_BATCH_BYTES);
  }

  ChangelogEncoder(BatchEncoders encoders, int maxBatchBytes) {
    this.encoders = encoders;
    this.maxBatchBytes = maxBatchBytes;
  }

  /**
   * The batch of a plan that is not empty.
   *
   * @param format how the table's batches are written
   * @param writer who puts, with the sequences of the rows that were evaluated
   * @return leader's fields zero; to be closed by the caller
   * @throws SluiceException PUT_TOO_LARGE when the changelog of several rows does not fit a batch,
   *     ROW_TOO_LARGE when what one row changes does not
   */
  public EncodedBatch encode(BatchFormat format, ChangelogPlan plan, BatchWriter writer) {
    ChangelogRecords records = plan.records();
    if (writer.id() >= 0 && writer.sequenceCount() < records.inputRowCount()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "A put of "
              + records.inputRowCount()
              + " rows has "
              + writer.sequenceCount()
              + " sequences; a put into a primary-key table has at least one for each row");
    }
    boolean oneRow = records.inputRowCount() == 1;
    if (records.count() > BatchLimits.MAX_ROWS) {
      throw tooLarge(records, oneRow, records.bytes(), null);
    }
    EncodedBatch batch;
    try {
      ByteBuffer types = ByteBuffer.wrap(records.changeTypes());
      batch = encoders.encode(format, records.root(), records.schema(), types, writer);
    } catch (SluiceException e) {
      throw e.code() == ErrorCode.BATCH_TOO_LARGE
          ? tooLarge(records, oneRow, records.bytes(), e)
          : e;
    }
    int bytes = batch.wireBytes();
    if (bytes > (oneRow ? BatchLimits.MAX_SINGLE_ROW_BYTES : maxBatchBytes)) {
      batch.close();
      throw tooLarge(records, oneRow, bytes, null);
    }
    return batch;
  }

  private SluiceException tooLarge(
      ChangelogRecords records, boolean oneRow, long bytes, @Nullable SluiceException cause) {
    if (oneRow) {
      return rowTooLarge(bytes, cause);
    }
    return new SluiceException(
        ErrorCode.PUT_TOO_LARGE,
        "The changes of the put, "
            + records.count()
            + " changelog records of "
            + bytes
            + " bytes, do not fit one batch of at most "
            + maxBatchBytes
            + " bytes; put fewer rows at once",
        cause);
  }

  /** The row before and the row after a change must fit one batch together. */
  static SluiceException rowTooLarge(long bytes, @Nullable SluiceException cause) {
    return new SluiceException(
        ErrorCode.ROW_TOO_LARGE,
        "The put changes one row, which takes "
            + bytes
            + " bytes with the row before; the limit for both is "
            + BatchLimits.MAX_SINGLE_ROW_BYTES,
        cause);
  }
}
