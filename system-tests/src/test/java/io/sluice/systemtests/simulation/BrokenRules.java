package io.sluice.systemtests.simulation;

import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.TabletServer;
import io.sluice.coordinator.metadata.Transition;
import io.sluice.coordinator.metadata.Transitions;
import io.sluice.tablet.log.EpochHistory;
import io.sluice.tablet.replication.FetchDecision;
import io.sluice.tablet.replication.FetchPosition;
import io.sluice.tablet.replication.FollowerLink;
import io.sluice.tablet.replication.IsrProposals;
import io.sluice.tablet.replication.IsrTracker;
import io.sluice.tablet.replication.ReplicationTimes;
import io.sluice.tablet.replication.Truncation;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rules of which one is broken, to show that the checks see it. */
enum BrokenRules implements Rules {
  /** A follower keeps what the leader does not have. */
  NO_TRUNCATION {
    @Override
    public FetchDecision decide(
        int leaderEpoch, EpochHistory epochs, long logStart, long logEnd, FetchPosition follower) {
      FetchDecision decision = FetchDecision.of(leaderEpoch, epochs, logStart, logEnd, follower);
      return decision instanceof FetchDecision.Diverges ? new FetchDecision.Agrees() : decision;
    }
  },

  /** A replica that starts cuts its log to what it knows to be committed (B23). */
  CUT_TO_COMMITTED {
    @Override
    public long keptWhenStarting(long logEnd, long committed) {
      return Math.min(logEnd, committed);
    }
  },

  /** The leader looks at the follower's offset, not at the epoch of its last record. */
  NO_EPOCH_CHECK {
    @Override
    public FetchDecision decide(
        int leaderEpoch, EpochHistory epochs, long logStart, long logEnd, FetchPosition follower) {
      return follower.offset() > logEnd
          ? new FetchDecision.Diverges(
              new EpochHistory.End(Math.max(1, epochs.epochBefore(logEnd)), logEnd))
          : follower.offset() < logStart
              ? new FetchDecision.Behind(logStart)
              : new FetchDecision.Agrees();
    }
  },

  /** A follower cuts to the leader's end only, not to the end of its own epoch. */
  CUT_WITHOUT_OWN_EPOCHS {
    @Override
    public Truncation.Cut cut(
        EpochHistory own, long logStart, long logEnd, EpochHistory.End leader) {
      return new Truncation.To(Math.max(logStart, Math.min(logEnd, leader.endOffset())));
    }

    @Override
    public FetchDecision decide(
        int leaderEpoch, EpochHistory epochs, long logStart, long logEnd, FetchPosition follower) {
      EpochHistory.End end = epochs.endOf(follower.lastEpoch(), logStart, logEnd);
      FetchDecision decision = FetchDecision.of(leaderEpoch, epochs, logStart, logEnd, follower);
      return decision instanceof FetchDecision.Diverges && follower.offset() <= end.endOffset()
          ? new FetchDecision.Agrees()
          : decision;
    }
  },

  /** The coordinator takes in whoever has the id, whatever process it is. */
  NO_INCARNATIONS {
    @Override
    public Transition apply(ClusterState state, Command command) {
      if (!(command instanceof Command.AlterIsr alter)) {
        return Transitions.apply(state, command);
      }
      return Transitions.apply(
          state,
          new Command.AlterIsr(
              alter.serverId(),
              alter.changes().stream()
                  .map(
                      change ->
                          new Command.IsrChange(
                              change.bucket(),
                              change.leaderEpoch(),
                              change.isrVersion(),
                              change.isr().stream().map(one -> current(state, one)).toList()))
                  .toList()));
    }

    private Command.IsrMember current(ClusterState state, Command.IsrMember member) {
      TabletServer server = state.servers().get(member.serverId());
      return server == null
          ? member
          : new Command.IsrMember(member.serverId(), server.registration().incarnation());
    }
  },

  /** The coordinator does not mind that a server lost power. */
  NO_BOOT_IDS {
    @Override
    public Transition apply(ClusterState state, Command command) {
      if (!(command instanceof Command.RegisterServer register)) {
        return Transitions.apply(state, command);
      }
      TabletServer.Registration one = register.registration();
      return Transitions.apply(
          state,
          new Command.RegisterServer(
              new TabletServer.Registration(
                  one.serverId(),
                  one.host(),
                  one.flightPort(),
                  one.httpPort(),
                  one.rack(),
                  one.incarnation(),
                  "boot",
                  one.cleanStop()),
              register.nowMs(),
              register.emptyDisk()));
    }
  },

  /** An orderly stop hides the power loss before it. */
  STOP_HIDES_POWER_LOSS {
    @Override
    public boolean marksEveryStopClean() {
      return true;
    }
  },

  /** A server that lost its disk takes its old place. */
  EMPTY_DISK_UNTOLD {
    @Override
    public boolean tellsOfEmptyDisk() {
      return false;
    }
  },

  /** What is committed does not wait for those who may be in sync by now. */
  COMMITTED_WITHOUT_PROPOSED {
    @Override
    public LeaderRules leading(int self, int epoch, long epochStart, long committed) {
      return new OwnCommitted(self, epoch, epochStart, committed) {
        @Override
        Set<Integer> counted() {
          return new HashSet<>(isr());
        }
      };
    }
  },

  /** A refusal is taken for the end of the proposal: a copy of it may be accepted later. */
  REFUSAL_SETTLES {
    @Override
    public LeaderRules leading(int self, int epoch, long epochStart, long committed) {
      return new ForgettingRules(self, epoch, epochStart, committed);
    }
  },

