package io.sluice.cli;

import java.util.List;

/** Chooses how much the libraries may log, before the first of them starts. */
final class Logging {
  private static final String PREFIX = "org.slf4j.simpleLogger.";

  private Logging() {}

  /**
   * Errors only, so that figures are not mixed with log lines; with {@code --verbose} everything of
   * ours and the warnings of others.
   */
  static void configure(List<String> words) {
    boolean verbose = words.contains("--verbose");
    System.setProperty(PREFIX + "defaultLogLevel", verbose ? "warn" : "error");
    System.setProperty(PREFIX + "log.io.sluice", verbose ? "info" : "error");
    System.setProperty(PREFIX + "showDateTime", "true");
    System.setProperty(PREFIX + "dateTimeFormat", "HH:mm:ss.SSS");
  }
}
