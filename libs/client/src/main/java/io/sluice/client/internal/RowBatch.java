package io.sluice.client.internal;

import io.sluice.client.AppendResult;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.ChangeType;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The batch of one bucket while rows are added. Guarded by the accumulator's lock. */
final class RowBatch {
  private static final int FIRST_CHECK_ROWS = 16;
  private static final int LONGEST_CHECK_ROWS = 4096;
  private static final int CHECKS_IN_WHAT_IS_LEFT = 4;

  private final WriterBucket bucket;
  private final RowBuffer rows;
  private final long openedNanos;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private CompletableFuture<AppendResult> @Nullable [] futures;
  private long @Nullable [] sequences;
  private byte @Nullable [] changeTypes;
  private long countedBytes;
  private int checkAt = FIRST_CHECK_ROWS;

  RowBatch(WriterBucket bucket, RowBuffer rows, long openedNanos) {
    this.bucket = bucket;
    this.rows = rows;
    this.openedNanos = openedNanos;
  }

  WriterBucket bucket() {
    return bucket;
  }

  RowBuffer rows() {
    return rows;
  }

  int rowCount() {
    return rows.writers().rowCount();
  }

  long openedNanos() {
    return openedNanos;
  }

  /** Completes when every row has its final outcome; never fails. */
  CompletableFuture<Void> done() {
    return done;
  }

  long countedBytes() {
    return countedBytes;
  }

  /** A future for the row just completed. */
  CompletableFuture<AppendResult> addFuture() {
    int row = rowCount() - 1;
    CompletableFuture<AppendResult>[] all = futures;
    if (all == null || row >= all.length) {
      all = grown(all, row);
      futures = all;
    }
    CompletableFuture<AppendResult> future = new CompletableFuture<>();
    all[row] = future;
    return future;
  }

  @SuppressWarnings("unchecked") // arrays of futures of one type only
  private static CompletableFuture<AppendResult>[] grown(
      CompletableFuture<AppendResult> @Nullable [] old, int row) {
    int length = Math.max(64, Math.max(row + 1, old == null ? 0 : old.length * 2));
    return old == null ? new CompletableFuture[length] : Arrays.copyOf(old, length);
  }

  /** Notes the source position of the row just completed. */
  void addSequence(long sequence) {
    int row = rowCount() - 1;
    long[] all = sequences;
    if (all == null) {
      all = new long[64];
      sequences = all;
    } else if (row >= all.length) {
      all = Arrays.copyOf(all, Math.max(row + 1, all.length * 2));
      sequences = all;
    }
    all[row] = sequence;
  }

  /** Notes what the row just completed does; every row of the batch or none. */
  void addChange(ChangeType change) {
    int row = rowCount() - 1;
    byte[] all = changeTypes;
    if (all == null) {
      all = new byte[64];
      changeTypes = all;
    } else if (row >= all.length) {
      all = Arrays.copyOf(all, Math.max(row + 1, all.length * 2));
      changeTypes = all;
    }
    all[row] = change.code();
  }

  /** Whether it is time to look how many bytes there are: rows are not measured one by one. */
  boolean measureDue(boolean largeValue) {
    return largeValue || rowCount() >= checkAt;
  }

  /**
   * Counts the bytes and plans the next look.
   *
   * @param limitRows rows at which the batch is full whatever its bytes
   * @return how many more there are than at the last look
   */
  long measure(int limitBytes, int limitRows) {
    long bytes = rows.writers().bytes();
    long more = bytes - countedBytes;
    countedBytes = bytes;
    int count = Math.max(rowCount(), 1);
    long perRow = Math.max(bytes / count, 1);
    long rowsLeft = Math.max(limitBytes - bytes, 0) / perRow;
    int rowsToLimit = Math.max(limitRows - count, 1);
    long step = Math.min(Math.max(rowsLeft / CHECKS_IN_WHAT_IS_LEFT, 1), LONGEST_CHECK_ROWS);
    checkAt = count + (int) Math.min(step, rowsToLimit);
    return more;
  }

  /** Ends the batch unsent: frees its memory and fails its rows. */
  void discard(SluiceException why) {
    PendingBatch.failFutures(futures, 0, rowCount(), why);
    rows.close();
    done.complete(null);
  }

  /** What the delivery loop gets; no rows may be added after it. */
  SealedBatch seal(long deadlineNanos) {
    return new SealedBatch(
        bucket,
        rowCount(),
        rows,
        null,
        futures,
        sequences,
        changeTypes,
        countedBytes,
        deadlineNanos,
        done);
  }
}
