package io.sluice.tablet.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.tablet.replication.IsrProposals.BucketState;
import io.sluice.tablet.replication.IsrProposals.Decision;
import io.sluice.tablet.replication.IsrTracker.Member;
import io.sluice.tablet.replication.IsrTracker.Proposal;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Server 1 leads in epoch 5, which began at offset 100; 90 was known to be committed. */
class IsrTrackerTest {
  private static final long LAG = ReplicationTimes.LAG_NANOS;
  private static final long LEASE = ReplicationTimes.LEASE_NANOS;

  private final IsrTracker tracker = new IsrTracker(1, 5, 100, 90, LAG);
  private long now = 1_000_000_000_000L;

  /** A stream whose times the test sets. */
  private static final class Link implements FollowerLink {
    private final int server;
    private final String incarnation;
    private long lastFetch;
    private long leaseBase = NO_LEASE;

    Link(int server, String incarnation) {
      this.server = server;
      this.incarnation = incarnation;
    }

    @Override
    public int serverId() {
      return server;
    }

    @Override
    public String incarnation() {
      return incarnation;
    }

    @Override
    public long lastFetchNanos() {
      return lastFetch;
    }

    @Override
    public long leaseBaseNanos() {
      return leaseBase;
    }
  }

  private final Link two = new Link(2, "two");
  private final Link three = new Link(3, "three");

  private void decided(int version, Integer... isr) {
    tracker.decided(List.of(1, 2, 3), List.of(isr), 2, version, now);
  }

  private void fetched(Link link, long offset) {
    link.lastFetch = now;
    tracker.fetched(link, offset, true, now);
  }

  private void after(long seconds) {
    now += TimeUnit.SECONDS.toNanos(seconds);
  }

  private static Decision decision(
      @Nullable ErrorCode refusal, int leader, int epoch, int version, Integer... isr) {
    return new Decision(
        refusal == null ? null : new SluiceException(refusal, "no"),
        new BucketState(leader, epoch, List.of(1, 2, 3), List.of(isr), version, 2));
  }

  private static List<Integer> servers(Proposal proposal) {
    return proposal.members().stream().map(Member::serverId).toList();
  }

  private Proposal proposal() {
    Proposal proposal = tracker.propose(now);
    assertThat(proposal).isNotNull();
    return proposal;
  }

  @Test
  void committedIsTheSmallestLogEndOfThoseInSyncOnceAllHaveFetched() {
    decided(0, 1, 2, 3);
    tracker.appended(120);
    fetched(two, 120);
    assertThat(tracker.committed()).isEqualTo(90);
    fetched(three, 110);
    assertThat(tracker.committed()).isEqualTo(110);
    fetched(three, 120);
    assertThat(tracker.committed()).isEqualTo(120);
  }

  @Test
  void committedNeverGoesDown() {
    decided(0, 1, 2, 3);
    fetched(two, 100);
    fetched(three, 100);
    assertThat(tracker.committed()).isEqualTo(100);
    fetched(three, 40);
    assertThat(tracker.committed()).isEqualTo(100);
  }

  @Test
  void committedIsNeverBeyondTheLog() {
    assertThat(new IsrTracker(1, 5, 100, 130, LAG).committed()).isEqualTo(100);
  }

  @Test
  void nothingIsCommittedWithFewerInSyncThanDemanded() {
    decided(0, 1);
    tracker.appended(120);
    assertThat(tracker.hasMinInsync()).isFalse();
    assertThat(tracker.committed()).isEqualTo(90);
    tracker.decided(List.of(1), List.of(1), 1, 1, now);
    assertThat(tracker.hasMinInsync()).isTrue();
    assertThat(tracker.committed()).isEqualTo(120);
  }

  @Test
  void aFollowerIsProposedAtCommittedAndEpochStartWithTheProcessThatFetches() {
    decided(0, 1, 2);
    fetched(two, 100);
    fetched(three, 99);
    assertThat(tracker.propose(now)).isNull();
    fetched(three, 100);
    assertThat(proposal())
        .isEqualTo(
            new Proposal(
                5, 0, List.of(new Member(1, ""), new Member(2, ""), new Member(3, "three"))));
    assertThat(tracker.propose(now)).isNull();
  }

  @Test
  void aFollowerThatCouldNotLeadIsNotProposed() {
    decided(0, 1, 2);
    three.lastFetch = now;
    tracker.fetched(three, 100, false, now);
    assertThat(tracker.propose(now)).isNull();
  }

