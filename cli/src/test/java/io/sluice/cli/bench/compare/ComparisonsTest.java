package io.sluice.cli.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ComparisonsTest {
  private static final ComparePlan DEFAULTS =
      new ComparePlan(0, 5, 0, List.of(), List.of(), Peers.NAMES);

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
        new ComparePlan(500, 1, 0, List.of("lz4"), List.of("narrow"), List.of("kafka"));
    List<Contest> contests = new AppendComparison().contests(plan);

    assertThat(contests).hasSize(1);
    assertThat(contests.get(0).words()).containsEntry("rows", "500").doesNotContainKey("millis");
    assertThat(contests.get(0).with(plan.peers()).lanes())
        .extracting(Lane::product)
        .containsExactly("sluice", "kafka", "kafka");
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

  @Test
  void aContestHasOneLaneOfSluice() {
    assertThatThrownBy(() -> new Contest("x", Map.of(), List.of(Lane.of("kafka", "defaults"))))
        .hasMessageContaining("needs one lane of Sluice");
  }
}
