package io.sluice.systemtests.replicated;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What clients and the checker found wrong, each with the name of its invariant. Thread-safe. */
final class Violations {
  /** Of each invariant. */
  private static final int MOST_KEPT = 15;

  private final List<String> found = new ArrayList<>();
  private final Map<String, Integer> kept = new HashMap<>();
  private int count;

  synchronized void add(String invariant, String what) {
    count++;
    String text = invariant + ": " + what;
    if (kept.getOrDefault(invariant, 0) < MOST_KEPT && !found.contains(text)) {
      kept.merge(invariant, 1, Integer::sum);
      found.add(text);
    }
  }

  /** How many there are, those that were not kept included. */
  synchronized int count() {
    return count;
  }

  /** The first ones of each invariant, each once. */
  synchronized List<String> found() {
    return List.copyOf(found);
  }
}
