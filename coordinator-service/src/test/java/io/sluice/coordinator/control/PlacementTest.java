package io.sluice.coordinator.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.coordinator.metadata.ServerState;
import io.sluice.coordinator.metadata.TabletServer;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PlacementTest {
  @Test
  void replicasOfABucketGoToDifferentRacksFirst() {
    ClusterState state =
        Fixtures.apply(
            ClusterState.EMPTY, inRack(1, "x"), inRack(2, "x"), inRack(3, "y"), inRack(4, "y"));
    for (List<Integer> replicas : Placement.of(state).place(20, 2)) {
      assertThat(replicas).doesNotHaveDuplicates();
      assertThat(replicas.get(0) <= 2).isNotEqualTo(replicas.get(1) <= 2);
    }
  }

  @Test
  void leadersAndReplicasAreBalanced() {
    ClusterState state = ClusterState.EMPTY;
    for (int id = 1; id <= 5; id++) {
      state = Fixtures.apply(state, inRack(id, ""));
    }
    Map<Integer, Integer> leaders = new HashMap<>();
    Map<Integer, Integer> all = new HashMap<>();
    for (List<Integer> replicas : Placement.of(state).place(100, 3)) {
      leaders.merge(replicas.get(0), 1, Integer::sum);
      replicas.forEach(replica -> all.merge(replica, 1, Integer::sum));
    }
    assertThat(leaders.values()).allMatch(count -> count == 20);
    assertThat(all.values()).allMatch(count -> count == 60);
  }

  @Test
  void serversThatAreGoneGetNothing() {
    ClusterState state =
        Fixtures.apply(
            ClusterState.EMPTY, inRack(1, ""), inRack(2, ""), new Command.EndSession(1, "i"));
    assertThat(Placement.of(state).liveServers()).isEqualTo(1);
    assertThat(Placement.of(state).place(2, 1)).containsExactly(List.of(2), List.of(2));
  }

  @Test
  void serversThatLeaveOrDrainGetNothing() {
    ClusterState state =
        Fixtures.apply(
            ClusterState.EMPTY,
            inRack(1, ""),
            inRack(2, ""),
            inRack(3, ""),
            new Command.Leaving(1, "i"),
            new Command.SetServerState(2, ServerState.DRAINING));
    assertThat(Placement.of(state).liveServers()).isEqualTo(1);
    assertThat(Placement.of(state).place(1, 1)).containsExactly(List.of(3));
  }

  @Test
  void bytesOnTheDisksCountAsReplicasDo() {
    ClusterState state =
        Fixtures.apply(
            ClusterState.EMPTY,
            new Command.CreateDatabase("demo", "", 1),
            inRack(1, ""),
            inRack(2, ""),
            inRack(3, ""),
            Fixtures.createTable("t", Collections.nCopies(10, List.of(1, 2, 3))));
    long[] bytes = {0, 8_000, 1_000, 1_000};
    Map<Integer, Integer> all = new HashMap<>();
    for (List<Integer> replicas : Placement.of(state, serverId -> bytes[serverId]).place(30, 1)) {
      all.merge(replicas.get(0), 1, Integer::sum);
    }
    assertThat(all.getOrDefault(1, 0)).isLessThan(all.get(2));
    assertThat(Math.abs(all.get(2) - all.get(3))).isLessThanOrEqualTo(1);
  }

  @Test
  void aBucketKeepsItsReplicasWhenThereShallBeMoreOrFewer() {
    ClusterState state = ClusterState.EMPTY;
    for (int id = 1; id <= 4; id++) {
      state = Fixtures.apply(state, inRack(id, id <= 2 ? "x" : "y"));
    }
    Placement placement = Placement.of(state);
    assertThat(placement.resized(List.of(2, 1), 3)).containsExactly(2, 1, 3);
    assertThat(placement.resized(List.of(3, 1, 2), 2)).containsExactly(3, 1);
    ClusterState lame = Fixtures.apply(state, new Command.EndSession(3, "i"));
    assertThat(Placement.of(lame).resized(List.of(3, 1, 2), 2)).containsExactly(1, 2);
  }

  private static Command inRack(int id, String rack) {
    return new Command.RegisterServer(
        new TabletServer.Registration(id, "127.0.0.1", 9223, 9280, rack, "i", "b", false), 1);
  }
}
