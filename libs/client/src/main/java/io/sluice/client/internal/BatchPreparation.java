package io.sluice.client.internal;

import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.EncodedBatch;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns sealed batches into pending ones: encodes and cuts the rows, gives them their sequences,
 * and keeps the books (memory, committed position, failures) until the last part is final. Owned by
 * the delivery loop.
 */
final class BatchPreparation implements AutoCloseable {
  /** A row's future, the place that knows it and what waits for it. */
  private static final long FUTURE_BYTES = 96;

  private final TableDescription table;
  private final BatchCutter cutter;
  private final RowBufferPool pool;
  private final MemoryBudget budget;
  private final Outstanding outstanding;
  private final CommittedPosition committed;
  private final Accumulator accumulator;
  private @Nullable SluiceException ended;

  BatchPreparation(
      TableDescription table,
      BatchCutter cutter,
      RowBufferPool pool,
      MemoryBudget budget,
      Outstanding outstanding,
      CommittedPosition committed,
      Accumulator accumulator) {
    this.table = table;
    this.cutter = cutter;
    this.pool = pool;
    this.budget = budget;
    this.outstanding = outstanding;
    this.committed = committed;
    this.accumulator = accumulator;
  }

  /**
   * Of a named writer, why nothing more is taken, null while all is well. A restarted writer takes
   * everything up to the last sequence of a bucket for stored, so no row may follow one that
   * failed.
   */
  @Nullable SluiceException ended() {
    return ended;
  }

  /** Says that rows are about to fail for good; a named writer ends with the first. */
  void failedForGood(WriterIdentity writer, SluiceException why) {
    if (writer.named() && ended == null) {
      ended = PutFailures.namedWriterEnds(table, why);
      accumulator.refuseAll(ended);
    }
  }

  /** Adds the parts of the batch to the queue; rows that cannot be sent fail at once. */
  void enqueue(SealedBatch sealed, BucketQueue queue, WriterIdentity writer) {
    if (ended != null) {
      refuse(sealed, ended);
      return;
    }
    List<BatchCutter.Cut> cuts;
    try {
      cuts = cuts(sealed);
    } catch (SluiceException e) {
      failedForGood(writer, e);
      refuse(sealed, e);
      return;
    } catch (RuntimeException | Error e) {
      // Nobody else knows this batch; the loop ends with what is thrown.
      refuse(
          sealed,
          new SluiceException(
              ErrorCode.INTERNAL, "Rows for " + table.path() + " cannot be encoded: " + e, e));
      throw e;
    }
    Parts parts = new Parts(sealed, cuts);
    for (BatchCutter.Cut cut : cuts) {
      enqueue(sealed, cut, parts, queue, writer);
    }
  }

  private List<BatchCutter.Cut> cuts(SealedBatch sealed) {
    if (sealed.encoded() != null) {
      return sealed.encoded();
    }
    RowBuffer rows = sealed.rows();
    if (rows == null) {
      throw new IllegalStateException("A sealed batch has neither rows nor encoded rows");
    }
    List<BatchCutter.Cut> cuts = cutter.cut(rows.lend(), sealed.changes());
    EncodedBatch first = cuts.get(0).batch();
    if (first != null && first.isShared()) {
      first.afterClose(() -> pool.give(rows));
    } else {
      pool.give(rows);
    }
    return cuts;
  }

  private void enqueue(
      SealedBatch sealed,
      BatchCutter.Cut cut,
      Parts parts,
      BucketQueue queue,
      WriterIdentity writer) {
    EncodedBatch batch = cut.batch();
    if (batch == null) {
      refuse(sealed, cut, parts, refusal(sealed, cut), writer);
      return;
    }
    if (ended != null) {
      refuse(sealed, cut, parts, ended, writer);
      return;
    }
    long base = queue.nextSequence();
    long last = base + cut.rows() - 1;
    long[] sequences = sealed.sequences();
    if (sequences != null) {
      last = sequences[cut.fromRow() + cut.rows() - 1];
    }
    long count = last - base + 1;
    if (count > Integer.MAX_VALUE) {
      refuse(sealed, cut, parts, jump(sealed.bucket(), last, count), writer);
      return;
    }
    queue.add(new PendingBatch(sealed, cut, batch, writer, base, (int) count, parts));
  }

