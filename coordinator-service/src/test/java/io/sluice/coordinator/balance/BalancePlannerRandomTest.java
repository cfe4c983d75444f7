package io.sluice.coordinator.balance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.coordinator.metadata.PersistentMap;
import io.sluice.coordinator.metadata.ServerState;
import io.sluice.coordinator.metadata.Table;
import io.sluice.coordinator.metadata.TabletServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BalancePlannerRandomTest {
  private static final int SEEDS = 200;

  static IntStream seeds() {
    return IntStream.range(0, SEEDS);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void aPlanIsAllowedAndCarriedOutLeavesNothingToPlan(int seed) {
    Random random = new Random(seed);
    ClusterState before = cluster(random);
    Map<Integer, Long> bytes = new HashMap<>();
    if (random.nextBoolean()) {
      // As many bytes as replicas, give or take: they can be levelled by moving replicas.
      Map<Integer, Integer> held = held(before, false);
      before
          .servers()
          .forEach(entry -> bytes.put(entry.key(), 1_000_000L * held.getOrDefault(entry.key(), 0)));
    }
    List<BalancePlanner.Step> plan =
        BalancePlanner.plan(before, server -> bytes.getOrDefault(server, 0L));
    Set<Object> planned = new HashSet<>();
    for (BalancePlanner.Step step : plan) {
      assertThat(planned.add(step.bucket())).as("%s is in the plan once", step).isTrue();
      check(before, step);
    }
    ClusterState after = carriedOut(before, plan);
    after
        .tables()
        .forEach(entry -> entry.value().buckets().forEach(bucket -> checkPlaced(after, bucket)));
    Map<Integer, Long> moved = new HashMap<>();
    held(after, false).forEach((server, count) -> moved.put(server, 1_000_000L * count));
    assertThat(
            BalancePlanner.plan(
                after, server -> bytes.isEmpty() ? 0 : moved.getOrDefault(server, 0L)))
        .isEmpty();
  }

  /** Up to nine servers in up to three racks, some of them dead, leaving or draining. */
  private static ClusterState cluster(Random random) {
    int servers = 3 + random.nextInt(7);
    int racks = random.nextInt(4);
    ClusterState state =
        Fixtures.apply(ClusterState.EMPTY, new Command.CreateDatabase("demo", "", 1));
    for (int id = 1; id <= servers; id++) {
      state = Fixtures.apply(state, server(id, racks == 0 ? "" : "r" + id % racks));
    }
    int tables = 1 + random.nextInt(4);
    for (int t = 0; t < tables; t++) {
      int factor = 1 + random.nextInt(3);
      int holders = factor + random.nextInt(servers - factor + 1);
      List<List<Integer>> placement = new ArrayList<>();
      for (int b = 1 + random.nextInt(30); b > 0; b--) {
        List<Integer> all = new ArrayList<>(IntStream.rangeClosed(1, holders).boxed().toList());
        Collections.shuffle(all, random);
        placement.add(all.subList(0, factor));
      }
      state = Fixtures.apply(state, Fixtures.createTable("t" + t, placement));
    }
    int away = 1 + random.nextInt(servers);
    return switch (random.nextInt(4)) {
      case 0 -> Fixtures.apply(state, new Command.SetServerState(away, ServerState.DRAINING));
      case 1 -> Fixtures.apply(state, new Command.EndSession(away, "i"));
      case 2 -> Fixtures.apply(state, new Command.Leaving(away, "i"));
      default -> state;
    };
  }

  private static Command server(int id, String rack) {
    return new Command.RegisterServer(
        new TabletServer.Registration(
            id, "127.0.0.1", 9000 + id, 9100 + id, rack, "i", "boot", false),
        1);
  }

  private static void check(ClusterState state, BalancePlanner.Step step) {
    assertThat(step.to()).as("%s", step).doesNotHaveDuplicates().hasSameSizeAs(step.from());
    assertThat(step.from()).isEqualTo(state.bucket(step.bucket()).replicas());
    assertThat(step.copiesTo()).allMatch(state::takesReplicas);
    assertThat(racks(state, step.to()))
        .as("%s", step)
        .isGreaterThanOrEqualTo(Math.min(racks(state, step.from()), racks(state, takers(state))));
  }

  /** Nothing is on a draining server when the others are enough for it. */
  private static void checkPlaced(ClusterState state, Bucket bucket) {
    if (takers(state).size() >= bucket.replicas().size()) {
      assertThat(bucket.replicas())
          .allMatch(server -> state.servers().get(server).state() == ServerState.ACTIVE);
    }
  }

  private static List<Integer> takers(ClusterState state) {
    List<Integer> takers = new ArrayList<>();
    state
        .servers()
        .forEach(
            entry -> {
              if (entry.value().takesReplicas()) {
                takers.add(entry.key());
              }
            });
    return takers;
  }

  private static int racks(ClusterState state, List<Integer> servers) {
    Set<String> racks = new HashSet<>();
    servers.forEach(server -> racks.add(state.servers().get(server).registration().rack()));
    return racks.size();
  }

  /** What is there when every step of a plan has arrived. */
  private static ClusterState carriedOut(ClusterState state, List<BalancePlanner.Step> plan) {
    ClusterState next = state;
    for (BalancePlanner.Step step : plan) {
      next =
          Fixtures.apply(
              next, new Command.Reassign(List.of(new Command.Move(step.bucket(), step.to()))));
      Bucket moving = next.bucket(step.bucket());
      if (moving.moving()) {
        next = Fixtures.apply(next, inSync(step, moving));
      }
      assertThat(next.bucket(step.bucket()).replicas()).isEqualTo(step.to());
    }
    return next;
  }

  private static Command inSync(BalancePlanner.Step step, Bucket moving) {
    return new Command.AlterIsr(
        moving.leader(),
        List.of(
            new Command.IsrChange(
                step.bucket(),
                moving.leaderEpoch(),
                moving.isrVersion(),
                Stream.concat(moving.isr().stream(), moving.target().stream())
                    .distinct()
                    .map(server -> new Command.IsrMember(server, "i"))
                    .toList())));
  }

  private static Map<Integer, Integer> held(ClusterState state, boolean first) {
    Map<Integer, Integer> held = new HashMap<>();
    for (PersistentMap.Entry<Long, Table> entry : state.tables()) {
      for (Bucket bucket : entry.value().buckets()) {
        List<Integer> counted = first ? bucket.replicas().subList(0, 1) : bucket.replicas();
        counted.forEach(server -> held.merge(server, 1, Integer::sum));
      }
    }
    return held;
  }

  @Test
  void aBalancedClusterStaysAsItIs() {
    ClusterState state = fresh(3);
    state =
        Fixtures.apply(
            state, Fixtures.createTable("t", List.of(List.of(1, 2), List.of(2, 3), List.of(3, 1))));
    assertThat(BalancePlanner.plan(state, server -> 0)).isEmpty();
    assertThat(BalancePlanner.plan(state, server -> 5_000)).isEmpty();
  }

  @Test
  void aNewServerGetsItsShareOfReplicasAndLeaderships() {
    ClusterState state = fresh(4);
    List<List<Integer>> placement = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      placement.add(List.of(1 + i % 3, 1 + (i + 1) % 3));
    }
    ClusterState before = Fixtures.apply(state, Fixtures.createTable("t", placement));
    ClusterState after = carriedOut(before, BalancePlanner.plan(before, server -> 0));
    assertThat(held(after, false).get(4)).isBetween(19, 21);
    assertThat(held(after, true).get(4)).isBetween(9, 11);
  }

  @Test
  void aDrainedServerIsEmptiedFirstAndOntoTheOthersRacks() {
    ClusterState state =
        Fixtures.apply(
            ClusterState.EMPTY,
            new Command.CreateDatabase("demo", "", 1),
            server(1, "a"),
            server(2, "b"),
            server(3, "a"),
            server(4, "b"),
            Fixtures.createTable("t", List.of(List.of(1, 2), List.of(2, 3), List.of(3, 4))),
            new Command.SetServerState(1, ServerState.DRAINING));
    List<BalancePlanner.Step> plan = BalancePlanner.plan(state, server -> 0);
    assertThat(plan.get(0).from()).containsExactly(1, 2);
    assertThat(plan.get(0).to()).containsExactlyInAnyOrder(2, 3);
  }

  @Test
  void aServerThatIsAwayKeepsItsReplicas() {
    ClusterState state =
        Fixtures.apply(
            fresh(3),
            Fixtures.createTable("t", List.of(List.of(1, 2), List.of(2, 1), List.of(1, 2))),
            new Command.EndSession(1, "i"));
    assertThat(BalancePlanner.plan(state, server -> 0))
        .allSatisfy(step -> assertThat(step.to()).contains(1));
  }

  private static ClusterState fresh(int servers) {
    ClusterState state =
        Fixtures.apply(ClusterState.EMPTY, new Command.CreateDatabase("demo", "", 1));
    for (int id = 1; id <= servers; id++) {
      state = Fixtures.apply(state, server(id, ""));
    }
    return state;
  }
}
