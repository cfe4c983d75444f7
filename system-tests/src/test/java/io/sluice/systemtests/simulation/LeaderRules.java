package io.sluice.systemtests.simulation;

import io.sluice.tablet.replication.FollowerLink;
import io.sluice.tablet.replication.IsrProposals;
import io.sluice.tablet.replication.IsrTracker;
import io.sluice.tablet.replication.ReplicationTimes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a leader knows of its followers: {@link IsrTracker}, or something that is broken. */
interface LeaderRules {
  void decided(List<Integer> replicas, List<Integer> isr, int minInsync, int version, long now);

  void answered(IsrTracker.Proposal proposal, IsrProposals.Decision decision, long now);

  void appended(long logEnd);

  void fetched(FollowerLink link, long offset, long now);

  void left(FollowerLink link);

  long committed();

  boolean hasMinInsync();

  IsrTracker.@Nullable Proposal propose(long now);

  boolean hasLease(long now);

  List<Integer> isr();

  long followerEnd(int server);

  /** The rules as they are. */
  class Real implements LeaderRules {
    final IsrTracker tracker;

    Real(int self, int epoch, long epochStart, long committed) {
      tracker = new IsrTracker(self, epoch, epochStart, committed, ReplicationTimes.LAG_NANOS);
    }

    @Override
    public void decided(
        List<Integer> replicas, List<Integer> isr, int minInsync, int version, long now) {
      tracker.decided(replicas, isr, minInsync, version, now);
    }

    @Override
    public void answered(IsrTracker.Proposal proposal, IsrProposals.Decision decision, long now) {
      tracker.answered(proposal, decision, now);
    }

    @Override
    public void appended(long logEnd) {
      tracker.appended(logEnd);
    }

    @Override
    public void fetched(FollowerLink link, long offset, long now) {
      tracker.fetched(link, offset, true, now);
    }

    @Override
    public void left(FollowerLink link) {
      tracker.left(link);
    }

    @Override
    public long committed() {
      return tracker.committed();
    }

    @Override
    public boolean hasMinInsync() {
      return tracker.hasMinInsync();
    }

    @Override
    public IsrTracker.@Nullable Proposal propose(long now) {
      return tracker.propose(now);
    }

    @Override
    public boolean hasLease(long now) {
      return tracker.hasLease(now, ReplicationTimes.LEASE_NANOS);
    }

    @Override
    public List<Integer> isr() {
      return tracker.isr();
    }

    @Override
    public long followerEnd(int server) {
      return tracker.followerEnd(server);
    }
  }
}
