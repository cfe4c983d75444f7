package io.sluice.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class MicroWorkloadTest {
  @Test
  void readsWhatJmhWrites() throws IOException {
    String json =
        """
        [{"benchmark": "io.sluice.bench.micro.EncodeBenchmark.encode", "params": {"codec": "ZSTD"},
          "primaryMetric": {"score": 2.0, "rawData": [[1.0, 2.0], [3.0]]}},
         {"benchmark": "io.sluice.bench.micro.RowBenchmark.encodeKeys",
          "primaryMetric": {"score": 5.0, "rawData": [[5.0]]}}]
        """;

    List<Series> series = MicroWorkload.series(new ObjectMapper().readTree(json));

    assertThat(series).hasSize(2);
    assertThat(series.get(0).labels())
        .containsEntry("benchmark", "EncodeBenchmark.encode")
        .containsEntry("parameters", "ZSTD");
    assertThat(series.get(0).samples(Metric.NANOSECONDS)).containsExactly(1.0, 2.0, 3.0);
    assertThat(series.get(1).labels()).containsEntry("parameters", "");
  }
}
