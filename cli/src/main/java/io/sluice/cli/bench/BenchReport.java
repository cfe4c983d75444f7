package io.sluice.cli.bench;

import io.sluice.cli.measure.JsonText;
import io.sluice.cli.measure.Spread;
import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.TextTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The result of a benchmark: as a table for people and as JSON for comparison.
 *
 * @param benchmark name of the workload
 * @param parameters what was asked for
 * @param series variants in the order in which they were run
 * @param machine facts about the machine and the source tree
 */
record BenchReport(
    String benchmark,
    Map<String, Object> parameters,
    List<Series> series,
    Map<String, Object> machine) {

  /** Labels, then for each metric the median and how far the repetitions lie from it at most. */
  TextTable table() {
    TextTable table = new TextTable();
    Series first = series.get(0);
    first.labels().keySet().forEach(table::left);
    for (Metric metric : first.metrics()) {
      table.right(metric.title()).right("+-");
    }
    for (Series variant : series) {
      List<String> cells = new ArrayList<>(variant.labels().values());
      for (Metric metric : first.metrics()) {
        Spread spread = variant.spread(metric);
        cells.add(figure(spread.median()));
        cells.add(String.format(Locale.ROOT, "%.0f%%", 100 * spread.deviation()));
      }
      table.row(cells);
    }
    return table;
  }

  private static String figure(double value) {
    return value >= 1_000 ? Figures.count(Math.round(value)) : Figures.threeDigits(value);
  }

  /** The whole report as JSON text. */
  String json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("benchmark", benchmark);
    json.put("parameters", parameters);
    json.put("machine", machine);
    List<Object> variants = new ArrayList<>();
    for (Series variant : series) {
      Map<String, Object> entry = new LinkedHashMap<>(variant.labels());
      for (Metric metric : variant.metrics()) {
        Spread spread = variant.spread(metric);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("median", spread.median());
        figures.put("min", spread.least());
        figures.put("max", spread.most());
        figures.put("samples", variant.samples(metric));
        entry.put(metric.key(), figures);
      }
      variants.add(entry);
    }
    json.put("results", variants);
    return JsonText.pretty(json);
  }

  /** Writes text to a file, whose directory is made if need be. */
  static void write(Path file, String text) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory != null) {
      Files.createDirectories(directory);
    }
    Files.writeString(file, text);
  }
}