  /** A follower that shall leave does not count before the coordinator has agreed. */
  REMOVAL_COUNTS_AT_ONCE {
    @Override
    public LeaderRules leading(int self, int epoch, long epochStart, long committed) {
      return new OwnCommitted(self, epoch, epochStart, committed) {
        @Override
        Set<Integer> counted() {
          IsrTracker.Proposal open = open();
          if (open == null) {
            return new HashSet<>(isr());
          }
          Set<Integer> all = new HashSet<>();
          open.members().forEach(member -> all.add(member.serverId()));
          return all;
        }
      };
    }
  },

  /** Writes go on with too few in sync. */
  NO_MIN_INSYNC {
    @Override
    public LeaderRules leading(int self, int epoch, long epochStart, long committed) {
      return new LeaderRules.Real(self, epoch, epochStart, committed) {
        @Override
        public void decided(
            List<Integer> replicas, List<Integer> isr, int minInsync, int version, long now) {
          super.decided(replicas, isr, 1, version, now);
        }

        @Override
        public void answered(
            IsrTracker.Proposal proposal, IsrProposals.Decision decision, long now) {
          IsrProposals.BucketState state = decision.now();
          super.answered(
              proposal,
              state == null
                  ? decision
                  : new IsrProposals.Decision(
                      decision.refusal(),
                      new IsrProposals.BucketState(
                          state.leaderServerId(),
                          state.leaderEpoch(),
                          state.replicas(),
                          state.isr(),
                          state.isrVersion(),
                          1)),
              now);
        }
      };
    }
  },

  /** Lookups are answered whether anybody else may lead or not. */
  NO_LEASE {
    @Override
    public LeaderRules leading(int self, int epoch, long epochStart, long committed) {
      return new LeaderRules.Real(self, epoch, epochStart, committed) {
        @Override
        public boolean hasLease(long now) {
          return true;
        }
      };
    }
  },

  /** The lease is that of those in sync, not of those who may be by now. */
  LEASE_WITHOUT_PROPOSED {
    @Override
    public LeaderRules leading(int self, int epoch, long epochStart, long committed) {
      return new LeaderRules.Real(self, epoch, epochStart, committed) {
        private final Map<Integer, FollowerLink> links = new HashMap<>();

        @Override
        public void fetched(FollowerLink link, long offset, long now) {
          links.put(link.serverId(), link);
          super.fetched(link, offset, now);
        }

        @Override
        public boolean hasLease(long now) {
          for (int member : isr()) {
            FollowerLink link = links.get(member);
            if (member != self
                && (link == null
                    || link.leaseBaseNanos() == FollowerLink.NO_LEASE
                    || now - link.leaseBaseNanos() >= ReplicationTimes.LEASE_NANOS)) {
              return false;
            }
          }
          return true;
        }
      };
    }
  },

  /** A new leader serves while it may still have promised not to. */
  NO_PROMISE {
    @Override
    public boolean keepsPromise() {
      return false;
    }
  },

  /** A new leader serves before everything of earlier epochs is committed. */
  SERVES_AT_ONCE {
    @Override
    public boolean servesAtOnce() {
      return true;
    }
  },

  /** Somebody who is not in sync is elected. */
  ELECTION_OUTSIDE_ISR {
    @Override
    public boolean electsOutsideIsr() {
      return true;
    }
  },

  /** A put that was sent twice is stored twice. */
  NO_SEQUENCES {
    @Override
    public boolean knowsWriters() {
      return false;
    }
  },

  /** A new leader uses offsets again that the lake has records of. */
  NO_JUMP {
    @Override
    public boolean jumpsOverLake() {
      return false;
    }
  };

  /** The real rules but for what is committed. */
  private abstract static class OwnCommitted extends LeaderRules.Real {
    private final int self;
    private boolean dead;
    private long own;
    private long logEnd;
    private IsrTracker.@Nullable Proposal proposed;

    OwnCommitted(int self, int epoch, long epochStart, long committed) {
      super(self, epoch, epochStart, committed);
      this.self = self;
      this.own = Math.min(committed, epochStart);
      this.logEnd = epochStart;
    }

    abstract Set<Integer> counted();

    IsrTracker.@Nullable Proposal open() {
      return proposed;
    }

    @Override
    public void appended(long newEnd) {
      logEnd = newEnd;
      super.appended(newEnd);
    }

    @Override
    public IsrTracker.@Nullable Proposal propose(long now) {
      IsrTracker.Proposal proposal = super.propose(now);
      if (proposal != null) {
        proposed = proposal;
      }
      return proposal;
    }

    @Override
    public void decided(
        List<Integer> replicas, List<Integer> isr, int minInsync, int version, long now) {
      super.decided(replicas, isr, minInsync, version, now);
      if (proposed != null && proposed.isrVersion() < version) {
        proposed = null;
      }
    }

    @Override
    public void answered(IsrTracker.Proposal proposal, IsrProposals.Decision decision, long now) {
      super.answered(proposal, decision, now);
      IsrProposals.BucketState state = decision.now();
      if (state != null && state.leaderEpoch() > tracker.leaderEpoch()) {
        dead = true;
      }
      if (proposal.equals(proposed)) {
        proposed = null;
      }
    }

    @Override
    public long committed() {
      if (!hasMinInsync() || dead) {
        return own;
      }
      long end = logEnd;
      for (int member : counted()) {
        end = Math.min(end, member == self ? logEnd : followerEnd(member));
      }
      own = Math.max(own, end);
      return own;
    }
  }
}
