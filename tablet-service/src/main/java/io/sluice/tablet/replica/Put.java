package io.sluice.tablet.replica;

import io.sluice.common.SluiceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A change on its way: queued, perhaps waiting for ids or for its rows to become visible, answered
 * once.
 */
abstract class Put implements ShardTask {
  private static final Logger log = LoggerFactory.getLogger(Put.class);

  private final LocalReplica replica;
  private final AppendShard shard;
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
   * @param bytes what it counts against the shard's limit
   */
  Put(LocalReplica replica, AppendShard shard, AppendCallback callback, int epoch, int bytes) {
    this.replica = replica;
    this.shard = shard;
    this.callback = callback;
    this.epoch = epoch;
    this.bytes = Math.max(1, bytes);
  }

  int epoch() {
    return epoch;
  }

  @Override
  public final int bytes() {
    return bytes;
  }

  @Override
  public final void run() {
    replica.take(this);
  }

  /**
   * Stores what it is, on the shard's thread.
   *
   * @return false when ids are missing: nothing was done, and it is to be tried again
   * @throws SluiceException what it is refused for
   */
  abstract boolean store(PutQueue queue);

  /** Whether the answer waits until the rows are visible. */
  abstract boolean waitsForVisible();

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
      } catch (RuntimeException | Error e) {
        // The rows are stored all the same: nothing is wrong with the replica.
        log.error("The answer to a put for {} was not taken", replica.bucket(), e);
      }
    }
  }

  @Override
  public final void abandon(SluiceException why) {
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
    } catch (RuntimeException | Error e) {
      log.error("The refusal of a put for {} was not taken", replica.bucket(), e);
    }
  }
}
