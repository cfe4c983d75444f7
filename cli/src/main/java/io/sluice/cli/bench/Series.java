package io.sluice.cli.bench;

import io.sluice.cli.measure.Spread;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The repetitions of one variant of a workload, for example wide rows with zstd. */
public final class Series {
  private final Map<String, String> labels;
  private final Map<Metric, List<Double>> samples = new EnumMap<>(Metric.class);

  /**
   * @param labels what tells this variant from the others, in the order shown
   */
  public Series(Map<String, String> labels) {
    this.labels = Collections.unmodifiableMap(new LinkedHashMap<>(labels));
  }

  /** Adds one repetition. */
  public void add(Map<Metric, Double> figures) {
    figures.forEach(
        (metric, value) -> samples.computeIfAbsent(metric, m -> new ArrayList<>()).add(value));
  }

  public Map<String, String> labels() {
    return labels;
  }

  /** What was measured, in the order of {@link Metric}. */
  public List<Metric> metrics() {
    return List.copyOf(samples.keySet());
  }

  /** The repetitions of a metric, in the order in which they ran. */
  public List<Double> samples(Metric metric) {
    return List.copyOf(samples.getOrDefault(metric, List.of()));
  }

  /** Median and spread of a metric that was measured. */
  public Spread spread(Metric metric) {
    return Spread.of(samples(metric));
  }
}
