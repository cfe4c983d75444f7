package io.sluice.cli.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.bench.Metric;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StandingsTest {
  private final Lane sluice = Lane.of(Lane.SLUICE, "defaults");
  private final Lane lossy = Lane.of(Peers.FLUSS, "as shipped");
  private final Lane small = Lane.of(Peers.FLUSS, "1 MiB batches");
  private final Contest contest = new Contest("partial", Map.of(), List.of(sluice, lossy, small));

  private LaneResult result(Lane lane, double rate, double failed) {
    LaneResult result = new LaneResult(contest, lane);
    result.add(Map.of(Metric.ROWS_PER_SECOND, rate, Metric.FAILED_WRITES, failed));
    return result;
  }

  @Test
  void aLaneThatLosesWritesIsNobodysMeasure() {
    Standings standings =
        new Standings(
            List.of(result(sluice, 150, 0), result(lossy, 900, 70), result(small, 50, 0)));

    assertThat(standings.highest("partial", Metric.ROWS_PER_SECOND, List.of(Peers.FLUSS)))
        .contains(new Standings.Figure(small, 50));
    assertThat(standings.sluice("partial", Metric.FAILED_WRITES))
        .contains(new Standings.Figure(sluice, 0));
  }
}
