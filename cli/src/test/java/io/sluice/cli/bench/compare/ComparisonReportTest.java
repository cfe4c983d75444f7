package io.sluice.cli.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.bench.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ComparisonReportTest {
  private static final ComparePlan PLAN =
      new ComparePlan(0, 0, 1, 0, List.of("none"), List.of("wide"), Peers.NAMES, Replication.NONE);

  private static final Map<String, Double> RATES =
      Map.of(
          "sluice, defaults", 300_000.0,
          "fluss, defaults", 170_000.0,
          "kafka, defaults", 110_000.0,
          "kafka, 1 MiB batches", 180_000.0);

  private static ComparisonReport report(List<String> peers) {
    return report(PLAN, peers);
  }

  private static ComparisonReport report(ComparePlan plan, List<String> peers) {
    AppendComparison comparison = new AppendComparison();
    List<LaneResult> results = new ArrayList<>();
    for (Contest contest : comparison.contests(plan)) {
      for (Lane lane : contest.with(peers).lanes()) {
        LaneResult result = new LaneResult(contest, lane);
        double factor = contest.name().endsWith("batches") ? 3 : 1;
        result.add(
            Map.of(
                Metric.ROWS_PER_SECOND,
                factor * RATES.get(lane.product() + ", " + lane.settings()),
                Metric.SERVER_CPU,
                lane.isSluice() ? 1.9 : 2.0,
                Metric.OTHER_CORES,
                lane.isSluice() ? 0 : 0.5));
        results.add(result);
      }
    }
    return new ComparisonReport(
        comparison,
        plan,
        Map.of("sluice", "Sluice abc", "kafka", "Apache Kafka 1", "fluss", "Apache Fluss 2"),
        new Standings(results));
  }

  @Test
  void lanesHaveMediansAndRatiosAndDisturbedOnesAMark() {
    List<String> lines = report(Peers.NAMES).lanes().lines();

    assertThat(lines).hasSize(6);
    assertThat(lines.get(0)).startsWith("contest").endsWith("Sluice / this");
    assertThat(lines.get(1)).startsWith("wide, none").contains("sluice", "300,000");
    assertThat(lines.get(4)).contains("kafka", "1 MiB batches", "~180,000").endsWith("1.67 x");
    assertThat(lines.get(5)).startsWith("wide, none, Arrow batches").contains("900,000");
  }

  @Test
  void goalsAreAgainstTheBetterPeer() {
    List<String> lines = report(Peers.NAMES).goals().lines();

    assertThat(lines.get(1))
        .startsWith("wide rows, none: rows/s")
        .contains("kafka, 1 MiB batches", "1.67 x", ">= 1.5  reached", ">= 2  not reached");
    assertThat(lines.get(2)).contains("server CPU", "fluss, defaults", "0.95 x", "<= 1    reached");
    assertThat(lines.get(3)).contains("Arrow batches", "5.00 x", ">= 4    reached");
    assertThat(lines).hasSize(4);
  }

  @Test
  void goalsAgainstAProductThatDidNotRunAreLeftOut() {
    assertThat(report(List.of(Peers.KAFKA)).goals().lines())
        .hasSize(3)
        .noneMatch(line -> line.contains("server CPU"));
  }

  @Test
  void replicasHaveAGoalAndAFileOfTheirOwn() {
    List<String> kafka = List.of(Peers.KAFKA);
    ComparePlan plan =
        new ComparePlan(0, 0, 1, 0, List.of("none"), List.of("wide"), kafka, new Replication(3, 3));
    ComparisonReport report = report(plan, kafka);

    assertThat(report.goals().lines()).hasSize(2);
    assertThat(report.goals().lines().get(1))
        .startsWith("wide rows, none, RF 3: rows/s")
        .contains("kafka, 1 MiB batches", "1.67 x", ">= 1  reached");
    assertThat(report.notes()).anyMatch(note -> note.contains("RF 3 on 3 servers, acks all"));
    assertThat(report.fileName()).isEqualTo("log-append-rf3-with-peers");
    assertThat(report(kafka).fileName()).isEqualTo("log-append-with-peers");
    assertThat(report.json(Map.of())).contains("\"replicas\": 3", "\"server_heap\": \"1g\"");
  }

  @Test
  void notesNameVersionsAndTheMark() {
    assertThat(report(Peers.NAMES).notes())
        .contains("Apache Fluss 2", "Apache Kafka 1", "Sluice abc")
        .anyMatch(note -> note.contains("heaps 2g"))
        .anyMatch(note -> note.startsWith("~ other programs"));
  }

  @Test
  void jsonHoldsSamplesGoalsAndTheMachine() {
    assertThat(report(Peers.NAMES).json(Map.of("cores", 2)))
        .contains("\"benchmark\": \"log-append\"")
        .contains("\"product\": \"Apache Kafka 1\"")
        .contains("\"set.producer.linger.ms\": \"10\"")
        .contains("\"must_reached\": true")
        .contains("\"cores\": 2");
  }
}
