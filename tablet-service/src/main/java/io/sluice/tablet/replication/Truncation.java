package io.sluice.tablet.replication;

import io.sluice.tablet.log.EpochHistory;

/** Where a follower cuts its log when it has something that the leader has not. */
public final class Truncation {
  private Truncation() {}

  /** What a follower does with its log. */
  public sealed interface Cut {}

  /**
   * It keeps what lies below the offset.
   *
   * @param logEnd the new log end, at or above the log start
   */
  public record To(long logEnd) implements Cut {}

  /**
   * The logs part below what this one still has: it becomes an empty one that begins at 0 and knows
   * no epoch. The leader sends it to where its own log begins.
   */
  public record StartAnew() implements Cut {}

  /**
   * The new log end is the smallest of its own end, its own end of its largest epoch that is not
   * above the leader's, and the leader's end (KIP-279, KIP-595). Every cut is below the log end or
   * removes the last epoch, so that repeating ends.
   *
   * @param own epochs of the follower's log
   * @param leader what the leader answered
   */
  public static Cut cutTo(EpochHistory own, long logStart, long logEnd, EpochHistory.End leader) {
    if (leader.epoch() == EpochHistory.NO_EPOCH) {
      return new StartAnew();
    }
    EpochHistory.End ownEnd = own.endOf(leader.epoch(), logStart, logEnd);
    long cut = Math.min(logEnd, Math.min(ownEnd.endOffset(), leader.endOffset()));
    return ownEnd.epoch() == EpochHistory.NO_EPOCH || cut < logStart
        ? new StartAnew()
        : new To(cut);
  }
}
