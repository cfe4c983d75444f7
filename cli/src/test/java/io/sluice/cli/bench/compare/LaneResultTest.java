package io.sluice.cli.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.bench.Metric;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LaneResultTest {
  private final Lane lane = Lane.of(Lane.SLUICE, "defaults");
  private final LaneResult result =
      new LaneResult(new Contest("wide", Map.of(), List.of(lane)), lane);

  private void window(double rate, double others) {
    result.add(Map.of(Metric.ROWS_PER_SECOND, rate, Metric.OTHER_CORES, others));
  }

  private double median() {
    return result.spread(Metric.ROWS_PER_SECOND).orElseThrow().median();
  }

  @Test
  void disturbedWindowsAreLeftOutWhereEnoughQuietOnesRemain() {
    window(100, 0.05);
    window(10, 1.5);
    window(120, 0.1);
    window(110, 0);

    assertThat(result.disturbed()).isFalse();
    assertThat(median()).isEqualTo(110);
    assertThat(result.json("Sluice"))
        .containsEntry("windows", 4)
        .containsEntry("quiet_windows", 3)
        .containsEntry("disturbed", false);
  }

  @Test
  void otherwiseAllCountAndTheResultIsMarked() {
    window(100, 0.05);
    window(10, 1.5);
    window(20, 0.9);

    assertThat(result.disturbed()).isTrue();
    assertThat(median()).isEqualTo(20);
  }

  @Test
  void fewWindowsThatAreAllQuietAreNotMarked() {
    window(100, 0.05);

    assertThat(result.disturbed()).isFalse();
    assertThat(result.spread(Metric.P50_MS)).isEmpty();
  }
}
