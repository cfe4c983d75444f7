package io.sluice.tablet.replica;

import io.sluice.common.SluiceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A put on its way: queued, perhaps waiting for its rows to become visible, answered once. */
final class Put implements ShardTask {
  private static final Logger log = LoggerFactory.getLogger(Put.class);

  private final LocalReplica replica;
  private final AppendShard shard;
  private final AppendRequest request;
  private final AppendCallback callback;
  private final int epoch;
  private final int bytes;
  // Of the shard's thread, from the decision on.
  private long visibleAt;
  private long baseOffset;
  private boolean duplicate;
  private boolean answered;

  /**
   * @param epoch epoch under which the put was taken in
   */
  Put(
      LocalReplica replica,
      AppendShard shard,
      AppendRequest request,
      AppendCallback callback,
      int epoch) {
    this.replica = replica;
    this.shard = shard;
    this.request = request;
    this.callback = callback;
    this.epoch = epoch;
    this.bytes = Math.max(1, request.header().length());
  }

  AppendRequest request() {
    return request;
  }

  int epoch() {
    return epoch;
  }

  @Override
  public int bytes() {
    return bytes;
  }

  @Override
  public void run() {
    replica.process(this);
  }

  /** Sets the answer that is given when visible has reached an offset. */
  void storedAt(long newBaseOffset, boolean newDuplicate, long newVisibleAt) {
    baseOffset = newBaseOffset;
    duplicate = newDuplicate;
    visibleAt = newVisibleAt;
  }

  long visibleAt() {
    return visibleAt;
  }

  /** Answers that the rows are stored. */
  void succeed() {
    if (finish()) {
      try {
        callback.stored(baseOffset, duplicate, epoch);
      } catch (RuntimeException e) {
        log.error("The answer to a put for {} was not taken", replica.bucket(), e);
      }
    }
  }

  @Override
  public void abandon(SluiceException why) {
    if (finish()) {
      refuse(callback, why, replica);
    }
  }

  private boolean finish() {
    if (answered) {
      return false;
    }
    answered = true;
    shard.release(bytes);
    return true;
  }

  /** Refuses a put that was never queued. */
  static void refuse(AppendCallback callback, SluiceException why, LocalReplica replica) {
    try {
      callback.refused(why);
    } catch (RuntimeException e) {
      log.error("The refusal of a put for {} was not taken", replica.bucket(), e);
    }
  }
}
