package io.sluice.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BucketsWorkloadTest {
  private static Series series(double files, double memory) {
    Series series = new Series(Map.of("after", "a row in every bucket"));
    series.add(Map.of(Metric.OPEN_FILES, files, Metric.RSS_MB, memory));
    return series;
  }

  @Test
  void boundsThatAreKeptSayNothing() {
    assertThat(new BucketsWorkload().exceeded(List.of(series(700, 400)))).isEmpty();
  }

  @Test
  void storesOfPrimaryKeysMayHoldFilesOpen() {
    Series series =
        new Series(Map.of("buckets", "1,000", "tables", "primary key", "after", "created, idle"));
    series.add(Map.of(Metric.OPEN_FILES, 9_000.0, Metric.RSS_MB, 400.0));
    assertThat(new BucketsWorkload().exceeded(List.of(series))).isEmpty();

    series.add(Map.of(Metric.OPEN_FILES, 9_100.0, Metric.RSS_MB, 400.0));
    assertThat(new BucketsWorkload().exceeded(List.of(series)))
        .containsExactly("created, idle: 9,100 open files, more than the bound of 9,024");
  }

  @Test
  void everyBoundThatIsNotKeptIsNamed() {
    assertThat(new BucketsWorkload().exceeded(List.of(series(20_000, 9_000))))
        .containsExactly(
            "a row in every bucket: 20,000 open files, more than the bound of 1,024",
            "a row in every bucket: 9,000 MB of memory, more than the bound of 1,536");
  }
}
