package io.sluice.client.internal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The batches of one bucket that are not final, in the order of their sequences: first those that
 * are sent, then those that wait. Owned by the delivery loop.
 */
final class BucketQueue {
  private final WriterBucket bucket;
  private final List<PendingBatch> batches = new ArrayList<>();
  private int sent;
  private long nextSequence;
  private long ackedThrough;
  private long retryAtNanos;
  private boolean pausing;
  private long lastNewsNanos;
  private volatile int length;
  private volatile boolean hasUnsent;

  /**
   * @param lastSequence the last sequence stored before, -1 when none
   */
  BucketQueue(WriterBucket bucket, long lastSequence) {
    this.bucket = bucket;
    this.nextSequence = lastSequence + 1;
    this.ackedThrough = lastSequence;
  }

  WriterBucket bucket() {
    return bucket;
  }

  /** Base sequence of the next batch. */
  long nextSequence() {
    return nextSequence;
  }

  /** The last sequence whose outcome is final, all before it too. */
  long ackedThrough() {
    return ackedThrough;
  }

  boolean isEmpty() {
    return batches.isEmpty();
  }

  /** Whether there is no batch whose outcome is awaited; from any thread. */
  boolean isIdle() {
    return length == 0;
  }

  /** How many batches there are whose outcome is awaited; from any thread. */
  int length() {
    return length;
  }

  /**
   * Whether there is a batch that waits to be sent: the loop is going to look at this bucket again,
   * and what comes is sent after that one. From any thread.
   */
  boolean hasUnsent() {
    return hasUnsent;
  }

  List<PendingBatch> batches() {
    return batches;
  }

  /** Adds the batch that goes on at {@link #nextSequence}. */
  void add(PendingBatch batch) {
    batches.add(batch);
    changed();
    nextSequence = batch.lastSequence() + 1;
  }

  /** The batch to send next, null when none may be sent now. */
  @Nullable PendingBatch nextToSend(long now) {
    if (pausing && now - retryAtNanos < 0) {
      return null;
    }
    pausing = false;
    while (sent < batches.size() && batches.get(sent).isFinal()) {
      markSent();
    }
    if (sent == batches.size()) {
      return null;
    }
    PendingBatch next = batches.get(sent);
    if (sent == 0) {
      return next;
    }
    // A batch that failed before goes alone: what follows it would only be refused with it.
    return isRetrying() || next.onlyAsHead() ? null : next;
  }

  /** Whether its first batch failed and is being tried again: the bucket takes nothing now. */
  boolean isRetrying() {
    return !batches.isEmpty() && batches.get(0).failures() > 0;
  }

  /** Nanoseconds until the pause after a failure ends, 0 without one. */
  long pauseLeft(long now) {
    return pausing ? Math.max(retryAtNanos - now, 0) : 0;
  }

  /** Says that {@link #nextToSend} was sent, or is not to be sent any more. */
  void markSent() {
    sent++;
    changed();
  }

  /** Sends this batch and those after it again, in order. */
  void rewindTo(PendingBatch batch) {
    int at = batches.indexOf(batch);
    if (at < 0) {
      return;
    }
    for (int i = at; i < batches.size(); i++) {
      PendingBatch each = batches.get(i);
      if (!each.isFinal()) {
        each.rewind();
      }
    }
    sent = Math.min(sent, at);
    changed();
  }

  /** Puts the parts of a batch in its place, after it was rewound to. */
  void replace(PendingBatch batch, List<PendingBatch> parts) {
    int at = batches.indexOf(batch);
    batches.remove(at);
    batches.addAll(at, parts);
    changed();
  }

  /** The first batch that was sent on a stream to another server than this, null without one. */
  @Nullable PendingBatch firstSentElsewhere(String leader) {
    for (int i = 0; i < sent; i++) {
      if (batches.get(i).isSentElsewhere(leader)) {
        return batches.get(i);
      }
    }
    return null;
  }

  /** Says that a batch was answered, or that the first one was added. */
  void news(long now) {
    lastNewsNanos = now;
  }

  /** How long nothing was heard of its batches. */
  long silentNanos(long now) {
    return now - lastNewsNanos;
  }

  /** Sends nothing before that time. */
  void pauseUntil(long nanos) {
    pausing = true;
    retryAtNanos = nanos;
  }

  /** Lets go of final batches at the head. */
  void dropFinal() {
    while (!batches.isEmpty() && batches.get(0).isFinal()) {
      ackedThrough = batches.remove(0).lastSequence();
      sent = Math.max(sent - 1, 0);
    }
    changed();
  }

  private void changed() {
    length = batches.size();
    hasUnsent = sent < batches.size();
  }
}
