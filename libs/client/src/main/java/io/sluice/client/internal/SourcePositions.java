package io.sluice.client.internal;

import io.sluice.client.AppendResult;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The positions that the rows of a named writer have in its source, and what of them an earlier
 * writer of the same name has stored. Guarded by the accumulator's lock.
 */
final class SourcePositions {
  private final boolean named;
  private final CommittedPosition committed;
  private long last = -1;

  SourcePositions(WriterParts parts) {
    this.named = parts.identity().named();
    this.committed = parts.committed();
  }

  /** Refuses positions of a writer without a name; without the lock. */
  void requireNamed() {
    if (!named) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Sequences are for named writers; open this one with WriterOptions.named");
    }
  }

  /** Refuses rows of a named writer without a position; without the lock. */
  void requireUnnamed() {
    if (named) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "A named writer writes rows with their sequences, which are the first argument");
    }
  }

  /** Positions must grow. */
  void requireAfterLast(long sequence) {
    if (sequence <= last || sequence < 0) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Sequence " + sequence + " comes after " + last + "; sequences start at 0 and must grow");
    }
  }

  /** The outcome of a row that the bucket has already, null when it has to be sent. */
  @Nullable CompletableFuture<AppendResult> skip(long sequence, WriterBucket bucket) {
    if (sequence > bucket.storedBefore()) {
      return null;
    }
    passed(sequence);
    return CompletableFuture.completedFuture(
        new AppendResult(bucket.id().partitionId(), bucket.number(), -1, true));
  }

  /** Notes the position of the row just completed. */
  void added(RowBatch batch, long sequence) {
    batch.addSequence(sequence);
    if (batch.rowCount() == 1) {
      committed.opened(sequence);
    }
    passed(sequence);
  }

  private void passed(long sequence) {
    last = sequence;
    committed.appended(sequence);
  }

  /** The last position up to which every row is known to be stored, -1 when there is none. */
  long committed() {
    return committed.value();
  }
}
