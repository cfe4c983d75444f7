package io.sluice.cli.measure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What one must know about a machine and a source tree to judge a figure measured there. */
public final class MachineFacts {
  private MachineFacts() {}

  /** Processor, cores, memory, system, congestion control, Java and load, by name. */
  public static Map<String, Object> ofThisMachine() {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("processor", field(Path.of("/proc/cpuinfo"), "model name"));
    facts.put("cores", Runtime.getRuntime().availableProcessors());
    facts.put("memory", field(Path.of("/proc/meminfo"), "MemTotal"));
    facts.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    facts.put(
        "congestion_control", firstWords(Path.of("/proc/sys/net/ipv4/tcp_congestion_control"), 1));
    facts.put("java", System.getProperty("java.vendor") + " " + Runtime.version());
    facts.put("load_average", firstWords(Path.of("/proc/loadavg"), 3));
    return facts;
  }

  /**
   * The commit of the source tree, with {@code -dirty} when files differ; "unknown" without git.
   */
  public static String commit(Path repository) {
    try {
      Process process =
          new ProcessBuilder(
                  List.of("git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"))
              .directory(repository.toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0
          ? text.strip()
          : "unknown";
    } catch (IOException e) {
      return "unknown";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "unknown";
    }
  }

  private static String field(Path file, String name) {
    try {
      for (String line : Files.readAllLines(file)) {
        int colon = line.indexOf(':');
        if (colon > 0 && line.substring(0, colon).strip().equals(name)) {
          return line.substring(colon + 1).strip();
        }
      }
    } catch (IOException e) {
      return "unknown";
    }
    return "unknown";
  }

  private static String firstWords(Path file, int count) {
    try {
      String[] words = Files.readString(file).strip().split("\\s+");
      return String.join(" ", List.of(words).subList(0, Math.min(count, words.length)));
    } catch (IOException e) {
      return "unknown";
    }
  }
}
