package io.sluice.cli.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ComparisonsTest {
  private static final ComparePlan DEFAULTS =
      new ComparePlan(0, 0, 5, 0, List.of(), List.of(), Peers.NAMES, Replication.NONE);

  private static List<String> names(Comparison comparison, ComparePlan plan) {
    return comparison.contests(plan).stream().map(Contest::name).toList();
  }

  @Test
  void appendsRunTheVariantsThatHaveGoals() {
    assertThat(names(new AppendComparison(), DEFAULTS))
        .containsExactly("wide, none", "wide, zstd", "narrow, none", "wide, none, Arrow batches");
  }

  @Test
  void appendsRunWhatIsAskedFor() {
    ComparePlan plan =
        new ComparePlan(
            500, 0, 1, 0, List.of("lz4"), List.of("narrow"), List.of("kafka"), Replication.NONE);
    List<Contest> contests = new AppendComparison().contests(plan);

    assertThat(contests).hasSize(1);
    assertThat(contests.get(0).words()).containsEntry("rows", "500").doesNotContainKey("millis");
    assertThat(contests.get(0).with(plan.peers()).lanes())
        .extracting(Lane::product)
        .containsExactly("sluice", "kafka", "kafka");
  }

  @Test
  void windowsOfAppendsHaveEqualRowsUnlessATimeIsAskedFor() {
    assertThat(new AppendComparison().contests(DEFAULTS))
        .extracting(contest -> contest.words().get("rows"))
        .containsExactly("1000000", "400000", "4000000", "1000000");
    ComparePlan timed =
        new ComparePlan(0, 0, 1, 2_000, List.of(), List.of("wide"), List.of(), Replication.NONE);
    assertThat(new AppendComparison().contests(timed))
        .allSatisfy(
            contest ->
                assertThat(contest.words())
                    .containsEntry("millis", "2000")
                    .doesNotContainKey("rows"));
  }

  @Test
  void productsWithFewLanesRunThemMoreOftenBeforeLatenciesCount() {
    LatencyComparison latency = new LatencyComparison();
    Contest contest = latency.contests(DEFAULTS).get(0).with(Peers.NAMES);
    List<LaneResult> lanes =
        contest.lanes().stream().map(lane -> new LaneResult(contest, lane)).toList();

    assertThat(latency.evensWarmUps()).isTrue();
    assertThat(ComparisonRun.evened(lanes))
        .extracting(lane -> lane.lane().product())
        .containsExactly(
            "sluice", "sluice", "sluice", "fluss", "fluss", "fluss", "fluss", "kafka", "kafka",
            "kafka");
    assertThat(new AppendComparison().evensWarmUps()).isFalse();
  }

  @Test
  void scansReadTheSameColumnsWhateverTheProduct() {
    List<Contest> contests = new ScanComparison().contests(DEFAULTS);

    assertThat(contests).extracting(Contest::name).contains("20 of 20", "2 of 20", "4 of 20");
    assertThat(contests)
        .filteredOn(contest -> contest.name().equals("2 of 20"))
        .allSatisfy(contest -> assertThat(contest.words()).containsEntry("columns", "4,5"));
  }

  @Test
  void theWordOfALaneCountsBeforeThatOfItsContest() {
    Contest latency = new LatencyComparison().contests(DEFAULTS).get(0);
    Lane tuned =
        latency.lanes().stream()
            .filter(lane -> lane.settings().startsWith("no linger"))
            .findFirst()
            .orElseThrow();

    assertThat(latency.words(latency.lanes().get(0))).containsEntry("codec", "default");
    assertThat(latency.words(tuned)).containsEntry("codec", "none");
  }

  private static Comparison keyed(String name) {
    return KeyedComparisons.all().stream()
        .filter(comparison -> comparison.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void upsertsRunWithEveryImageAndAConsumer() {
    List<Contest> contests = keyed("upsert").contests(DEFAULTS);

    assertThat(contests)
        .extracting(Contest::name)
        .containsExactly("default image", "WAL image", "default image, consumer");
    assertThat(contests)
        .allSatisfy(
            contest ->
                assertThat(contest.words())
                    .containsEntry("keys", "1000000")
                    .containsEntry("schema", "keyed")
                    .containsEntry("millis", "3000"));
    assertThat(contests.get(1).words()).containsEntry("changelog", "wal");
  }

  @Test
  void keysAndRowsAreThoseAskedFor() {
    ComparePlan plan =
        new ComparePlan(700, 5_000, 1, 0, List.of(), List.of(), List.of(), Replication.NONE);

    assertThat(keyed("prefix").contests(plan).get(0).words())
        .containsEntry("keys", "5000")
        .containsEntry("rows", "700")
        .containsEntry("inflight", "1024")
        .doesNotContainKey("millis");
  }

  @Test
  void theLaneThatLosesWritesHasATableOfItsOwn() {
    assertThat(lanesAndTables("partial"))
        .containsExactly(
            "defaults: changed", "as shipped: changed_lossy", "1 MiB batches: changed");
    assertThat(lanesAndTables("aggregate"))
        .containsExactly(
            "defaults: aggregated", "as shipped: aggregated_lossy", "1 MiB batches: aggregated");
  }

  private static List<String> lanesAndTables(String comparison) {
    Contest contest = keyed(comparison).contests(DEFAULTS).get(0);
    return contest.lanes().stream()
        .map(lane -> lane.settings() + ": " + contest.words(lane).get("table"))
        .toList();
  }

  @Test
  void peersRestartWithFewerKeysUnlessAskedForMore() {
    Comparison restart = new RestartComparison();
    Contest contest = restart.contests(DEFAULTS).get(0);
    ComparePlan asked =
        new ComparePlan(0, 3_000_000, 0, 0, List.of(), List.of(), List.of(), Replication.NONE);
    Contest more = restart.contests(asked).get(0);

    assertThat(contest.lanes())
        .extracting(lane -> contest.words(lane).get("keys"))
        .containsExactly("10000000", "2000000");
    assertThat(more.lanes())
        .extracting(lane -> more.words(lane).get("keys"))
        .containsExactly("3000000", "3000000");
  }

  @Test
  void benchmarksWithKeysShareServersAndOthersHaveTheirOwn() {
    assertThat(
            ComparisonRun.groups(
                List.of("upsert", "log-scan", "lookup", "restart", "lookup-async")))
        .containsExactly(
            List.of("upsert", "lookup", "lookup-async"), List.of("log-scan"), List.of("restart"));
  }

  @Test
  void benchmarksWithKeysRunAlone() {
    assertThat(ComparisonRun.alone())
        .containsOnlyKeys(
            "upsert",
            "partial",
            "aggregate",
            "lookup",
            "lookup-async",
            "prefix",
            "restart",
            "failover");
    assertThat(ComparisonRun.peers("upsert")).containsExactly("fluss");
  }

  @Test
  void appendsToReplicasAreContestsOfTheirOwn() {
    ComparePlan plan =
        new ComparePlan(0, 0, 5, 0, List.of(), List.of(), List.of("kafka"), new Replication(3, 3));
    List<Contest> contests = new AppendComparison().contests(plan);

    assertThat(contests)
        .extracting(Contest::name)
        .containsExactly("wide, none, RF 3", "wide, zstd, RF 3", "narrow, none, RF 3");
    assertThat(contests)
        .allSatisfy(contest -> assertThat(contest.words()).containsEntry("replicas", "3"));
    assertThat(new AppendComparison().contests(DEFAULTS).get(0).words())
        .containsEntry("replicas", "1");
  }

  @Test
  void onlyAppendsLetOneChooseTheNumberOfServers() {
    assertThat(ComparisonRun.replicated()).containsExactly("log-append");
  }

  @Test
  void failoversHaveOneBucketOfThreeReplicas() {
    Comparison failover = new FailoverComparison();

    assertThat(failover.replication(DEFAULTS)).isEqualTo(new Replication(3, 3));
    assertThat(failover.contests(DEFAULTS))
        .extracting(contest -> contest.name() + ": " + contest.words().get("keys"))
        .containsExactly("log table: null", "primary-key table: 10000000");
    assertThat(failover.contests(DEFAULTS))
        .allSatisfy(
            contest ->
                assertThat(contest.words())
                    .containsEntry("buckets", "1")
                    .containsEntry("replicas", "3"));
  }

  @Test
  void thereAreNoMoreReplicasThanServers() {
    assertThatThrownBy(() -> new Replication(1, 2)).hasMessage("2 replicas on 1 servers");
  }

  @Test
  void aContestHasOneLaneOfSluice() {
    assertThatThrownBy(() -> new Contest("x", Map.of(), List.of(Lane.of("kafka", "defaults"))))
        .hasMessageContaining("needs one lane of Sluice");
  }
}
