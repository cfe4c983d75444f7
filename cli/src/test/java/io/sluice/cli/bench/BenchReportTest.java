package io.sluice.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchReportTest {
  private static BenchReport report() {
    Series series = new Series(Map.of("codec", "zstd"));
    series.add(Map.of(Metric.ROWS_PER_SECOND, 100_000.0, Metric.P50_MS, 1.5));
    series.add(Map.of(Metric.ROWS_PER_SECOND, 120_000.0, Metric.P50_MS, 0.5));
    series.add(Map.of(Metric.ROWS_PER_SECOND, 110_000.0, Metric.P50_MS, 12.0));
    return new BenchReport("log-append", Map.of("repeat", 3), List.of(series), Map.of("cores", 2));
  }

  @Test
  void tableShowsMediansWithTheirDeviation() {
    assertThat(report().table().lines())
        .containsExactly("codec   rows/s  +-  p50 ms    +-", "zstd   110,000  9%    1.50  700%");
  }

  @Test
  void jsonHoldsEverySampleAndTheMachine() {
    assertThat(report().json())
        .contains("\"benchmark\": \"log-append\"")
        .contains("\"cores\": 2")
        .contains("\"codec\": \"zstd\"")
        .contains("\"median\": 110000")
        .contains("\"min\": 0.5")
        .contains("120000");
  }

  @Test
  void writesIntoADirectoryThatDoesNotExistYet(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("benchmarks").resolve("results").resolve("x.json");
    BenchReport.write(file, report().json());

    assertThat(Files.readString(file)).isEqualTo(report().json());
  }
}
