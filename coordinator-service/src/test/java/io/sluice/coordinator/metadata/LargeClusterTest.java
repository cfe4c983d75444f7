package io.sluice.coordinator.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.TableBucket;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What 100,000 buckets cost, in time of the processor, so that the limit holds on a busy machine.
 * It is several times what it takes; what is quadratic takes longer by far.
 */
class LargeClusterTest {
  private static final int BUCKETS = 100_000;

  @Test
  void serversComeAndGoInOneWalkOverSmallTables() {
    comeAndGo(cluster(BUCKETS / 10, 10));
  }

  @Test
  void serversComeAndGoInOneWalkOverLargeTables() {
    comeAndGo(cluster(25, 4000));
  }

  @Test
  void oneBucketOfALargeTableChangesAtThePriceOfAFewHundred() {
    ClusterState state = cluster(1, 60_000);
    long start = processorNanos();
    for (int bucket = 0; bucket < 20_000; bucket++) {
      int leader = 1 + bucket % 3;
      state =
          Transitions.apply(
                  state,
                  new Command.AlterIsr(
                      leader,
                      List.of(
                          new Command.IsrChange(
                              TableBucket.of(1, bucket),
                              1,
                              0,
                              List.of(new Command.IsrMember(leader, ""))))))
              .state();
    }
    assertTook(start);
    assertThat(state.bucket(TableBucket.of(1, 19_999)).isr()).hasSize(1);
    assertThat(state.bucket(TableBucket.of(1, 20_000)).isr()).hasSize(3);
  }

  private static void comeAndGo(ClusterState before) {
    long start = processorNanos();
    Transition ended = Transitions.apply(before, new Command.EndSession(1, "i1"));
    Transition back = Transitions.apply(ended.state(), Fixtures.register(1, "i1b"));
    Transition leaving = Transitions.apply(back.state(), new Command.Leaving(2, "i2"));
    assertTook(start);
    assertThat(changed(ended)).isEqualTo(BUCKETS);
    assertThat(changed(leaving)).isGreaterThan(BUCKETS / 3);
    assertThat(ServerLoads.of(leaving.state()).offlineBuckets()).isZero();
  }

  private static int changed(Transition transition) {
    return transition.events().stream()
        .filter(Event.BucketsChanged.class::isInstance)
        .mapToInt(event -> ((Event.BucketsChanged) event).buckets().size())
        .sum();
  }

  private static void assertTook(long startNanos) {
    assertThat(Duration.ofNanos(processorNanos() - startNanos)).isLessThan(Duration.ofSeconds(2));
  }

  private static long processorNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static ClusterState cluster(int tables, int buckets) {
    ClusterState state =
        Fixtures.apply(
            ClusterState.EMPTY,
            new Command.CreateDatabase("demo", "", 1),
            Fixtures.register(1, "i1"),
            Fixtures.register(2, "i2"),
            Fixtures.register(3, "i3"));
    List<List<Integer>> placement = new ArrayList<>();
    List<List<Integer>> orders = List.of(List.of(1, 2, 3), List.of(2, 3, 1), List.of(3, 1, 2));
    for (int bucket = 0; bucket < buckets; bucket++) {
      placement.add(orders.get(bucket % 3));
    }
    for (int table = 0; table < tables; table++) {
      state = Fixtures.apply(state, Fixtures.createTable("t" + table, placement));
    }
    return state;
  }
}