  /**
   * The rows of a batch that was refused as too large, in two or more batches with the same
   * sequences; empty when it cannot be cut further. The batch itself is done with then.
   */
  List<PendingBatch> halve(PendingBatch batch, WriterIdentity writer) {
    if (batch.rows() < 2) {
      return List.of();
    }
    List<PendingBatch> halves = new ArrayList<>(2);
    long base = batch.baseSequence();
    for (BatchCutter.Cut cut : batch.halve(cutter)) {
      PendingBatch half = batch.part(cut, base, writer);
      base = half.lastSequence() + 1;
      halves.add(half);
    }
    batch.replacedBy(halves);
    return halves;
  }

  private void refuse(
      SealedBatch sealed,
      BatchCutter.Cut cut,
      Parts parts,
      SluiceException why,
      WriterIdentity writer) {
    cut.close();
    failedForGood(writer, why);
    PendingBatch.failFutures(sealed.futures(), cut.fromRow(), cut.rows(), why);
    parts.partDone(why, cut.wireBytes());
  }

  private SluiceException jump(WriterBucket bucket, long last, long count) {
    return new SluiceException(
        ErrorCode.INVALID_ARGUMENT,
        "Sequence "
            + last
            + " of "
            + table.path()
            + " is "
            + count
            + " after the one before it in "
            + bucket
            + "; positions may grow by at most "
            + Integer.MAX_VALUE);
  }

  private SluiceException refusal(SealedBatch sealed, BatchCutter.Cut cut) {
    SluiceException why = cut.refusal();
    String message = why == null ? "A row cannot be sent" : String.valueOf(why.getMessage());
    return new SluiceException(
        why == null ? ErrorCode.INTERNAL : why.code(),
        "Table " + table.path() + " " + sealed.bucket() + ": " + message,
        why);
  }

  /** Fails all rows of a batch. */
  void refuse(SealedBatch sealed, SluiceException why) {
    if (sealed.rows() != null) {
      pool.give(sealed.rows());
    }
    if (sealed.encoded() != null) {
      sealed.encoded().forEach(BatchCutter.Cut::close);
    }
    outstanding.failed(why);
    PendingBatch.failFutures(sealed.futures(), 0, sealed.rowCount(), why);
    budget.release(sealed.countedBytes());
    sealed.done().complete(null);
  }

  @Override
  public void close() {
    cutter.close();
  }

  /** Counts the parts of one sealed batch that are not final. */
  private final class Parts implements PendingBatch.Completion {
    private final SealedBatch sealed;
    private final long futureBytes;
    private int left;
    private boolean allStored = true;

    Parts(SealedBatch sealed, List<BatchCutter.Cut> cuts) {
      this.sealed = sealed;
      this.left = cuts.size();
      // Rows that compress to a few bytes take less than their futures.
      this.futureBytes = sealed.futures() == null ? 0 : FUTURE_BYTES * sealed.rowCount();
      // From here on the encoded bytes are held, not the rows.
      long wireBytes = 0;
      for (BatchCutter.Cut cut : cuts) {
        wireBytes += cut.wireBytes();
      }
      budget.add(wireBytes + futureBytes);
      budget.release(sealed.countedBytes());
    }

    @Override
    public void partStored() {
      long[] sequences = sealed.sequences();
      if (left == 1 && allStored && sequences != null) {
        committed.stored(sequences[0]);
      }
    }

    @Override
    public void partReplaced(int parts, long wireBytesBefore, long wireBytes) {
      left += parts - 1;
      budget.add(wireBytes);
      budget.release(wireBytesBefore);
    }

    @Override
    public void partDone(@Nullable SluiceException failure, long wireBytes) {
      budget.release(wireBytes);
      if (failure != null) {
        allStored = false;
        outstanding.failed(failure);
      }
      left--;
      if (left == 0) {
        budget.release(futureBytes);
        sealed.done().complete(null);
      }
    }
  }
}
