package io.sluice.servicekit;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What has to hold before this service takes requests, for example <em>recovered</em> and
 * <em>registered</em>. Every condition starts closed with the reason "not yet". Readiness is UP
 * when all conditions of all gates are open. Thread-safe; plain Java, so features can hold one.
 */
public final class ReadinessGate {
  private static final String NOT_YET = "not yet";

  /** Condition to why it does not hold; an empty reason means it holds. */
  private final Map<String, String> conditions = new LinkedHashMap<>();

  private ReadinessGate(List<String> names) {
    names.forEach(name -> conditions.put(name, NOT_YET));
  }

  /** A gate with the given conditions, all closed. */
  public static ReadinessGate of(String... conditions) {
    return new ReadinessGate(List.of(conditions));
  }

  /** Says that the condition holds. */
  public void open(String condition) {
    set(condition, "");
  }

  /** Says that the condition does not hold (any more), and why. */
  public void close(String condition, String reason) {
    set(condition, reason.isEmpty() ? NOT_YET : reason);
  }

  private synchronized void set(String condition, String reason) {
    if (conditions.replace(condition, reason) == null) {
      throw new IllegalArgumentException(
          "Unknown readiness condition " + condition + "; known are " + conditions.keySet());
    }
  }

  /** Whether every condition holds. */
  public synchronized boolean isOpen() {
    return conditions.values().stream().allMatch(String::isEmpty);
  }

  /** Each condition with {@code ok} or the reason why it does not hold. */
  public synchronized Map<String, String> report() {
    Map<String, String> report = new LinkedHashMap<>();
    conditions.forEach((name, reason) -> report.put(name, reason.isEmpty() ? "ok" : reason));
    return report;
  }
}
