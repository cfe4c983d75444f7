package io.sluice.tablet.replication;

import io.sluice.tablet.log.EpochHistory;

/** What a leader makes of a follower's position: the logs agree below it, or they must be cut. */
public sealed interface FetchDecision {
  /** The logs agree below the offset: read from there on. */
  record Agrees() implements FetchDecision {}

  /** They do not: the follower cuts, see {@link Truncation}, and asks again. */
  record Diverges(EpochHistory.End end) implements FetchDecision {}

  /**
   * The follower's log ends before this log begins, or nothing that is still known here tells
   * whether they agree: it starts anew where this log begins.
   */
  record Behind(long logStart) implements FetchDecision {}

  /** The follower follows a leader that is no more: it will hear of this one. */
  record FollowerIsStale(int leaderEpoch) implements FetchDecision {}

  /** The follower has heard of a newer leader than this one. */
  record LeaderIsStale(int leaderEpoch) implements FetchDecision {}

  /**
   * Decides.
   *
   * @param leaderEpoch epoch in which this server leads
   * @param epochs epochs of its log
   * @param logStart where its log begins
   * @param logEnd where it ends
   */
  static FetchDecision of(
      int leaderEpoch, EpochHistory epochs, long logStart, long logEnd, FetchPosition follower) {
    if (follower.leaderEpoch() < leaderEpoch) {
      return new FollowerIsStale(leaderEpoch);
    }
    if (follower.leaderEpoch() > leaderEpoch) {
      return new LeaderIsStale(leaderEpoch);
    }
    if (follower.offset() < logStart) {
      return new Behind(logStart);
    }
    if (follower.lastEpoch() == EpochHistory.NO_EPOCH) {
      // It has nothing, which agrees with everything, but only where this log has nothing either:
      // an empty log that begins further on was begun for a leader whose records may be gone.
      return follower.offset() == logStart ? new Agrees() : new Behind(logStart);
    }
    EpochHistory.End end = epochs.endOf(follower.lastEpoch(), logStart, logEnd);
    if (end.epoch() == EpochHistory.NO_EPOCH) {
      // Cutting would not help: what it has below this log's start is of that epoch too.
      return new Behind(logStart);
    }
    return end.epoch() == follower.lastEpoch() && follower.offset() <= end.endOffset()
        ? new Agrees()
        : new Diverges(end);
  }
}
