package io.sluice.coordinator.metadata;

import static io.sluice.coordinator.metadata.Fixtures.apply;
import static io.sluice.coordinator.metadata.Fixtures.createTable;
import static io.sluice.coordinator.metadata.Fixtures.register;
import static io.sluice.coordinator.metadata.Fixtures.server;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.TableBucket;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServerTransitionsTest {
  private static final TableBucket SHARED = TableBucket.of(1, 0);
  private static final TableBucket ALONE = TableBucket.of(1, 1);

  /** Servers 1 to 3; bucket 0 on all of them and led by 1, bucket 1 on server 1 alone. */
  private static final ClusterState STATE =
      apply(
          ClusterState.EMPTY,
          new Command.CreateDatabase("demo", "", 1),
          register(1, "a"),
          register(2, "b"),
          register(3, "c"),
          createTable("t", List.of(List.of(1, 2, 3), List.of(1))));

  @Test
  void aLeavingServerHandsOverWhatAnotherCanLead() {
    Transition leaving = Transitions.apply(STATE, new Command.Leaving(1, "a"));
    assertThat(leaving.state().bucket(SHARED))
        .isEqualTo(new Bucket(0, 0, List.of(1, 2, 3), 2, 2, List.of(1, 2, 3), 0));
    assertThat(leaving.state().bucket(ALONE).leader()).isEqualTo(1);
    assertThat(leaving.events()).contains(new Event.BucketsChanged(List.of(SHARED)));
    assertThat(Transitions.apply(leaving.state(), new Command.Leaving(1, "a")).events()).isEmpty();
    assertThat(Transitions.apply(STATE, new Command.Leaving(1, "old")).state()).isSameAs(STATE);
  }

  @Test
  void aLeavingServerIsElectedOnlyAsTheLast() {
    ClusterState leaving = apply(STATE, new Command.Leaving(1, "a"));
    ClusterState twoDied = apply(leaving, new Command.EndSession(2, "b"));
    assertThat(twoDied.bucket(SHARED).leader()).isEqualTo(3);
    ClusterState allLeave = apply(twoDied, new Command.Leaving(3, "c"));
    assertThat(allLeave.bucket(SHARED).leader()).as("nobody else would stay").isEqualTo(3);
    ClusterState threeDied = apply(twoDied, new Command.EndSession(3, "c"));
    assertThat(threeDied.bucket(SHARED).leader()).isEqualTo(1);
    ClusterState again = apply(leaving, register(1, "a"));
    assertThat(again.servers().get(1).leaving()).as("it is the same process").isTrue();
    ClusterState restarted = apply(leaving, new Command.EndSession(1, "a"), register(1, "a2"));
    assertThat(restarted.servers().get(1).leaving()).isFalse();
  }

  @Test
  void aServerThatLeavesAndSaysItAgainHandsOverToWhoCameInSyncMeanwhile() {
    Command leaving = new Command.Leaving(1, "a");
    ClusterState alone =
        apply(
            STATE,
            new Command.EndSession(2, "b"),
            new Command.EndSession(3, "c"),
            leaving,
            register(2, "b2"));
    assertThat(alone.bucket(SHARED).leader()).isEqualTo(1);
    ClusterState joined =
        apply(
            alone,
            new Command.AlterIsr(
                1,
                List.of(
                    new Command.IsrChange(
                        SHARED,
                        1,
                        2,
                        List.of(new Command.IsrMember(1, ""), new Command.IsrMember(2, "b2"))))));
    assertThat(joined.bucket(SHARED).leader()).isEqualTo(1);
    assertThat(apply(joined, leaving).bucket(SHARED).leader()).isEqualTo(2);
  }

  @Test
  void aRestartedLeaderLeadsAgainOnlyWhereNobodyElseWouldStay() {
    assertThat(apply(STATE, register(1, "a2")).bucket(SHARED).leader()).isEqualTo(2);
    ClusterState othersLeave =
        apply(STATE, new Command.Leaving(2, "b"), new Command.Leaving(3, "c"), register(1, "a2"));
    assertThat(othersLeave.bucket(SHARED).leader()).isEqualTo(1);
    assertThat(othersLeave.bucket(SHARED).leaderEpoch()).isEqualTo(2);
  }

  @Test
  void aDrainingServerIsElectedAfterOthers() {
    ClusterState draining = apply(STATE, new Command.SetServerState(2, ServerState.DRAINING));
    ClusterState died = apply(draining, new Command.EndSession(1, "a"));
    assertThat(died.bucket(SHARED).leader()).isEqualTo(3);
    ClusterState lastDied = apply(died, new Command.EndSession(3, "c"));
    assertThat(lastDied.bucket(SHARED).leader()).isEqualTo(2);
    ClusterState back = apply(draining, register(2, "b2"));
    assertThat(back.servers().get(2).state())
        .as("a restart does not end it")
        .isEqualTo(ServerState.DRAINING);
  }

  @Test
  void aServerIsDecommissionedWhenItHoldsNothingAndForgottenWhenItIsDead() {
    Command decommission = new Command.SetServerState(3, ServerState.DECOMMISSIONED);
    Transition refused = Transitions.apply(STATE, decommission);
    assertThat(refused.outcome())
        .isEqualTo(
            new Outcome.Rejected(
                ErrorCode.INVALID_ARGUMENT,
                "Tablet server 3 still holds 1 replica; drain it first, it can be decommissioned"
                    + " when it holds none"));
    ClusterState empty =
        apply(
            STATE,
            new Command.SetServerState(3, ServerState.DRAINING),
            new Command.Reassign(List.of(new Command.Move(SHARED, List.of(1, 2)))),
            decommission);
    assertThat(empty.servers().get(3).state()).isEqualTo(ServerState.DECOMMISSIONED);
    assertThat(empty.takesReplicas(3)).isFalse();
    ClusterState dead = apply(empty, new Command.EndSession(3, "c"));
    assertThat(dead.servers().containsKey(3)).isTrue();
    ClusterState gone = apply(dead, decommission);
    assertThat(gone.servers().containsKey(3)).isFalse();
    assertThat(Transitions.apply(gone, decommission).outcome())
        .isEqualTo(
            new Outcome.Rejected(
                ErrorCode.NOT_FOUND,
                "There is no tablet server with id 3; those that have registered are [1, 2]"));
  }

  @Test
  void anEmptyDiskCountsAsAPowerLoss() {
    Transition back =
        Transitions.apply(
            STATE, new Command.RegisterServer(server(1, "a2", "boot-1", false), 9, true));
    assertThat(back.state().bucket(SHARED))
        .isEqualTo(new Bucket(0, 0, List.of(1, 2, 3), 2, 2, List.of(2, 3), 1));
    assertThat(back.state().bucket(ALONE).leader()).isEqualTo(1);
    assertThat(back.events()).contains(new Event.DataMaybeLost(1, List.of(ALONE)));
    Transition first =
        Transitions.apply(
            STATE, new Command.RegisterServer(server(4, "d", "boot-1", false), 9, true));
    assertThat(first.events()).containsExactly(new Event.ServerRegistered(4, "d"));
  }

  @Test
  void theLastInSyncComingBackWithAnEmptyDiskLeadsOnlyAfterAnExplicitCall() {
    ClusterState down =
        apply(
            STATE,
            new Command.EndSession(2, "b"),
            new Command.EndSession(3, "c"),
            new Command.EndSession(1, "a"));
    Transition back =
        Transitions.apply(
            down, new Command.RegisterServer(server(1, "a2", "boot-1", false), 9, true));
    assertThat(back.events()).contains(new Event.DataMaybeLost(1, List.of(SHARED, ALONE)));
    Bucket stranded = back.state().bucket(SHARED);
    assertThat(stranded.stranded()).isTrue();
    assertThat(stranded.hasLeader()).isFalse();
    assertThat(stranded.isr()).containsExactly(1);
    ClusterState others =
        apply(
            back.state(),
            register(2, "b2"),
            register(1, "a3"),
            new Command.ElectPreferred(List.of(SHARED)),
            new Command.EndSession(1, "a3"),
            register(1, "a4"));
    assertThat(others.bucket(SHARED)).as("nobody is elected by itself").isEqualTo(stranded);
    Bucket elected = apply(others, new Command.ElectUnclean(SHARED, 2)).bucket(SHARED);
    assertThat(elected.leader()).isEqualTo(2);
    assertThat(elected.stranded()).isFalse();
    ClusterState running =
        apply(STATE, new Command.EndSession(2, "b"), new Command.EndSession(3, "c"));
    Bucket replaced =
        apply(running, new Command.RegisterServer(server(1, "a2", "boot-1", false), 9, true))
            .bucket(SHARED);
    assertThat(replaced.hasLeader()).isFalse();
    assertThat(replaced.leaderEpoch()).isEqualTo(2);
  }

  @Test
  void aPowerLossEverywhereElectsOnlyTheLastMember() {
    ClusterState oneLeft =
        apply(STATE, new Command.EndSession(2, "b"), new Command.EndSession(3, "c"));
    assertThat(oneLeft.bucket(SHARED).isr()).containsExactly(1);
    ClusterState down = apply(oneLeft, new Command.EndSession(1, "a"));
    ClusterState others =
        apply(
            down,
            new Command.RegisterServer(server(2, "b2", "boot-2", false), 9),
            new Command.RegisterServer(server(3, "c2", "boot-2", false), 9));
    assertThat(others.bucket(SHARED).hasLeader()).isFalse();
    Transition last =
        Transitions.apply(others, new Command.RegisterServer(server(1, "a2", "boot-2", false), 9));
    assertThat(last.state().bucket(SHARED).leader()).isEqualTo(1);
    assertThat(last.events()).contains(new Event.DataMaybeLost(1, List.of(SHARED, ALONE)));
  }
}
