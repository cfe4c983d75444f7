package io.sluice.cli.bench.compare;

import io.sluice.cli.bench.Metric;
import io.sluice.cli.measure.Spread;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The results of all lanes of a comparison, to be asked who did best. */
final class Standings {
  private final List<LaneResult> results;

  Standings(List<LaneResult> results) {
    this.results = List.copyOf(results);
  }

  /** A figure, and whose it is. */
  record Figure(Lane lane, double value) {}

  List<LaneResult> results() {
    return results;
  }

  /** Median of Sluice's lane of a contest. */
  Optional<Figure> sluice(String contest, Metric metric) {
    return figures(contest, metric).stream().filter(f -> f.lane().isSluice()).findFirst();
  }

  /** The highest median of the lanes of these products that lose no writes. */
  Optional<Figure> highest(String contest, Metric metric, List<String> products) {
    return figures(contest, metric).stream()
        .filter(figure -> products.contains(figure.lane().product()))
        .filter(figure -> !losesWrites(contest, figure.lane()))
        .max(Comparator.comparingDouble(Figure::value));
  }

  /** The lowest median of the lanes of these products. */
  Optional<Figure> lowest(String contest, Metric metric, List<String> products) {
    return figures(contest, metric).stream()
        .filter(figure -> products.contains(figure.lane().product()))
        .min(Comparator.comparingDouble(Figure::value));
  }

  private boolean losesWrites(String contest, Lane lane) {
    return figures(contest, Metric.FAILED_WRITES).stream()
        .anyMatch(figure -> figure.lane().equals(lane) && figure.value() > 0);
  }

  private List<Figure> figures(String contest, Metric metric) {
    return results.stream()
        .filter(result -> result.contest().name().equals(contest))
        .flatMap(
            result ->
                result
                    .spread(metric)
                    .map(Spread::median)
                    .map(median -> new Figure(result.lane(), median))
                    .stream())
        .toList();
  }
}