  @Test
  void aFollowerOfWhichTheStreamIsOverIsNotProposed() {
    decided(0, 1, 2);
    fetched(three, 100);
    tracker.left(three);
    assertThat(tracker.propose(now)).isNull();
  }

  @Test
  void proposedAdditionsCountUntilTheOutcomeIsKnown() {
    decided(0, 1, 2);
    fetched(two, 100);
    fetched(three, 100);
    proposal();
    tracker.appended(120);
    fetched(two, 120);
    assertThat(tracker.committed()).isEqualTo(100);
    fetched(three, 115);
    assertThat(tracker.committed()).isEqualTo(115);
  }

  @Test
  void aRemovalCountsOnlyOnceTheCoordinatorHasAnswered() {
    decided(0, 1, 2, 3);
    fetched(two, 100);
    fetched(three, 100);
    tracker.appended(120);
    for (int second = 0; second < 12; second++) {
      after(1);
      fetched(two, 120);
    }
    Proposal proposal = proposal();
    assertThat(servers(proposal)).containsExactly(1, 2);
    assertThat(tracker.committed()).isEqualTo(100);
    tracker.answered(proposal, decision(null, 1, 5, 1, 1, 2), now);
    assertThat(tracker.committed()).isEqualTo(120);
  }

  /** The answer to the first copy was lost: the set has changed, and that comes first. */
  @Test
  void aRefusalThatSaysThatAnEarlierCopyWasAcceptedDoesNotUncountTheAddition() {
    decided(0, 1, 2);
    fetched(two, 100);
    fetched(three, 100);
    Proposal proposal = proposal();
    tracker.appended(120);
    fetched(two, 120);
    tracker.answered(proposal, decision(ErrorCode.STALE_ISR, 1, 5, 1, 1, 2, 3), now);
    assertThat(tracker.committed()).isEqualTo(100);
    assertThat(tracker.isr()).containsExactly(1, 2, 3);
  }

  @Test
  void aRefusedAdditionCountsUntilTheVersionGrowsAndTheSameSetIsAskedForThat() {
    decided(0, 1, 2);
    fetched(two, 100);
    fetched(three, 100);
    Proposal proposal = proposal();
    tracker.answered(proposal, decision(ErrorCode.STALE_INCARNATION, 1, 5, 0, 1, 2), now);
    tracker.appended(120);
    fetched(two, 120);
    assertThat(tracker.committed()).isEqualTo(100);
    two.leaseBase = now;
    assertThat(tracker.hasLease(now, LEASE)).isFalse();

    Proposal same = proposal();
    assertThat(servers(same)).containsExactly(1, 2);
    tracker.answered(same, decision(null, 1, 5, 1, 1, 2), now);
    assertThat(tracker.committed()).isEqualTo(120);
    assertThat(tracker.hasLease(now, LEASE)).isTrue();
    assertThat(tracker.propose(now)).isNull();

    after(2);
    fetched(two, 120);
    fetched(three, 120);
    assertThat(servers(proposal())).containsExactly(1, 2, 3);
  }

  @Test
  void whoWasRefusedIsProposedOneByOne() {
    tracker.decided(List.of(1, 2, 3, 4), List.of(1, 2), 2, 0, now);
    Link four = new Link(4, "four");
    fetched(three, 100);
    fetched(four, 100);
    Proposal both = proposal();
    assertThat(servers(both)).containsExactly(1, 2, 3, 4);
    tracker.answered(both, decision(ErrorCode.STALE_INCARNATION, 1, 5, 0, 1, 2), now);
    Proposal same = proposal();
    tracker.answered(
        same,
        new Decision(null, new BucketState(1, 5, List.of(1, 2, 3, 4), List.of(1, 2), 1, 2)),
        now);
    after(2);
    fetched(three, 100);
    fetched(four, 100);
    assertThat(servers(proposal())).hasSize(3);
  }

  @Test
  void whatTheCoordinatorSaysOfAnotherEpochChangesNothing() {
    decided(0, 1, 2);
    fetched(two, 100);
    fetched(three, 100);
    Proposal proposal = proposal();
    tracker.appended(120);
    fetched(two, 120);
    tracker.answered(proposal, decision(ErrorCode.FENCED_LEADER_EPOCH, 2, 6, 7, 2), now);
    assertThat(tracker.isr()).containsExactly(1, 2);
    assertThat(tracker.committed()).isEqualTo(100);
    assertThat(tracker.propose(now)).isNull();
  }

  @Test
  void anOlderDecisionChangesNothing() {
    decided(3, 1, 2);
    decided(2, 1, 2, 3);
    decided(3, 1, 2, 3);
    assertThat(tracker.isr()).containsExactly(1, 2);
  }

