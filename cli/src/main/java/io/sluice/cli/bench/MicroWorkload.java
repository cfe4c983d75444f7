package io.sluice.cli.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.CliException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Runs the JMH benchmarks of the format library, short, and reads their result. */
final class MicroWorkload implements BenchWorkload {
  private static final String JAR =
      "benchmarks/jmh/target/sluice-micro-benchmarks-0.1.0-SNAPSHOT.jar";
  private static final String ITERATION = "500ms";
  private static final String WARM_UPS = "3";
  private static final String BENCHMARK_LINE = "# Benchmark: ";
  private static final String PARAMETERS_LINE = "# Parameters: ";

  @Override
  public String name() {
    return "micro";
  }

  @Override
  public String summary() {
    return "JMH: rows, batches, projection, keys and filters, nanoseconds a row or batch";
  }

  @Override
  public int defaultRepeat() {
    return 5;
  }

  @Override
  public List<Series> run(BenchPlan plan, BenchClusters clusters, Consumer<String> progress)
      throws Exception {
    Path jar = clusters.sourceTree().resolve(JAR);
    if (!Files.exists(jar)) {
      throw new CliException(
          "The micro benchmarks are not built: no " + jar, "./sluice bench micro builds them.");
    }
    Path result = Files.createTempFile("sluice-micro-", ".json");
    try {
      runJmh(plan, jar, result, progress);
      return series(new ObjectMapper().readTree(result.toFile()));
    } finally {
      Files.deleteIfExists(result);
    }
  }

  private static void runJmh(BenchPlan plan, Path jar, Path result, Consumer<String> progress)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-jar", jar.toString(), "-f", "1", "-foe", "true"));
    command.addAll(List.of("-wi", WARM_UPS, "-w", ITERATION));
    command.addAll(List.of("-i", Integer.toString(plan.repeat()), "-r", ITERATION));
    command.addAll(List.of("-jvmArgs", "-Xmx1g --add-opens=java.base/java.nio=ALL-UNNAMED"));
    command.addAll(List.of("-rf", "json", "-rff", result.toString()));
    if (!plan.filter().isEmpty()) {
      command.add(plan.filter());
    }
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    List<String> last = new ArrayList<>();
    try (BufferedReader output = process.inputReader()) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        show(line, progress);
        last.add(line);
        if (last.size() > 15) {
          last.remove(0);
        }
      }
    } finally {
      // JMH ends its forks with itself.
      process.destroy();
    }
    if (process.waitFor() != 0) {
      throw new CliException(
          "The micro benchmarks failed", String.join(System.lineSeparator(), last));
    }
  }

  private static void show(String line, Consumer<String> progress) {
    if (line.startsWith(BENCHMARK_LINE)) {
      progress.accept(shortName(line.substring(BENCHMARK_LINE.length())));
    } else if (line.startsWith(PARAMETERS_LINE)) {
      progress.accept("  " + line.substring(PARAMETERS_LINE.length()));
    }
  }

  /** Class and method without package. */
  static String shortName(String benchmark) {
    int method = benchmark.lastIndexOf('.');
    int type = benchmark.lastIndexOf('.', method - 1);
    return benchmark.substring(type + 1);
  }

  /** One for each benchmark and choice of parameters, with a sample for each iteration. */
  static List<Series> series(JsonNode results) {
    List<Series> all = new ArrayList<>();
    for (JsonNode result : results) {
      Map<String, String> labels = new LinkedHashMap<>();
      labels.put("benchmark", shortName(result.path("benchmark").asText()));
      List<String> parameters = new ArrayList<>();
      result
          .path("params")
          .properties()
          .forEach(parameter -> parameters.add(parameter.getValue().asText()));
      labels.put("parameters", String.join(", ", parameters));
      Series series = new Series(labels);
      for (JsonNode fork : result.path("primaryMetric").path("rawData")) {
        for (JsonNode sample : fork) {
          series.add(Map.of(Metric.NANOSECONDS, sample.asDouble()));
        }
      }
      all.add(series);
    }
    return all;
  }
}
