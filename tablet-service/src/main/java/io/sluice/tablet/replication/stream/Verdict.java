package io.sluice.tablet.replication.stream;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.tablet.log.EpochHistory;
import io.sluice.tablet.replication.FetchDecision;
import io.sluice.tablet.replication.ReplicationSource;
import org.jspecify.annotations.Nullable;

/** What a follower is told instead of data. */
sealed interface Verdict {
  /** The logs do not agree. */
  record Diverges(EpochHistory.End end) implements Verdict {}

  /** The follower starts anew where this log begins. */
  record Behind() implements Verdict {}

  /** Nothing is to be had here. */
  record Refused(SluiceException why) implements Verdict {}

  /** What is told after a replica has seen a position; null when it goes on with data. */
  static @Nullable Verdict of(ReplicationSource.Answer answer) {
    SluiceException failure = answer.failure();
    if (failure != null) {
      return new Refused(failure);
    }
    FetchDecision decision = answer.decision();
    if (decision instanceof FetchDecision.Diverges diverges) {
      return new Diverges(diverges.end());
    }
    if (decision instanceof FetchDecision.Behind) {
      return new Behind();
    }
    if (decision instanceof FetchDecision.FollowerIsStale stale) {
      return refused(
          ErrorCode.FENCED_LEADER_EPOCH,
          "The leader's epoch is " + stale.leaderEpoch() + " by now");
    }
    if (decision instanceof FetchDecision.LeaderIsStale stale) {
      return refused(
          ErrorCode.LEADER_NOT_READY,
          "This server has not heard of a newer epoch than " + stale.leaderEpoch() + " yet");
    }
    return null;
  }

  private static Verdict refused(ErrorCode code, String message) {
    return new Refused(new SluiceException(code, message));
  }
}
