package io.sluice.client.internal;

import io.sluice.client.AppendResult;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.flight.PutFrames;
import io.sluice.protocol.flight.v1.PutAnswer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/**
 * An encoded batch with its sequences until its outcome is final. Owned by the delivery loop.
 *
 * <pre>
 * waiting --sent--> sent --answer--> final (stored or failed)
 * sent --refused, retriable; stream lost--> waiting
 * sent --refused, too large--> final (replaced by its halves, which wait)
 * waiting, sent --delivery time-out--> final (failed)
 * </pre>
 */
final class PendingBatch {
  private final SealedBatch sealed;
  private final EncodedBatch batch;
  private final WriterBucket bucket;
  private final int fromRow;
  private final int rows;
  private final long baseSequence;
  private final long lastSequence;
  private final Completion completion;

  private @Nullable PutStream sentOn;
  private long requestId = -1;
  private long sentAckedThrough;
  private boolean onlyAsHead;
  private boolean isFinal;
  private int failures;
  private @Nullable SluiceException lastFailure;

  /** What a cut of a sealed batch reports to when it is final. */
  interface Completion {
    /** The rows are stored; before those who wait for them hear of it. */
    void partStored();

    /**
     * @param failure why the rows are not known to be stored, null when they are stored
     */
    void partDone(@Nullable SluiceException failure, long wireBytes);

    /** The cut is now several, of so many bytes together. */
    void partReplaced(int parts, long wireBytesBefore, long wireBytes);
  }

  /** Stamps the writer into the header. The batch is taken over. */
  PendingBatch(
      SealedBatch sealed,
      BatchCutter.Cut cut,
      EncodedBatch batch,
      WriterIdentity writer,
      long baseSequence,
      int sequenceCount,
      Completion completion) {
    this.sealed = sealed;
    this.batch = batch;
    this.bucket = sealed.bucket();
    this.fromRow = cut.fromRow();
    this.rows = cut.rows();
    this.baseSequence = baseSequence;
    this.lastSequence = baseSequence + sequenceCount - 1;
    this.completion = completion;
    LogBatchHeader header = batch.header();
    header.setWriter(writer.id(), writer.epoch(), baseSequence, sequenceCount);
    header.setContentCrc(
        header.computeContentCrc(
            batch.changeTypes(), batch.statistics(), batch.metadata(), batch.checksums()));
  }

  WriterBucket bucket() {
    return bucket;
  }

  int rows() {
    return rows;
  }

  /** Whether it has all rows that were collected for it, and is not a part of them. */
  boolean isWhole() {
    return rows == sealed.rowCount();
  }

  long baseSequence() {
    return baseSequence;
  }

  long lastSequence() {
    return lastSequence;
  }

  long deadlineNanos() {
    return sealed.deadlineNanos();
  }

  int wireBytes() {
    return batch.wireBytes();
  }

  boolean isFinal() {
    return isFinal;
  }

  boolean isSentOn(PutStream stream) {
    return sentOn == stream;
  }

  /** Whether it was sent, and to another server than this. */
  boolean isSentElsewhere(String leader) {
    PutStream stream = sentOn;
    return !isFinal && stream != null && !stream.address().equals(leader);
  }

  /** Whether an answer to this request is about the last attempt. */
  boolean isCurrent(long request) {
    return !isFinal && requestId == request;
  }

  boolean onlyAsHead() {
    return onlyAsHead;
  }

  int failures() {
    return failures;
  }

  @Nullable SluiceException lastFailure() {
    return lastFailure;
  }

  /** Notes an attempt and makes its message. */
  OutboundFrame send(
      PutStream stream,
      long request,
      long ackedThrough,
      Flight.@Nullable FlightDescriptor descriptor) {
    sentOn = stream;
    requestId = request;
    sentAckedThrough = ackedThrough;
    return PutFrames.batch(
        descriptor, request, bucket.id().partitionId(), bucket.number(), ackedThrough, batch);
  }

  /** Goes back to waiting. */
  void rewind() {
    sentOn = null;
    requestId = -1;
  }

  /** Notes a failure that another attempt may not meet. */
  void attemptFailed(SluiceException why) {
    failures++;
    lastFailure = why;
  }

  /**
   * Whether OUT_OF_ORDER_SEQUENCE may be due to batches before this one that had no final answer
   * when it was sent. It is then sent again once it is the first.
   */
  boolean wasSentBeforeItsTurn() {
    return sentAckedThrough < baseSequence - 1;
  }

  void sendOnlyAsHead() {
    onlyAsHead = true;
  }

  /** The rows are stored. */
  void stored(PutAnswer answer) {
    end();
    completion.partStored();
    CompletableFuture<AppendResult>[] futures = sealed.futures();
    if (futures != null) {
      // An upsert becomes no record, one or two: which offset is whose the answer does not say.
      long base = sealed.changeTypes() == null ? answer.getBaseOffset() : -1;
      for (int i = 0; i < rows; i++) {
        CompletableFuture<AppendResult> future = at(futures, i);
        if (future != null) {
          future.complete(
              new AppendResult(
                  bucket.id().partitionId(),
                  bucket.number(),
                  base < 0 ? -1 : base + i,
                  answer.getDuplicate()));
        }
      }
    }
    completion.partDone(null, batch.wireBytes());
  }

  /** The rows are not stored, or it is not known. */
  void failed(SluiceException why) {
    end();
    failFutures(sealed.futures(), fromRow, rows, why);
    completion.partDone(why, batch.wireBytes());
  }

  /** The rows in two or more encoded batches, positions counted from this batch's first row. */
  List<BatchCutter.Cut> halve(BatchCutter cutter) {
    return cutter.halve(batch);
  }

  /**
   * A batch of some of these rows, with their sequences.
   *
   * @param base sequence after the last one of the part before
   */
  PendingBatch part(BatchCutter.Cut cut, long base, WriterIdentity writer) {
    EncodedBatch encoded = cut.batch();
    if (encoded == null) {
      throw new IllegalStateException("Part of a batch that was sent is too large to be sent");
    }
    BatchCutter.Cut placed =
        new BatchCutter.Cut(fromRow + cut.fromRow(), cut.rows(), encoded, null);
    int lastRow = cut.fromRow() + cut.rows() - 1;
    long[] sequences = sealed.sequences();
    long last = sequences == null ? baseSequence + lastRow : sequences[fromRow + lastRow];
    int count = Math.toIntExact(last - base + 1);
    return new PendingBatch(sealed, placed, encoded, writer, base, count, completion);
  }

  /** These batches stand for it from now on. */
  void replacedBy(List<PendingBatch> parts) {
    end();
    long bytes = 0;
    for (PendingBatch part : parts) {
      bytes += part.wireBytes();
    }
    completion.partReplaced(parts.size(), batch.wireBytes(), bytes);
  }

  private void end() {
    if (isFinal) {
      throw new IllegalStateException("A batch can have one outcome only");
    }
    isFinal = true;
    sentOn = null;
    batch.close();
  }

  private @Nullable CompletableFuture<AppendResult> at(
      CompletableFuture<AppendResult>[] all, int row) {
    return fromRow + row < all.length ? all[fromRow + row] : null;
  }

  static void failFutures(
      CompletableFuture<AppendResult> @Nullable [] futures,
      int fromRow,
      int rows,
      SluiceException why) {
    if (futures == null) {
      return;
    }
    int end = Math.min(fromRow + rows, futures.length);
    for (int i = fromRow; i < end; i++) {
      CompletableFuture<AppendResult> future = futures[i];
      if (future != null) {
        future.completeExceptionally(why);
      }
    }
  }
}
