package io.sluice.cli.bench.compare;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.bench.Metric;
import java.util.EnumMap;
import java.util.Map;

/** Reads the metrics that a client process answers with, by their names in JSON. */
final class Answers {
  private Answers() {}

  static Map<Metric, Double> metrics(JsonNode answer) {
    Map<Metric, Double> metrics = new EnumMap<>(Metric.class);
    for (Metric metric : Metric.values()) {
      JsonNode value = answer.get(metric.key());
      if (value != null && value.isNumber()) {
        metrics.put(metric, value.asDouble());
      }
    }
    return metrics;
  }
}
