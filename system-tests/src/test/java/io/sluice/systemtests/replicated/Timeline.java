package io.sluice.systemtests.replicated;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What happened when, for people, and how often each kind of fault was made. Thread-safe. */
final class Timeline {
  private static final double NANOS_PER_SECOND = 1e9;

  private final long begin = System.nanoTime();
  private final List<String> events = new ArrayList<>();
  private final Map<String, Integer> faults = new TreeMap<>();

  /** Seconds since the beginning. */
  double seconds() {
    return (System.nanoTime() - begin) / NANOS_PER_SECOND;
  }

  synchronized void note(String what) {
    events.add(String.format(Locale.ROOT, "%8.2f s  %s", seconds(), what));
  }

  synchronized void fault(String kind) {
    faults.merge(kind, 1, Integer::sum);
  }

  /** How often each fault was made. */
  synchronized Map<String, Integer> faults() {
    return new TreeMap<>(faults);
  }

  @Override
  public synchronized String toString() {
    return String.join("\n", events);
  }
}
