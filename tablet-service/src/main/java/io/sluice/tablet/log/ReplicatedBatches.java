package io.sluice.tablet.log;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchHeader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Looks at stored batches back to back, as a leader sends them to those who follow. */
final class ReplicatedBatches {
  private ReplicatedBatches() {}

  /** See {@link BucketLog#check}. */
  static void check(ByteBuffer batches, long firstOffset, int lastEpoch) {
    ByteBuffer all = batches.slice();
    StoredBatchCheck content = new StoredBatchCheck(StoredBytes.of(all));
    long offset = firstOffset;
    int epoch = lastEpoch;
    while (all.hasRemaining()) {
      LogBatchHeader header = header(all);
      Damage damage = BatchWalk.checkHeader(header, all.position(), all.limit(), offset, epoch);
      if (damage == null) {
        damage = checkContent(content, header, all.position());
      }
      if (damage != null) {
        throw damaged(damage, offset);
      }
      offset = header.nextOffset();
      epoch = header.leaderEpoch();
      all.position(all.position() + header.length());
    }
  }

  private static @Nullable Damage checkContent(
      StoredBatchCheck content, LogBatchHeader header, int position) {
    try {
      return content.check(header, position);
    } catch (IOException e) {
      throw new UncheckedIOException("Bytes in memory cannot be read", e);
    }
  }

  /** The header of the batch that comes next; CORRUPT_BATCH when not even that is there. */
  static LogBatchHeader header(ByteBuffer batches) {
    if (batches.remaining() < LogBatchHeader.SIZE) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BATCH,
          "Batches from the leader end after "
              + batches.remaining()
              + " bytes of a batch header of "
              + LogBatchHeader.SIZE);
    }
    return LogBatchHeader.wrap(batches);
  }

  private static SluiceException damaged(Damage damage, long offset) {
    return new SluiceException(
        ErrorCode.CORRUPT_BATCH,
        "Batches from the leader are damaged at offset "
            + offset
            + ", byte "
            + damage.position()
            + ": expected "
            + damage.expected()
            + ", found "
            + damage.found());
  }
}