  @Test
  void aNewLeaderGivesEveryoneTheWholeTime() {
    decided(0, 1, 2, 3);
    after(10);
    assertThat(tracker.propose(now)).isNull();
    after(1);
    assertThat(servers(proposal())).containsExactly(1);
  }

  /** Nobody names an idle bucket in a fetch; the stream goes on. */
  @Test
  void idleFollowersStayInSyncAndAreNotTakenForLateWhenTheLogGrows() {
    decided(0, 1, 2, 3);
    fetched(two, 100);
    fetched(three, 100);
    after(3600);
    two.lastFetch = now;
    three.lastFetch = now;
    assertThat(tracker.propose(now)).isNull();
    tracker.appended(120);
    assertThat(tracker.propose(now)).isNull();
    after(11);
    assertThat(servers(proposal())).containsExactly(1);
  }

  /** Under steady writes a fetch never finds the newest end. */
  @Test
  void aFollowerThatReachesTheEndOfItsLastFetchIsInSync() {
    decided(0, 1, 2, 3);
    long end = 100;
    for (int second = 0; second < 60; second++) {
      fetched(two, end);
      fetched(three, end);
      end = end + 10;
      tracker.appended(end);
      tracker.appended(end + 5);
      end += 5;
      after(1);
      fetched(two, end - 5);
      fetched(three, end - 5);
      assertThat(tracker.propose(now)).isNull();
    }
  }

  @Test
  void aFollowerThatFallsBehindMoreAndMoreLeaves() {
    decided(0, 1, 2, 3);
    long end = 100;
    for (int second = 0; second < 12; second++) {
      end += 100;
      tracker.appended(end);
      fetched(two, end);
      fetched(three, 100 + second * 10L);
      after(1);
    }
    assertThat(servers(proposal())).containsExactly(1, 2);
  }

  @Test
  void aLeaseNeedsThePromiseOfEveryoneWhoMayBeInSync() {
    decided(0, 1, 2);
    assertThat(tracker.hasLease(now, LEASE)).isFalse();
    fetched(two, 100);
    assertThat(tracker.hasLease(now, LEASE)).isFalse();
    two.leaseBase = now;
    assertThat(tracker.hasLease(now, LEASE)).isTrue();
    assertThat(tracker.hasLease(now + LEASE - 1, LEASE)).isTrue();
    assertThat(tracker.hasLease(now + LEASE, LEASE)).isFalse();

    fetched(three, 100);
    proposal();
    assertThat(tracker.hasLease(now, LEASE)).isFalse();
    three.leaseBase = now;
    assertThat(tracker.hasLease(now, LEASE)).isTrue();
  }

  @Test
  void aLeaseEndsWithTheStream() {
    decided(0, 1, 2);
    fetched(two, 100);
    two.leaseBase = now;
    tracker.left(two);
    assertThat(tracker.hasLease(now, LEASE)).isFalse();
  }

  @Test
  void theOnlyOneInSyncNeedsNoPromise() {
    decided(0, 1);
    assertThat(tracker.hasLease(now, LEASE)).isTrue();
  }

  @Test
  void theEndOfAnOldStreamDoesNotEndTheNewOne() {
    decided(0, 1, 2);
    fetched(two, 100);
    Link again = new Link(2, "two again");
    again.leaseBase = now;
    fetched(again, 100);
    tracker.left(two);
    assertThat(tracker.hasLease(now, LEASE)).isTrue();
  }

  @Test
  void afterMissedDecisionsOneIsProposedOnlyWhenItFetchesOn() {
    decided(0, 1, 2);
    fetched(two, 100);
    fetched(three, 100);
    decided(2, 1, 2);
    assertThat(tracker.propose(now)).isNull();
    after(10);
    two.lastFetch = now;
    now++;
    assertThat(tracker.propose(now)).isNull();
    three.lastFetch = now;
    assertThat(servers(proposal())).containsExactly(1, 2, 3);
  }

  @Test
  void afterMissedDecisionsANewStreamIsBelieved() {
    decided(0, 1, 2);
    fetched(two, 100);
    fetched(three, 100);
    decided(2, 1, 2);
    fetched(new Link(3, "three"), 100);
    assertThat(servers(proposal())).containsExactly(1, 2, 3);
  }

  @Test
  void whoIsNoReplicaDoesNotCount() {
    tracker.decided(List.of(1, 2), List.of(1, 2), 2, 0, now);
    fetched(three, 100);
    assertThat(tracker.followerEnd(3)).isEqualTo(-1);
    assertThat(tracker.propose(now)).isNull();
  }
}
