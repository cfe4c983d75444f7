package io.sluice.cli.bench.compare;

import io.sluice.cli.bench.Metric;
import io.sluice.cli.measure.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The measured windows of a lane. A window in which other programs used more than {@value
 * #QUIET_CORES} of a core is a disturbed one: it is left out where at least {@value #ENOUGH} quiet
 * ones remain, otherwise all count and the result is marked.
 */
final class LaneResult {
  static final double QUIET_CORES = 0.2;
  static final int ENOUGH = 3;

  private final Contest contest;
  private final Lane lane;
  private final List<Map<Metric, Double>> windows = new ArrayList<>();

  LaneResult(Contest contest, Lane lane) {
    this.contest = contest;
    this.lane = lane;
  }

  Contest contest() {
    return contest;
  }

  Lane lane() {
    return lane;
  }

  void add(Map<Metric, Double> window) {
    windows.add(Map.copyOf(window));
  }

  static boolean isQuiet(Map<Metric, Double> window) {
    return window.getOrDefault(Metric.OTHER_CORES, 0.0) <= QUIET_CORES;
  }

  private List<Map<Metric, Double>> quiet() {
    return windows.stream().filter(LaneResult::isQuiet).toList();
  }

  /** Whether its figures come from windows in which other programs ran. */
  boolean disturbed() {
    List<Map<Metric, Double>> quiet = quiet();
    return quiet.size() < windows.size() && quiet.size() < ENOUGH;
  }

  private List<Map<Metric, Double>> used() {
    return disturbed() ? windows : quiet();
  }

  /** Median and spread of what was measured. */
  Optional<Spread> spread(Metric metric) {
    List<Double> values =
        used().stream().filter(w -> w.containsKey(metric)).map(w -> w.get(metric)).toList();
    return values.isEmpty() ? Optional.empty() : Optional.of(Spread.of(values));
  }

  /** For JSON: everything, with all samples, disturbed ones too. */
  Map<String, Object> json(String title) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("contest", contest.name());
    json.put("product", title);
    json.put("settings", lane.settings());
    json.put("words", contest.words(lane));
    json.put("windows", windows.size());
    json.put("quiet_windows", quiet().size());
    json.put("disturbed", disturbed());
    for (Metric metric : Metric.values()) {
      spread(metric)
          .ifPresent(
              spread -> {
                Map<String, Object> figures = new LinkedHashMap<>();
                figures.put("median", spread.median());
                figures.put("min", spread.least());
                figures.put("max", spread.most());
                figures.put(
                    "samples",
                    windows.stream()
                        .filter(window -> window.containsKey(metric))
                        .map(window -> window.get(metric))
                        .toList());
                json.put(metric.key(), figures);
              });
    }
    return json;
  }
}
