package io.sluice.coordinator.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.coordinator.metadata.TabletServer;
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

  private static Command inRack(int id, String rack) {
    return new Command.RegisterServer(
        new TabletServer.Registration(id, "127.0.0.1", 9223, 9280, rack, "i", "b", false), 1);
  }
}
