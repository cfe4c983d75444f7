package io.sluice.coordinator.metadata;

import static io.sluice.coordinator.metadata.Fixtures.apply;
import static io.sluice.coordinator.metadata.Fixtures.createTable;
import static io.sluice.coordinator.metadata.Fixtures.register;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.TableBucket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplicaTransitionsTest {
  private static final TableBucket B = TableBucket.of(1, 0);

  /** Servers 1 to 5, one bucket on 1, 2 and 3, all in sync, led by 1 in epoch 1. */
  private static final ClusterState STATE =
      apply(
          ClusterState.EMPTY,
          new Command.CreateDatabase("demo", "", 1),
          register(1, "a"),
          register(2, "b"),
          register(3, "c"),
          register(4, "d"),
          register(5, "e"),
          createTable("t", List.of(List.of(1, 2, 3))));

  @Test
  void aLeaderShrinksAndExtendsItsSet() {
    ClusterState state = accepted(STATE, isr(1, 1, 0, 1, 2));
    assertThat(bucket(state)).isEqualTo(new Bucket(0, 0, List.of(1, 2, 3), 1, 1, List.of(1, 2), 1));
    Transition back =
        Transitions.apply(
            state,
            new Command.AlterIsr(
                1,
                List.of(
                    new Command.IsrChange(
                        B, 1, 1, List.of(member(3, "c"), member(1, ""), member(2, ""))))));
    assertThat(bucket(back.state()).isr()).containsExactly(1, 2, 3);
    assertThat(bucket(back.state()).isrVersion()).isEqualTo(2);
    assertThat(back.events())
        .containsExactly(
            new Event.BucketsChanged(List.of(B)), new Event.ReplicationChanged(0, 0, 1, 0));
  }

  @Test
  void aSetThatIsTheCurrentOneIsANewVersion() {
    ClusterState state = accepted(STATE, isr(1, 1, 0, 1, 2, 3));
    assertThat(bucket(state).isrVersion()).isEqualTo(1);
    assertThat(bucket(state).isr()).containsExactly(1, 2, 3);
  }

  @Test
  void changesAreRefusedByEpochVersionIncarnationAndShape() {
    assertRefused(STATE, isr(2, 1, 0, 2), ErrorCode.FENCED_LEADER_EPOCH, "server 1 does in epoch");
    assertRefused(STATE, isr(1, 2, 0, 1), ErrorCode.FENCED_LEADER_EPOCH, "in epoch 2: server 1");
    assertRefused(STATE, isr(1, 1, 7, 1), ErrorCode.STALE_ISR, "at version 0");
    assertRefused(STATE, isr(1, 1, 0, 2, 3), ErrorCode.INVALID_ARGUMENT, "its leader 1 among");
    assertRefused(STATE, isr(1, 1, 0, 1, 4), ErrorCode.INVALID_ARGUMENT, "replicas [1, 2, 3]");
    assertRefused(STATE, isr(1, 1, 0, 1, 1), ErrorCode.INVALID_ARGUMENT, "[1, 1]");
    ClusterState two = accepted(STATE, isr(1, 1, 0, 1, 2));
    assertRefused(two, isr(1, 1, 1, 1, 2, 3), ErrorCode.STALE_INCARNATION, "Server 3 is not alive");
    Command.AlterIsr elsewhere =
        new Command.AlterIsr(
            1, List.of(new Command.IsrChange(TableBucket.of(9, 0), 1, 0, List.of(member(1, "a")))));
    assertRefused(STATE, elsewhere, ErrorCode.BUCKET_NOT_FOUND, "no bucket 9-0");
  }

  @Test
  void anIncarnationThatHasRegisteredAgainOrDiedDoesNotComeIn() {
    ClusterState two = accepted(STATE, isr(1, 1, 0, 1, 2));
    Command old =
        new Command.AlterIsr(
            1, List.of(new Command.IsrChange(B, 1, 1, List.of(member(1, ""), member(3, "c")))));
    ClusterState restarted = apply(two, register(3, "c2"));
    assertRefused(restarted, old, ErrorCode.STALE_INCARNATION, "incarnation c");
    ClusterState dead = apply(two, new Command.EndSession(3, "c"));
    assertRefused(dead, old, ErrorCode.STALE_INCARNATION, "Server 3");
    assertThat(bucket(accepted(two, old)).isr()).containsExactly(1, 3);
  }

  @Test
  void eachChangeOfOneCommandIsDecidedForItself() {
    Command.AlterIsr three =
        new Command.AlterIsr(
            1,
            List.of(
                new Command.IsrChange(B, 1, 0, List.of(member(1, ""))),
                new Command.IsrChange(B, 1, 0, List.of(member(1, ""), member(2, ""))),
                new Command.IsrChange(B, 1, 1, List.of(member(1, ""), member(2, "b")))));
    Transition transition = Transitions.apply(STATE, three);
    assertThat(decisions(transition))
        .extracting(Outcome.Decision::refusal)
        .containsExactly(null, ErrorCode.STALE_ISR, null);
    assertThat(bucket(transition.state()).isr()).containsExactly(1, 2);
    assertThat(transition.events()).contains(new Event.BucketsChanged(List.of(B)));
  }

  @Test
  void aMoveIsOverInTheStepThatTakesItsLastServerIntoTheSet() {
    ClusterState moving = accepted(STATE, reassign(4, 2));
    assertThat(bucket(moving))
        .isEqualTo(
            new Bucket(
                0, 0, List.of(1, 2, 3, 4), 1, 1, List.of(1, 2, 3), 1, List.of(4, 2), List.of(4)));
    assertThat(bucket(moving).minInsync()).isEqualTo(2);
    Transition done =
        Transitions.apply(
            moving,
            new Command.AlterIsr(
                1,
                List.of(
                    new Command.IsrChange(
                        B,
                        1,
                        1,
                        List.of(member(1, ""), member(2, ""), member(3, ""), member(4, "d"))))));
    assertThat(bucket(done.state()))
        .isEqualTo(new Bucket(0, 0, List.of(4, 2), 4, 2, List.of(4, 2), 3));
    assertThat(done.events())
        .contains(new Event.ReplicasMoved(B, List.of(), List.of(1, 3)))
        .contains(new Event.ReplicationChanged(1, 1, 0, 1));
  }

  @Test
  void moreReplicasWaitForTheNewOnesAndFewerGoAtOnce() {
    ClusterState more = accepted(STATE, reassign(1, 2, 3, 4, 5));
    assertThat(bucket(more).adding()).containsExactly(4, 5);
    assertThat(bucket(more).moving()).isTrue();
    Transition one = Transitions.apply(STATE, reassign(2));
    assertThat(bucket(one.state())).isEqualTo(new Bucket(0, 0, List.of(2), 2, 2, List.of(2), 2));
    assertThat(one.events()).contains(new Event.ReplicasMoved(B, List.of(), List.of(1, 3)));
    ClusterState back = accepted(one.state(), reassign(2, 4));
    assertThat(bucket(back).minInsync()).as("the smaller of 1 and 2").isEqualTo(1);
  }

  @Test
  void aNewOrderTakesEffectAtOnceWithoutAnElection() {
    ClusterState shrunk = accepted(STATE, isr(1, 1, 0, 1));
    ClusterState state = accepted(shrunk, reassign(3, 2, 1));
    assertThat(bucket(state).replicas()).containsExactly(3, 2, 1);
    assertThat(bucket(state).moving()).isFalse();
    assertThat(bucket(state).leader()).isEqualTo(1);
    assertThat(bucket(state).leaderEpoch()).isEqualTo(1);
  }

  @Test
  void aMoveGoesOnlyToServersThatTakeReplicas() {
    assertRefused(STATE, reassign(1, 9), ErrorCode.NOT_ENOUGH_SERVERS, "server 9");
    assertRefused(STATE, reassign(), ErrorCode.INVALID_ARGUMENT, "at least one server");
    assertRefused(STATE, reassign(1, 1), ErrorCode.INVALID_ARGUMENT, "each once");
    ClusterState draining = apply(STATE, new Command.SetServerState(4, ServerState.DRAINING));
    assertRefused(draining, reassign(1, 4), ErrorCode.NOT_ENOUGH_SERVERS, "server 4");
    ClusterState leaving = apply(STATE, new Command.Leaving(4, "d"));
    assertRefused(leaving, reassign(1, 4), ErrorCode.NOT_ENOUGH_SERVERS, "server 4");
    assertThat(Transitions.apply(STATE, reassign(1, 2, 3)).events()).as("it is there").isEmpty();
  }

  @Test
  void aCancelledMoveLeavesTheReplicasOfBefore() {
    ClusterState moving = accepted(STATE, reassign(4, 5));
    ClusterState partly =
        accepted(
            moving,
            new Command.AlterIsr(
                1,
                List.of(new Command.IsrChange(B, 1, 1, List.of(member(1, ""), member(4, "d"))))));
    Transition cancelled =
        Transitions.apply(partly, new Command.CancelReassign(List.of(B, TableBucket.of(1, 5))));
    assertThat(decisions(cancelled).get(1).refusal()).isEqualTo(ErrorCode.BUCKET_NOT_FOUND);
    assertThat(bucket(cancelled.state()).replicas()).containsExactly(1, 2, 3);
    assertThat(bucket(cancelled.state()).isr()).containsExactly(1);
    assertThat(bucket(cancelled.state()).moving()).isFalse();
    assertThat(cancelled.events()).contains(new Event.ReplicasMoved(B, List.of(), List.of(4, 5)));
    assertThat(
            Transitions.apply(cancelled.state(), new Command.CancelReassign(List.of(B))).events())
        .isEmpty();
  }

  @Test
  void aMoveIsNotGivenUpWhenOnlyItsNewServersAreInSync() {
    ClusterState moving = accepted(STATE, reassign(4, 5));
    ClusterState onFour =
        apply(
            accepted(
                moving,
                new Command.AlterIsr(
                    1,
                    List.of(
                        new Command.IsrChange(B, 1, 1, List.of(member(1, ""), member(4, "d")))))),
            new Command.EndSession(1, "a"));
    assertThat(bucket(onFour).leader()).isEqualTo(4);
    Command cancel = new Command.CancelReassign(List.of(B));
    assertRefused(onFour, cancel, ErrorCode.NOT_ENOUGH_REPLICAS, "only server 4");
    assertRefused(onFour, reassign(5), ErrorCode.NOT_ENOUGH_REPLICAS, "only server 4");
    ClusterState other = accepted(onFour, reassign(4, 2));
    assertThat(bucket(other).replicas()).containsExactly(1, 2, 3, 4);
  }

  @Test
  void anotherTargetReplacesAMoveUnderWay() {
    ClusterState moving = accepted(STATE, reassign(4, 2));
    Transition other = Transitions.apply(moving, reassign(5, 2));
    assertThat(bucket(other.state()).replicas()).containsExactly(1, 2, 3, 5);
    assertThat(bucket(other.state()).target()).containsExactly(5, 2);
    assertThat(other.events()).contains(new Event.ReplicasMoved(B, List.of(5), List.of(4)));
    Transition home = Transitions.apply(other.state(), reassign(1, 2, 3));
    assertThat(bucket(home.state()).replicas()).containsExactly(1, 2, 3);
    assertThat(bucket(home.state()).moving()).isFalse();
  }

  @Test
  void offlineReplicasLeaveTheSetWhereAnotherHasTheData() {
    ClusterState state = accepted(STATE, new Command.ReplicasOffline(2, "b", List.of(B)));
    assertThat(bucket(state).isr()).containsExactly(1, 3);
    assertThat(bucket(state).leaderEpoch()).isEqualTo(1);
    state = accepted(state, new Command.ReplicasOffline(1, "a", List.of(B)));
    assertThat(bucket(state)).isEqualTo(new Bucket(0, 0, List.of(1, 2, 3), 3, 2, List.of(3), 2));
    Transition last = Transitions.apply(state, new Command.ReplicasOffline(3, "c", List.of(B)));
    assertThat(last.state()).isEqualTo(state);
    Transition late = Transitions.apply(STATE, new Command.ReplicasOffline(1, "old", List.of(B)));
    assertThat(late.state()).isEqualTo(STATE);
  }

  @Test
  void thePreferredReplicaLeadsAgainWhenAsked() {
    ClusterState state = apply(STATE, register(1, "a2"));
    assertThat(bucket(state).leader()).as("another one was up already").isEqualTo(2);
    assertThat(bucket(state).isr()).containsExactly(1, 2, 3);
    ClusterState draining = apply(state, new Command.SetServerState(1, ServerState.DRAINING));
    Command elect = new Command.ElectPreferred(List.of(B));
    assertThat(Transitions.apply(draining, elect).events()).isEmpty();
    ClusterState back = accepted(state, elect);
    assertThat(bucket(back).leader()).isEqualTo(1);
    assertThat(bucket(back).leaderEpoch()).isEqualTo(3);
    assertThat(Transitions.apply(back, elect).events()).isEmpty();
  }

  @Test
  void anUncleanElectionIsExplicitAndAnAlarm() {
    ClusterState down =
        apply(
            accepted(STATE, isr(1, 1, 0, 1)),
            new Command.EndSession(1, "a"),
            new Command.EndSession(3, "c"));
    assertThat(bucket(down).hasLeader()).isFalse();
    assertRefused(
        down, new Command.ElectUnclean(B, 4), ErrorCode.INVALID_ARGUMENT, "no replica of bucket");
    assertRefused(
        down, new Command.ElectUnclean(B, 3), ErrorCode.NOT_ENOUGH_SERVERS, "3 is not alive");
    Transition elected = Transitions.apply(down, new Command.ElectUnclean(B, 2));
    assertThat(bucket(elected.state()))
        .isEqualTo(new Bucket(0, 0, List.of(1, 2, 3), 2, 3, List.of(2), 2));
    assertThat(elected.events()).contains(new Event.UncleanElection(B, 2, List.of(1)));
    ClusterState back = apply(elected.state(), register(1, "a"));
    assertThat(bucket(back).leader()).as("the old one is out of sync now").isEqualTo(2);
  }

  @Test
  void loadsCountWhatIsNotAsItShallBe() {
    ClusterState state = accepted(accepted(STATE, isr(1, 1, 0, 1)), reassign(4, 5, 1));
    ServerLoads loads = ServerLoads.of(state);
    assertThat(loads.underReplicated()).isEqualTo(1);
    assertThat(loads.underMinInsync()).isEqualTo(1);
    assertThat(loads.moving()).isEqualTo(1);
    assertThat(loads.replicas(4)).isEqualTo(1);
    assertThat(ServerLoads.of(STATE).underReplicated()).isZero();
    assertThat(ServerLoads.of(STATE).underMinInsync()).isZero();
  }

  @Test
  void aCommandNamesABoundedNumberOfBuckets() {
    List<TableBucket> many = new ArrayList<>();
    for (int i = 0; i <= Command.ForReplicas.MAX_BUCKETS; i++) {
      many.add(TableBucket.of(1, i));
    }
    assertThatThrownBy(() -> new Command.ElectPreferred(many)).hasMessageContaining("1001 buckets");
  }

  private static Command.IsrMember member(int server, String incarnation) {
    return new Command.IsrMember(server, incarnation);
  }

  /** Asks for members that are in the set, or are refused for another reason. */
  private static Command.AlterIsr isr(int server, int epoch, int version, int... members) {
    List<Command.IsrMember> all = new ArrayList<>();
    for (int member : members) {
      all.add(member(member, ""));
    }
    return new Command.AlterIsr(server, List.of(new Command.IsrChange(B, epoch, version, all)));
  }

  private static Command.Reassign reassign(Integer... target) {
    return new Command.Reassign(List.of(new Command.Move(B, List.of(target))));
  }

  private static Bucket bucket(ClusterState state) {
    return state.bucket(B);
  }

  private static List<Outcome.Decision> decisions(Transition transition) {
    return transition.outcome().orThrow().decisions();
  }

  private static ClusterState accepted(ClusterState state, Command command) {
    Transition transition = Transitions.apply(state, command);
    assertThat(decisions(transition)).allMatch(Outcome.Decision::accepted);
    return transition.state();
  }

  private static void assertRefused(
      ClusterState state, Command command, ErrorCode code, String message) {
    Transition transition = Transitions.apply(state, command);
    assertThat(transition.state()).isEqualTo(state);
    assertThat(transition.events()).isEmpty();
    assertThat(decisions(transition)).hasSize(1);
    assertThat(decisions(transition).get(0).refusal()).isEqualTo(code);
    assertThat(decisions(transition).get(0).message()).contains(message);
  }
}
