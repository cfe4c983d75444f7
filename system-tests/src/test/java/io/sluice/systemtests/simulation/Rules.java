package io.sluice.systemtests.simulation;

import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Transition;
import io.sluice.coordinator.metadata.Transitions;
import io.sluice.tablet.log.EpochHistory;
import io.sluice.tablet.replication.FetchDecision;
import io.sluice.tablet.replication.FetchPosition;
import io.sluice.tablet.replication.Truncation;

/**
 * The rules that a simulated cluster follows: those of the services unless one is overridden to
 * show that the checks see it.
 */
interface Rules {
  Rules REAL = new Rules() {};

  default Transition apply(ClusterState state, Command command) {
    return Transitions.apply(state, command);
  }

  default LeaderRules leading(int self, int epoch, long epochStart, long committed) {
    return new LeaderRules.Real(self, epoch, epochStart, committed);
  }

  default FetchDecision decide(
      int leaderEpoch, EpochHistory epochs, long logStart, long logEnd, FetchPosition follower) {
    return FetchDecision.of(leaderEpoch, epochs, logStart, logEnd, follower);
  }

  default Truncation.Cut cut(
      EpochHistory own, long logStart, long logEnd, EpochHistory.End leader) {
    return Truncation.cutTo(own, logStart, logEnd, leader);
  }

  /** Where a replica's log ends before it has heard anything of a leader. */
  default long keptWhenStarting(long logEnd, long committed) {
    return logEnd;
  }

  /** Whether a new leader serves before everything of earlier epochs is committed. */
  default boolean servesAtOnce() {
    return false;
  }

  /** Whether a new leader waits until its own promise is over. */
  default boolean keepsPromise() {
    return true;
  }

  /** Whether a put that the writer sent before is recognised. */
  default boolean knowsWriters() {
    return true;
  }

  /** Whether a leader lets the offsets alone that the lake has. */
  default boolean jumpsOverLake() {
    return true;
  }

  /** Whether a process that stops in order says so though no coordinator ever knew it. */
  default boolean marksEveryStopClean() {
    return false;
  }

  /** Whether a server says that it starts with an empty disk. */
  default boolean tellsOfEmptyDisk() {
    return true;
  }

  /** Whether the coordinator elects anybody alive when nobody in sync is. */
  default boolean electsOutsideIsr() {
    return false;
  }
}
