package io.sluice.systemtests.simulation;

import io.sluice.tablet.replication.FollowerLink;
import io.sluice.tablet.replication.IsrProposals;
import io.sluice.tablet.replication.IsrTracker;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Rules that forget a proposal when it is refused: the tracker begins again without it. */
final class ForgettingRules implements LeaderRules {
  private final int self;
  private final int epoch;
  private final long epochStart;
  private final Map<Integer, FollowerLink> links = new TreeMap<>();
  private LeaderRules.Real inner;
  private List<Integer> replicas = List.of();
  private int minInsync;
  private int version = -1;
  private long logEnd;

  ForgettingRules(int self, int epoch, long epochStart, long committed) {
    this.self = self;
    this.epoch = epoch;
    this.epochStart = epochStart;
    this.logEnd = epochStart;
    this.inner = new LeaderRules.Real(self, epoch, epochStart, committed);
  }

  @Override
  public void decided(
      List<Integer> newReplicas, List<Integer> isr, int newMinInsync, int newVersion, long now) {
    if (newVersion > version) {
      replicas = newReplicas;
      minInsync = newMinInsync;
      version = newVersion;
    }
    inner.decided(newReplicas, isr, newMinInsync, newVersion, now);
  }

  @Override
  public void answered(IsrTracker.Proposal proposal, IsrProposals.Decision decision, long now) {
    IsrProposals.BucketState state = decision.now();
    if (decision.refusal() == null
        || state == null
        || state.leaderEpoch() != epoch
        || state.isrVersion() != version) {
      if (state != null && state.leaderEpoch() == epoch && state.isrVersion() > version) {
        replicas = state.replicas();
        minInsync = state.minInsync();
        version = state.isrVersion();
      }
      inner.answered(proposal, decision, now);
      return;
    }
    LeaderRules.Real before = inner;
    inner = new LeaderRules.Real(self, epoch, epochStart, before.committed());
    inner.decided(replicas, before.isr(), minInsync, version, now);
    inner.appended(logEnd);
    links.forEach((server, link) -> inner.fetched(link, before.followerEnd(server), now));
  }

  @Override
  public void appended(long newEnd) {
    logEnd = newEnd;
    inner.appended(newEnd);
  }

  @Override
  public void fetched(FollowerLink link, long offset, long now) {
    links.put(link.serverId(), link);
    inner.fetched(link, offset, now);
  }

  @Override
  public void left(FollowerLink link) {
    links.remove(link.serverId(), link);
    inner.left(link);
  }

  @Override
  public long committed() {
    return inner.committed();
  }

  @Override
  public boolean hasMinInsync() {
    return inner.hasMinInsync();
  }

  @Override
  public IsrTracker.@Nullable Proposal propose(long now) {
    return inner.propose(now);
  }

  @Override
  public boolean hasLease(long now) {
    return inner.hasLease(now);
  }

  @Override
  public List<Integer> isr() {
    return inner.isr();
  }

  @Override
  public long followerEnd(int server) {
    return inner.followerEnd(server);
  }
}
